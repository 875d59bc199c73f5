package io.github.kobe.benchmarks;

import com.sun.management.OperatingSystemMXBean;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.benchmarks.Row.Promise;
import io.github.kobe.spring.web.GroupLimitFilter;
import io.github.kobe.spring.web.RequestKey;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.startup.Tomcat;
import org.apache.tomcat.util.descriptor.web.FilterDef;
import org.apache.tomcat.util.descriptor.web.FilterMap;
import org.jspecify.annotations.Nullable;

/** What the servlet filter costs requests to a real server with an empty handler, over loopback. */
final class ServletFilter {

    /** Enough to keep all processors busy: otherwise the time to wake up a thread decides. */
    private static final int CLIENTS = 8;

    /** Few, so that a change of the load of the machine seldom comes between the two measurements of a round. */
    private static final int REQUESTS = 100;

    private static final String PLAIN = "plain";
    private static final String FILTERED = "filtered";
    private static final String PROCESSOR = "processor";
    private static final String END = "\r\n\r\nok";
    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private static final Logger TOMCAT_LOG = Logger.getLogger("org.apache");

    private ServletFilter() {}

    static List<Row> rows(RunLength length) throws InterruptedException {
        Fork fork = Fork.run(length.pick(3, 1), ServletFilter.class, length.pick(150, 100), length.pick(300, 150));
        return List.of(
                new Row(
                        "requests through the servlet filter, with room, against the same server without",
                        Unit.SPEEDUP,
                        null,
                        fork.ratio(PLAIN, FILTERED),
                        Promise.atLeast(1 / 1.05)),
                new Row(
                        "processor time of such a request, of client and server, against the same server without",
                        Unit.COST_RATIO,
                        null,
                        fork.quartiles(PROCESSOR),
                        null));
    }

    static List<LibraryWorkload> libraryWorkloads(RunLength length) {
        return List.of(new LibraryWorkload("requests through the servlet filter, with room", Unit.MICROS, () -> {
                    TOMCAT_LOG.setLevel(Level.SEVERE);
                    try (GroupExecutor executor = newExecutor();
                            Server server = new Server(filter(executor))) {
                        return server.nanosPerRequest() / 1e3;
                    }
                })
                .withFewRounds());
    }

    private static GroupExecutor newExecutor() {
        return GroupExecutor.newVirtualThreadExecutor(
                GroupPolicy.builder().defaultMaxConcurrencyPerGroup(1_000).build());
    }

    private static GroupLimitFilter filter(GroupExecutor executor) {
        return GroupLimitFilter.builder(executor, RequestKey.header("X-Tenant"))
                .group("web")
                .build();
    }

    /** The forked JVM. Arguments: warm-up rounds, rounds. */
    public static void main(String[] args) throws Exception {
        TOMCAT_LOG.setLevel(Level.SEVERE);
        int warmups = Integer.parseInt(args[0]);
        int rounds = Integer.parseInt(args[1]);
        try (GroupExecutor executor = newExecutor();
                Server plain = new Server(null);
                Server filtered = new Server(filter(executor))) {
            for (int round = -warmups; round < rounds; round++) {
                if (round % 2 == 0) {
                    plain.sendRequests(PLAIN, round >= 0);
                }
                filtered.sendRequests(FILTERED, round >= 0);
                if (round % 2 != 0) {
                    plain.sendRequests(PLAIN, round >= 0);
                }
            }
            Fork.print(PROCESSOR, (double) filtered.processorNanos / plain.processorNanos);
        }
    }

    /** A server on a free port of loopback, and its clients. */
    private static final class Server implements AutoCloseable {

        private final Tomcat tomcat = new Tomcat();
        private final ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
        private final List<Client> clients = new ArrayList<>();
        private long processorNanos; // of all measured requests: the clock is too coarse for a round

        Server(@Nullable Filter filter) throws LifecycleException, IOException {
            tomcat.setBaseDir(System.getProperty("java.io.tmpdir"));
            tomcat.setPort(0);
            tomcat.getConnector().setProperty("address", "127.0.0.1");
            tomcat.getConnector().setProperty("maxKeepAliveRequests", "-1");
            Context context = tomcat.addContext("", System.getProperty("java.io.tmpdir"));
            Tomcat.addServlet(context, "empty", new EmptyServlet());
            context.addServletMappingDecoded("/*", "empty");
            if (filter != null) {
                FilterDef definition = new FilterDef();
                definition.setFilterName("limit");
                definition.setFilter(filter);
                context.addFilterDef(definition);
                FilterMap mapping = new FilterMap();
                mapping.setFilterName("limit");
                mapping.addURLPattern("/*");
                context.addFilterMap(mapping);
            }
            tomcat.start();
            for (int i = 0; i < CLIENTS; i++) {
                clients.add(new Client(tomcat.getConnector().getLocalPort(), "tenant-" + i));
            }
        }

        /** Sends requests. If {@code measured}, prints the time of one. */
        void sendRequests(String name, boolean measured) throws InterruptedException {
            long processorStart = SYSTEM.getProcessCpuTime();
            double nanos = nanosPerRequest();
            if (measured) {
                Fork.print(name, nanos);
                processorNanos += SYSTEM.getProcessCpuTime() - processorStart;
            }
        }

        double nanosPerRequest() throws InterruptedException {
            long start = System.nanoTime();
            for (Future<?> done : threads.invokeAll(clients)) {
                done.resultNow(); // throws if the client failed
            }
            return (double) (System.nanoTime() - start) / (CLIENTS * REQUESTS);
        }

        @Override
        public void close() throws LifecycleException, IOException {
            threads.close();
            for (Client client : clients) {
                client.socket.close();
            }
            tomcat.stop();
            tomcat.destroy();
        }
    }

    /** Sends one request after the other on one connection. All answers have the same length. */
    private static final class Client implements Callable<@Nullable Void> {

        private final byte[] request;
        private final Socket socket;
        private final OutputStream out;
        private final DataInputStream in;
        private final byte[] answer;

        Client(int port, String tenant) throws IOException {
            request = ("GET / HTTP/1.1\r\nHost: localhost\r\nX-Tenant: " + tenant + "\r\n\r\n")
                    .getBytes(StandardCharsets.US_ASCII);
            socket = new Socket(InetAddress.getLoopbackAddress(), port);
            socket.setTcpNoDelay(true);
            out = socket.getOutputStream();
            in = new DataInputStream(socket.getInputStream());
            out.write(request);
            answer = new byte[firstAnswer()];
        }

        /** Reads the first answer, and returns its length. */
        private int firstAnswer() throws IOException {
            StringBuilder text = new StringBuilder();
            while (!text.toString().endsWith(END)) {
                text.append((char) in.readUnsignedByte());
            }
            return text.length();
        }

        @Override
        public @Nullable Void call() throws IOException {
            for (int i = 0; i < REQUESTS; i++) {
                out.write(request);
                in.readFully(answer);
            }
            String last = new String(answer, StandardCharsets.US_ASCII);
            if (!last.startsWith("HTTP/1.1 200") || !last.endsWith(END)) {
                throw new IllegalStateException("unexpected answer: " + last);
            }
            return null;
        }
    }

    private static final class EmptyServlet extends HttpServlet {

        private static final long serialVersionUID = 1;

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
            response.setContentLength(2);
            response.getOutputStream().print("ok");
        }
    }
}
