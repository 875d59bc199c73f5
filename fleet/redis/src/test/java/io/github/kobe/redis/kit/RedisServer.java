package io.github.kobe.redis.kit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import javax.net.ssl.SSLSocketFactory;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.exceptions.JedisException;

/**
 * A real server on a free port of loopback, which can be killed, stopped and started again. Its files are in a directory of its own, and are
 * deleted when it is closed. Not thread-safe.
 */
public final class RedisServer implements AutoCloseable {

    private static final String LOOPBACK = "127.0.0.1";
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int PORTS_TO_TRY = 5;

    private final Builder settings;
    private final Path directory;
    private int port;
    private Duration timeShift = Duration.ZERO;
    private @Nullable Process process;

    private RedisServer(Builder settings) throws IOException {
        this.settings = settings;
        this.directory = Files.createTempDirectory("redis");
    }

    /** Starts an empty server without persistence or password. */
    public static RedisServer start() {
        return builder().start();
    }

    /** Begins the settings of a server. */
    public static Builder builder() {
        return new Builder();
    }

    /** Settings of a server. */
    public static final class Builder {
        private RedisBinary binary = RedisBinary.embedded();
        private final List<String> options = new ArrayList<>();
        private boolean persistent;
        private boolean settableTime;
        private boolean sentinel;
        private String user = "default";
        private @Nullable String password;
        private @Nullable Certificate certificate;

        /** Sets the program. The default is the one that the tests bring with them. */
        public Builder binary(RedisBinary program) {
            binary = program;
            return this;
        }

        /** Keeps data over restarts: each write is on disk before it is answered. */
        public Builder persistent() {
            persistent = true;
            return this;
        }

        /** Makes it a replica, which follows another server. */
        public Builder replicaOf(RedisServer primary) {
            option("replicaof", LOOPBACK + " " + primary.port());
            if (primary.settings.password != null) {
                option("masterauth", primary.settings.password);
            }
            return this;
        }

        /** Makes clients give a password. */
        public Builder password(String secret) {
            password = secret;
            return option("requirepass", secret);
        }

        /**
         * Allows nobody in but one user.
         *
         * @param name the user
         * @param secret the password
         * @param rules what the user may do, as {@code ACL SETUSER} takes it
         */
        public Builder user(String name, String secret, String rules) {
            user = name;
            password = secret;
            option("user", "default off");
            return option("user", name + " on >" + secret + " " + rules);
        }

        /** Accepts only encrypted connections. */
        public Builder tls(Certificate own) {
            certificate = own;
            return this;
        }

        /** Makes it a sentinel, which watches a server, and promotes a replica if the server is silent for half a second. */
        public Builder sentinelOf(String name, RedisServer primary) {
            sentinel = true;
            option("sentinel monitor", name + " " + LOOPBACK + " " + primary.port() + " 1");
            option("sentinel down-after-milliseconds", name + " 500");
            return option("sentinel failover-timeout", name + " 5000");
        }

        /** Makes it part of a cluster. */
        public Builder clustered() {
            option("cluster-enabled", "yes");
            return option("cluster-node-timeout", "2000");
        }

        /** Lets {@link #shiftTime} set its clock, if the library libfaketime is installed and works with the program; otherwise this has no effect. */
        public Builder settableTime() {
            settableTime = true;
            return this;
        }

        /** Adds a line to the configuration. */
        public Builder option(String name, String value) {
            options.add(name + " " + value);
            return this;
        }

