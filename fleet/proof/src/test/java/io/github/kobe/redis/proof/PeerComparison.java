package io.github.kobe.redis.proof;

import io.github.kobe.redis.proof.ProofFleet.Member;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * The same faults for a fleet and for {@code RPermitExpirableSemaphore} of Redisson: three JVMs, one Redis, tasks of 5 ms and of 800 ms, TTL and lease of 2 seconds. Prints by how much
 * the limits were exceeded, and whether every JVM goes on.
 */
final class PeerComparison {

    private static final Duration TTL = Duration.ofSeconds(2);
    private static final Duration SHORT_TTL = Duration.ofMillis(600);
    private static final String NONE_SHORT = "none, but a TTL and lease of 0.6 s";

    private static final Map<String, Class<?>> SYSTEMS = new LinkedHashMap<>();
    private static final Map<String, Consumer<ProofFleet>> FAULTS = new LinkedHashMap<>();

    static {
        SYSTEMS.put("fleet", LoadNode.class);
        SYSTEMS.put("Redisson", PeerNode.class);
        FAULTS.put("none", fleet -> pass(TTL));
        FAULTS.put(NONE_SHORT, fleet -> pass(TTL));
        FAULTS.put("kill -9 of a JVM, started again after 2 TTL", fleet -> {
            Member node = fleet.members().get(0);
            node.kill();
            pass(TTL.multipliedBy(2));
            node.startAgain();
            node.jvm().ask("load", "loaded");
        });
        FAULTS.put("SIGSTOP of a JVM for 2 TTL", fleet -> {
            Member node = fleet.members().get(0);
            node.jvm().freeze();
            pass(TTL.multipliedBy(2));
            node.jvm().thaw();
        });
        FAULTS.put("network of a JVM stands still for 2 TTL", fleet -> {
            Member node = fleet.members().get(0);
            node.proxy.hold();
            pass(TTL.multipliedBy(2));
            node.proxy.pass();
        });
        FAULTS.put("messages of a JVM are lost for 2 TTL", fleet -> {
            Member node = fleet.members().get(0);
            node.proxy.drop();
            pass(TTL.multipliedBy(2));
            node.proxy.pass();
        });
        FAULTS.put("restart of Redis, with data", fleet -> fleet.redis().restart());
        FAULTS.put("restart of Redis, without data", ProofFleet::restartWithoutData);
    }

    private PeerComparison() {}

    public static void main(String[] args) {
        System.out.printf(
                "%-46s %-10s %20s %20s   %s%n", "fault", "", "over, limit 4, 5 ms", "over, limit 3, 800 ms", "goes on");
        FAULTS.forEach((name, fault) -> SYSTEMS.forEach((system, program) -> compare(name, fault, system, program)));
        System.exit(0);
    }

    private static void compare(String name, Consumer<ProofFleet> fault, String system, Class<?> program) {
        try (ProofFleet fleet = ProofFleet.start(program, settings(name), 3)) {
            fleet.load();
            for (ProofGroup group : PeerNode.GROUPS) {
                fleet.referee().takeMax(group.ordinal());
            }
            fault.accept(fleet);
            List<String> answers = new ArrayList<>();
            fleet.members().forEach(member -> member.jvm().send("progressed"));
            fleet.members().forEach(member -> answers.add(member.jvm().await("")));
            long going = answers.stream().filter("progressed"::equals).count();
            System.out.printf(
                    "%-46s %-10s %20d %20d   %s%n",
                    name,
                    system,
                    over(fleet, ProofGroup.SMALL),
                    over(fleet, ProofGroup.SLOW),
                    going == answers.size() ? "all" : going + " of " + answers.size());
        }
    }

    private static ProofSettings settings(String name) {
        return ProofSettings.ofTtl(name.equals(NONE_SHORT) ? SHORT_TTL : TTL);
    }

    private static int over(ProofFleet fleet, ProofGroup group) {
        return Math.max(0, fleet.referee().takeMax(group.ordinal()) - group.limit);
    }

    private static void pass(Duration time) {
        long end = System.nanoTime() + time.toNanos();
        for (long left = time.toNanos(); left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }
}
