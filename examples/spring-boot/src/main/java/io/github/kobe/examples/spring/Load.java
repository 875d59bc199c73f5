package io.github.kobe.examples.spring;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** Sends requests of three tenants at the same time, and prints what each of them got. Arguments: [address] [seconds]. */
public final class Load {

    /** How many clients of a tenant send requests, one after the other. */
    private record Tenant(String name, int clients) {}

    private static final List<Tenant> TENANTS =
            List.of(new Tenant("acme", 40), new Tenant("globex", 2), new Tenant("initech", 10));

    private static final List<String> PATHS = List.of("GET /orders", "GET /prices/today", "POST /reports");

    private final HttpClient client = HttpClient.newHttpClient();
    private final URI address;

    /** By tenant and path, then by status. */
    private final Map<String, Map<Integer, LongAdder>> answers = new ConcurrentHashMap<>();

    Load(URI address) {
        this.address = address;
    }

    /** Sends requests for this time, and returns a table of the answers. */
    String run(Duration time) throws InterruptedException {
        long end = System.nanoTime() + time.toNanos();
        List<Thread> clients = new ArrayList<>();
        for (Tenant tenant : TENANTS) {
            for (int i = 0; i < tenant.clients; i++) {
                clients.add(Thread.ofVirtual().start(() -> sendUntil(end, tenant.name)));
            }
        }
        for (Thread thread : clients) {
            thread.join();
        }
        return table();
    }

    private void sendUntil(long end, String tenant) {
        try {
            for (int i = 0; System.nanoTime() < end; i++) {
                String path = PATHS.get(i % PATHS.size());
                int status = send(path.split(" "), tenant);
                answers.computeIfAbsent(tenant + " " + path, key -> new ConcurrentHashMap<>())
                        .computeIfAbsent(status, key -> new LongAdder())
                        .increment();
            }
        } catch (IOException e) {
            throw new IllegalStateException("no answer from " + address, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private int send(String[] methodAndPath, String tenant) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(address.resolve(methodAndPath[1]))
                .method(methodAndPath[0], BodyPublishers.noBody())
                .header("X-Tenant", tenant)
                .build();
        return client.send(request, BodyHandlers.discarding()).statusCode();
    }

    private String table() {
        StringBuilder text = new StringBuilder(String.format("%-26s %7s %12s%n", "", "served", "refused"));
        new TreeMap<>(answers).forEach((row, statuses) -> {
            Map<Integer, LongAdder> refused = new TreeMap<>(statuses);
            LongAdder served = refused.remove(200);
            text.append(String.format(
                    "%-26s %7d %12s%n", row, served == null ? 0 : served.sum(), refused.isEmpty() ? "" : refused));
        });
        return text.toString();
    }

    public static void main(String[] args) throws InterruptedException {
        URI address = URI.create(args.length > 0 ? args[0] : "http://127.0.0.1:8080");
        int seconds = args.length > 1 ? Integer.parseInt(args[1]) : 5;
        System.out.print(new Load(address).run(Duration.ofSeconds(seconds)));
    }
}