        /** Starts the server, and returns when it answers. */
        public RedisServer start() {
            try {
                RedisServer server = new RedisServer(this);
                try {
                    server.launchOnFreePort();
                } catch (Throwable failure) {
                    server.close();
                    throw failure;
                }
                return server;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    // ---- faults -----------------------------------------------------------------------------------------------

    /** Kills the server with SIGKILL. Returns when it is gone. */
    public void kill() {
        if (process != null) {
            ProcessGuard.kill(process);
            process = null;
        }
    }

    /** Starts a server that was killed, on the same port. It has the data that it had, if it is persistent. Returns when it answers. */
    public void launch() {
        try {
            tryLaunch();
            awaitAnswer();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Kills the server, and starts it again. */
    public void restart() {
        kill();
        launch();
    }

    /** Deletes the data of a server that was killed. */
    public void loseData() {
        if (process != null) {
            throw new IllegalStateException("the server still runs");
        }
        try {
            deleteFiles();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Stops the server in the middle of what it does. Connections stay open, and nobody is answered. */
    public void freeze() {
        ProcessGuard.freeze(running());
    }

    /** Lets a stopped server go on. */
    public void thaw() {
        ProcessGuard.thaw(running());
    }

    /** Makes a replica a primary, also when it is started again. */
    public void promote() {
        settings.options.removeIf(option -> option.startsWith("replicaof "));
        run(Jedis::slaveofNoOne);
    }

    /** Makes it a replica of another server, and waits until it has its data. */
    public void follow(RedisServer primary) {
        run(jedis -> jedis.slaveof(LOOPBACK, primary.port()));
        awaitReplication();
    }

    /** Waits until a replica has the data of its primary. */
    public void awaitReplication() {
        Awaitility.await().atMost(PATIENCE).until(() -> info("replication").contains("master_link_status:up"));
    }

    /** Whether {@link #shiftTime} works. */
    public boolean hasSettableTime() {
        return settings.settableTime
                && settings.binary.equals(RedisBinary.embedded())
                && fakeTime().isPresent();
    }

    /**
     * Sets the clock of the server forward or back, from what it is now. Returns when the server shows it. Its monotonic clock goes on as before.
     *
     * @throws IllegalStateException if {@link #hasSettableTime} is false
     */
    public void shiftTime(Duration by) {
        if (!hasSettableTime()) {
            throw new IllegalStateException("there is no libfaketime");
        }
        long before = millisAhead();
        timeShift = timeShift.plus(by);
        try {
            writeTimeShift();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        long half = by.toMillis() / 2;
        Awaitility.await("the time of the server is set")
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(10))
                .until(() -> half < 0 ? millisAhead() - before < half : millisAhead() - before > half);
    }

    private long millisAhead() {
        List<String> time = ask(Jedis::time);
        return Long.parseLong(time.get(0)) * 1000 + Long.parseLong(time.get(1)) / 1000 - System.currentTimeMillis();
    }

    private void writeTimeShift() throws IOException {
        String seconds = String.format(Locale.ROOT, "%+.3f", timeShift.toMillis() / 1000.0);
        Path next = directory.resolve("time.next");
        Files.writeString(next, seconds + "\n");
        Files.move(next, directory.resolve("time"), StandardCopyOption.ATOMIC_MOVE);
    }

    private static Optional<Path> fakeTime() {
        return Stream.of("x86_64", "aarch64")
                .map(machine -> Path.of("/usr/lib/" + machine + "-linux-gnu/faketime/libfaketime.so.1"))
                .filter(Files::exists)
                .findFirst();
    }

    // ---- use --------------------------------------------------------------------------------------------------

    public int port() {
        return port;
    }

    public long pid() {
        return running().pid();
    }

    /** Returns the URI by which a client can connect, with user and password. */
    public String uri() {
        return uriAt(port);
    }

    /** Returns the same URI with another port: that of a proxy. */
    public String uriAt(int otherPort) {
        String scheme = settings.certificate == null ? "redis" : "rediss";
        String credentials = settings.password == null ? "" : settings.user + ":" + settings.password + "@";
        return scheme + "://" + credentials + LOOPBACK + ":" + otherPort;
    }

    /** Returns a section of {@code INFO}. */
    public String info(String section) {
        return ask(jedis -> jedis.info(section));
    }

    /** Returns the name of this process of the server. It is another one after each restart. */
    public String runId() {
        return info("server")
                .lines()
                .filter(line -> line.startsWith("run_id:"))
                .findFirst()
                .orElseThrow()
                .substring("run_id:".length());
    }

    /** Runs commands on a connection of their own. */
    public void run(Consumer<Jedis> commands) {
        ask(jedis -> {
            commands.accept(jedis);
            return "";
        });
    }

    /** Runs commands on a connection of their own, and returns what they answer. */
    public <T> T ask(Function<Jedis, T> commands) {
        try (Jedis jedis = new Jedis(new HostAndPort(LOOPBACK, port), client())) {
            return commands.apply(jedis);
        }
    }

    private JedisClientConfig client() {
        DefaultJedisClientConfig.Builder client = DefaultJedisClientConfig.builder()
                .connectionTimeoutMillis((int) PATIENCE.toMillis())
                .socketTimeoutMillis((int) PATIENCE.toMillis())
                .password(settings.password);
        if (!settings.user.equals("default")) {
            client.user(settings.user);
        }
        if (settings.certificate != null) {
            SSLSocketFactory sockets = settings.certificate.trust().getSocketFactory();
            client.ssl(true).sslSocketFactory(sockets);
        }
        return client.build();
    }

    /** Kills the server and deletes its files. */
    @Override
    public void close() {
        kill();
        try {
            deleteFiles();
            Files.delete(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    // ---- the process ------------------------------------------------------------------------------------------

    private void launchOnFreePort() throws IOException {
        for (int attempt = 1; ; attempt++) {
            try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getByName(LOOPBACK))) {
                port = free.getLocalPort();
            }
            tryLaunch(); // another process may have taken the port meanwhile
            try {
                awaitAnswer();
                return;
            } catch (IllegalStateException e) {
                kill();
                if (attempt == PORTS_TO_TRY || !log().contains("Address already in use")) {
                    throw e;
                }
            }
        }
    }

    private void tryLaunch() throws IOException {
        if (process != null) {
            throw new IllegalStateException("the server still runs");
        }
        Path configuration = directory.resolve("redis.conf");
        if (!settings.sentinel || !Files.exists(configuration)) {
            Files.write(configuration, configuration(), StandardCharsets.UTF_8); // a sentinel keeps its state in it
        }
        List<String> command = new ArrayList<>(List.of(settings.binary.file().toString(), configuration.toString()));
        if (settings.sentinel) {
            command.add("--sentinel");
        }
        ProcessBuilder server = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(
                        directory.resolve("log").toFile()));
        if (hasSettableTime()) {
            writeTimeShift();
            server.environment()
                    .putAll(Map.of(
                            "LD_PRELOAD",
                            fakeTime().orElseThrow().toString(),
                            "FAKETIME_TIMESTAMP_FILE",
                            directory.resolve("time").toString(),
                            "FAKETIME_CACHE_DURATION",
                            "1",
                            "FAKETIME_DONT_FAKE_MONOTONIC",
                            "1"));
        }
        process = ProcessGuard.start(server);
    }

    private List<String> configuration() {
        List<String> lines = new ArrayList<>();
        lines.add("bind " + LOOPBACK);
        lines.add("dir " + directory);
        if (settings.certificate == null) {
            lines.add("port " + port);
        } else {
            lines.add("port 0");
            lines.add("tls-port " + port);
            lines.addAll(settings.certificate.serverOptions(directory));
        }
        if (!settings.sentinel) {
            lines.add("save \"\"");
            lines.add("repl-diskless-sync yes");
            lines.add("repl-diskless-sync-delay 0");
            lines.add("appendonly " + (settings.persistent ? "yes" : "no"));
            lines.add("appendfsync always");
        }
        lines.addAll(settings.options);
        return lines;
    }

    private void awaitAnswer() {
        try {
            Awaitility.await()
                    .atMost(PATIENCE)
                    .pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(5))
                    .until(() -> !running().isAlive() || answers());
        } catch (ConditionTimeoutException e) {
            throw new IllegalStateException("the server does not answer\n" + log(), e);
        }
        if (!running().isAlive()) {
            throw new IllegalStateException("the server does not start\n" + log());
        }
    }

    private boolean answers() {
        try {
            return info("server").contains("process_id:" + running().pid())
                    && (settings.sentinel || info("persistence").contains("loading:0"));
        } catch (JedisException e) {
            return e.getMessage() != null
                    && e.getMessage().startsWith("NOPERM"); // it knows us, and has done with loading
        }
    }

    private String log() {
        try {
            return Files.readString(directory.resolve("log"));
        } catch (IOException e) {
            return e.toString();
        }
    }

    private Process running() {
        if (process == null) {
            throw new IllegalStateException("the server was killed");
        }
        return process;
    }

    private void deleteFiles() throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                if (!file.equals(directory)) {
                    Files.delete(file);
                }
            }
        }
    }
}
