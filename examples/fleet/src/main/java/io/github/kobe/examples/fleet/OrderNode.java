package io.github.kobe.examples.fleet;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.fleet.Fleet;
import io.github.kobe.fleet.FleetGroupStats;
import io.github.kobe.redis.RedisStore;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** One JVM of the service. All its settings are those of a service, but for the short TTL and {@code founding}. */
final class OrderNode {

    static final String TENANT = "acme";
    static final int LIMIT = 10;

    private static final int CLIENTS = 8;

    private OrderNode() {}

    public static void main(String[] args) throws Exception {
        int number = Integer.parseInt(args[0]);
        TaskCount count = TaskCount.open(Path.of(args[2]));
        Thread.ofPlatform().daemon().start(OrderNode::endWithTheParent);

        try (Fleet fleet = Fleet.builder("orders", RedisStore.at(args[1]))
                .node(FleetExample.nameOf(number))
                .ttl(FleetExample.TTL)
                .founding(true) // the server has just been started, so it has lost nothing
                .join()) {
            GroupPolicy policy = GroupPolicy.builder()
                    .defaultMaxConcurrencyPerGroup(LIMIT) // of all nodes together
                    .fleet(fleet)
                    .build();
            try (GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(policy)) {
                for (int client = 0; client < CLIENTS; client++) {
                    Thread.startVirtualThread(() -> {
                        while (true) {
                            executor.submit(TENANT, "order", () -> order(number, count))
                                    .join();
                        }
                    });
                }
                while (true) {
                    report(fleet.groupStats(TENANT));
                    Thread.sleep(Duration.ofMillis(50));
                }
            }
        }
    }

    private static String order(int number, TaskCount count) throws InterruptedException {
        count.begin(number);
        try {
            Thread.sleep(Duration.ofMillis(20)); // a call to a system that stands no more than ten at once
            return "ordered";
        } finally {
            count.end(number);
        }
    }

    private static void report(Optional<FleetGroupStats> group) {
        System.out.println(group.map(acme -> acme.held() + " " + acme.wanted()).orElse("0 0"));
    }

    /** The parent may have been killed. */
    private static void endWithTheParent() {
        try {
            while (System.in.read() >= 0) {
                // nobody writes
            }
        } catch (IOException e) {
            // as if it had ended
        }
        Runtime.getRuntime().halt(0);
    }
}
