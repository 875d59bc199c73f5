package io.github.kobe.examples.metrics;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.RejectionPolicy;
import io.github.kobe.micrometer.GroupExecutorMetrics;
import io.github.kobe.micrometer.GroupTags;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** A service whose tenants share eight permits. It serves its metrics at /metrics and the dashboard at /dashboard, on the loopback interface only. */
public final class MetricsService implements AutoCloseable {

    /** How many tasks a tenant submits a second, and how long each takes. */
    private record Tenant(String key, int tasksPerSecond, Duration work) {}

    private static final List<Tenant> TENANTS = List.of(
            new Tenant("acme", 150, Duration.ofMillis(40)), // more than its four permits can do
            new Tenant("initech", 4, Duration.ofMillis(900)),
            new Tenant("globex", 5, Duration.ofMillis(20)));

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder()
            .name("requests")
            .globalMaxInFlight(8)
            .defaultMaxConcurrencyPerGroup(4)
            .defaultQueueThresholdPerGroup(50)
            .rejectionPolicy(RejectionPolicy.DISCARD)
            .build());
    private final GroupExecutorMetrics metrics = GroupExecutorMetrics.builder(executor)
            .groupTags(GroupTags.first(50))
            .timers(true)
            .build();
    private final ScheduledExecutorService load = Executors.newSingleThreadScheduledExecutor();
    private final HttpServer server;

    private MetricsService(HttpServer server) {
        this.server = server;
    }

    /** @param port 0 for any free port */
    static MetricsService start(int port) throws IOException {
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        MetricsService service = new MetricsService(HttpServer.create(address, 0));
        service.metrics.bindTo(service.registry);
        service.server.createContext(
                "/metrics", exchange -> reply(exchange, "text/plain; version=0.0.4", service.registry.scrape()));
        service.server.createContext("/dashboard", exchange -> reply(exchange, "application/json", dashboard()));
        service.server.start();
        TENANTS.forEach(service::submitRegularly);
        return service;
    }

    private void submitRegularly(Tenant tenant) {
        var unused = load.scheduleAtFixedRate(
                () -> executor.submit(tenant.key, "request", () -> {
                    Thread.sleep(tenant.work);
                    return true;
                }),
                0,
                TimeUnit.SECONDS.toMicros(1) / tenant.tasksPerSecond,
                TimeUnit.MICROSECONDS);
    }

    private static void reply(HttpExchange exchange, String type, String text) throws IOException {
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        try (exchange) {
            exchange.getResponseHeaders().set("Content-Type", type);
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
        }
    }

    /** The dashboard is in the jar of group-concurrency-micrometer. */
    private static String dashboard() throws IOException {
        try (InputStream json = Objects.requireNonNull(
                GroupExecutorMetrics.class.getResourceAsStream("grafana-dashboard.json"), "no dashboard in the jar")) {
            return new String(json.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** Returns the address of the metrics. */
    URI metricsAddress() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/metrics");
    }

    @Override
    public void close() {
        load.shutdownNow();
        server.stop(0);
        metrics.close();
        executor.close();
    }

    /** Arguments: [--port N] [--seconds N] [--picture FILE]. */
    public static void main(String[] args) throws Exception {
        int port = Integer.parseInt(argument(args, "--port", "9400"));
        int seconds = Integer.parseInt(argument(args, "--seconds", "300"));
        String picture = argument(args, "--picture", "");
        try (MetricsService service = start(port)) {
            System.out.println(service.metricsAddress() + ", for " + seconds + " s");
            DashboardPicture drawing = new DashboardPicture(service.metricsAddress());
            for (int i = 0; i < seconds; i++) {
                Thread.sleep(Duration.ofSeconds(1));
                if (!picture.isEmpty()) {
                    drawing.scrape();
                }
            }
            if (!picture.isEmpty()) {
                Files.writeString(Path.of(picture), drawing.svg());
            }
        }
    }

    private static String argument(String[] args, String name, String otherwise) {
        int at = List.of(args).indexOf(name);
        return at < 0 || at + 1 == args.length ? otherwise : args[at + 1];
    }
}
