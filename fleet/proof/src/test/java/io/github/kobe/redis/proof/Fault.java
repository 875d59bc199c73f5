package io.github.kobe.redis.proof;

import io.github.kobe.redis.kit.TcpProxy.Fate;
import io.github.kobe.redis.proof.ProofFleet.Member;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;

/** What can happen to a fleet. A short fault is over before a lease is; a long one lasts until the permits of the node were given to others. */
enum Fault {
    KILL_NODE("kill -9 of a node, which is started again"),
    LEAVE_AND_JOIN("a node leaves, and is started again"),
    STOP_NODE("SIGSTOP of a node, short"),
    STOP_NODE_LONG("SIGSTOP of a node, until its permits are gone"),
    STOP_STORE("SIGSTOP of the server, short"),
    STOP_STORE_LONG("SIGSTOP of the server, longer than the TTL"),
    RESTART_WITH_DATA("kill -9 and restart of the server, with its data"),
    RESTART_WITHOUT_DATA("kill -9 and restart of the server, without its data"),
    FAIL_OVER("failover to a replica that has missed writes"),
    RESET("connections of a node are reset"),
    RESET_ALL("connections of all nodes are reset"),
    REFUSE_LONG("connections of a node are refused, until its permits are gone"),
    DELAY("every message of a node is late"),
    HOLD("the network of a node stands still, short"),
    HOLD_LONG("the network of a node stands still, until its permits are gone"),
    DROP("messages of a node are lost, short"),
    DROP_LONG("messages of a node are lost, until its permits are gone"),
    DROP_REQUESTS_LONG("requests of a node are lost, until its permits are gone"),
    DROP_REPLIES_LONG("replies to a node are lost, until its permits are gone"),
    CUT_OFF_ALL_LONG("messages of all nodes are lost, longer than the TTL"),
    TIME_FORWARD("the time of the server is set forward by less than TTL/4"),
    TIME_FAR_FORWARD("the time of the server is set forward by an hour"),
    TIME_BACK("the time of the server is set back by an hour");

    private static final Duration FAR = Duration.ofHours(1);

    final String text;

    Fault(String text) {
        this.text = text;
    }

    /** The one node that a fault may silence, if it is one, with what the store counted for it while it was cut off. */
    private record Victim(Optional<Member> node, Map<ProofGroup, Integer> granted) {
        static Victim of(ProofFleet fleet, Member node) {
            Map<ProofGroup, Integer> granted = new EnumMap<>(ProofGroup.class);
            for (ProofGroup group : ProofGroup.values()) {
                granted.put(group, Math.min(group.limit, fleet.grantedTo(node, group)));
            }
            return new Victim(Optional.of(node), granted);
        }

        /** Nobody, or all. */
        static Victim none() {
            return new Victim(Optional.empty(), Map.of());
        }
    }

    /**
     * What came of a fault.
     *
     * @param lapsed how many nodes had, or may have had, no valid lease for a while
     * @param overshoot how many tasks ran beyond the limit, at most, in the group where that was most
     * @param bound what it could have been in that group: 0 if every lease was valid all the time
     * @param violations what must not have happened; empty otherwise
     */
    record Outcome(int lapsed, int overshoot, int bound, List<String> violations) {}

    /** Whether it can happen to this fleet: the time of a server cannot always be set. */
    boolean isPossible(ProofFleet fleet) {
        return !name().startsWith("TIME_") || fleet.redis().hasSettableTime();
    }

    /** Whether it lasts until it is healed, and concerns one node. */
    boolean lasts() {
        return switch (this) {
            case STOP_NODE,
                    STOP_NODE_LONG,
                    REFUSE_LONG,
                    DELAY,
                    HOLD,
                    HOLD_LONG,
                    DROP,
                    DROP_LONG,
                    DROP_REQUESTS_LONG,
                    DROP_REPLIES_LONG -> true;
            default -> false;
        };
    }

    private boolean isLong() {
        return name().endsWith("_LONG");
    }

    /** Makes it happen, heals it, waits until all nodes work again, and looks at what the referee has seen. */
    Outcome inject(ProofFleet fleet, RandomGenerator random) {
        begin(fleet);
        Member node = fleet.members().get(random.nextInt(fleet.members().size()));
        Victim victim = happen(fleet, node, brief(fleet, random));
        return end(fleet, text, List.of(victim));
    }

    /**
     * As {@link #inject}, while another fault {@link #lasts}, of another node. Needs three nodes.
     */
    Outcome injectDuring(Fault lasting, ProofFleet fleet, RandomGenerator random) {
        begin(fleet);
        List<Member> nodes = new ArrayList<>(fleet.members());
        Member first = nodes.remove(random.nextInt(nodes.size()));
        Member second = nodes.get(random.nextInt(nodes.size()));
        List<Victim> victims = new ArrayList<>();
        lasting.disturb(first, brief(fleet, random));
        try {
            victims.add(Victim.of(fleet, first));
            victims.add(happen(fleet, second, brief(fleet, random)));
            if (lasting.isLong()) {
                first.awaitForgotten();
            }
        } finally {
            lasting.heal(first);
        }
        return end(fleet, text + ", while: " + lasting.text, victims);
    }

    private static Duration brief(ProofFleet fleet, RandomGenerator random) {
        long ttl = fleet.settings().ttl().toMillis();
        return Duration.ofMillis(random.nextLong(ttl / 20, ttl / 4));
    }

    private static void begin(ProofFleet fleet) {
        fleet.awaitWithinLimits();
        fleet.members().forEach(Member::takeLapsed);
        for (ProofGroup group : ProofGroup.values()) {
            fleet.referee().takeMax(group.ordinal());
        }
    }

    private static Outcome end(ProofFleet fleet, String text, List<Victim> victims) {
        fleet.awaitRenewal();
        fleet.awaitProgress();
        fleet.awaitWithinLimits();
        int[] max = new int[ProofGroup.values().length];
        for (ProofGroup group : ProofGroup.values()) {
            max[group.ordinal()] = fleet.referee().takeMax(group.ordinal());
        }
        List<Member> lapsed =
                fleet.members().stream().filter(Member::takeLapsed).toList();
        List<String> violations = new ArrayList<>();
        int overshoot = 0;
        int bound = 0;
        for (ProofGroup group : ProofGroup.values()) {
            int seen = Math.max(0, max[group.ordinal()] - group.limit);
            int allowed = allowed(victims, lapsed, group);
            if (seen > allowed) {
                violations.add(text + ": " + max[group.ordinal()] + " tasks of " + group + " ran at once, limit "
                        + group.limit + ", and " + allowed + " more may have been of " + lapsed.size()
                        + " nodes without a lease");
            }
            if (seen > overshoot || (seen == overshoot && allowed > bound)) {
                overshoot = seen;
                bound = allowed;
            }
        }
        return new Outcome(lapsed.size(), overshoot, bound, violations);
    }

    /** The exception: a node whose lease was over keeps running what it had begun. That is no more than it had permits. */
    private static int allowed(List<Victim> victims, List<Member> lapsed, ProofGroup group) {
        int sum = 0;
        for (Member node : lapsed) {
            Optional<Victim> foreseen = victims.stream()
                    .filter(victim -> victim.node().filter(node::equals).isPresent())
                    .findFirst();
            if (foreseen.isEmpty()) {
                return victims.size() * group.limit; // with two faults, others may have lost the permits once more
            }
            sum += foreseen.get().granted().get(group);
        }
        return sum;
    }

    private Victim happen(ProofFleet fleet, Member node, Duration brief) {
        Duration ttl = fleet.settings().ttl();
        return switch (this) {
            case KILL_NODE -> {
                node.kill();
                node.awaitForgotten();
                yield startAgain(node);
            }
            case LEAVE_AND_JOIN -> {
                node.leave();
                node.awaitForgotten();
                yield startAgain(node);
            }
            case STOP_STORE, STOP_STORE_LONG -> {
                fleet.redis().freeze();
                pass(this == STOP_STORE ? brief : ttl.plus(brief));
                fleet.redis().thaw();
                yield Victim.none();
            }
            case RESTART_WITH_DATA -> {
                fleet.redis().restart();
                yield Victim.none();
            }
            case RESTART_WITHOUT_DATA -> {
                fleet.restartWithoutData();
                yield Victim.none();
            }
            case FAIL_OVER -> {
                fleet.failOver();
                yield Victim.none();
            }
            case RESET -> {
                node.proxy.reset();
                yield Victim.none();
            }
            case RESET_ALL -> {
                fleet.members().forEach(member -> member.proxy.reset());
                yield Victim.none();
            }
            case CUT_OFF_ALL_LONG -> {
                fleet.members().forEach(member -> member.proxy.drop());
                pass(ttl.plus(brief));
                fleet.members().forEach(member -> member.proxy.pass());
                yield Victim.none();
            }
            case TIME_FORWARD, TIME_FAR_FORWARD, TIME_BACK -> {
                fleet.redis().shiftTime(this == TIME_FORWARD ? brief : this == TIME_BACK ? FAR.negated() : FAR);
                pass(ttl); // once in a TTL
                yield Victim.none();
            }
            case STOP_NODE,
                    STOP_NODE_LONG,
                    REFUSE_LONG,
                    DELAY,
                    HOLD,
                    HOLD_LONG,
                    DROP,
                    DROP_LONG,
                    DROP_REQUESTS_LONG,
                    DROP_REPLIES_LONG -> {
                disturb(node, brief);
                try {
                    yield during(fleet, node, brief);
                } finally {
                    heal(node);
                }
            }
        };
    }

    private static Victim startAgain(Member node) {
        node.startAgain();
        node.jvm().ask("load", "loaded");
        node.takeLapsed();
        return Victim.none();
    }

    private void disturb(Member node, Duration brief) {
        switch (this) {
            case STOP_NODE, STOP_NODE_LONG -> node.jvm().freeze();
            case REFUSE_LONG -> node.proxy.refuse();
            case DELAY -> node.proxy.delay(brief.dividedBy(4));
            case HOLD, HOLD_LONG -> node.proxy.hold();
            case DROP, DROP_LONG -> node.proxy.drop();
            case DROP_REQUESTS_LONG -> node.proxy.set(Fate.DROP, Fate.PASS);
            case DROP_REPLIES_LONG -> node.proxy.set(Fate.PASS, Fate.DROP);
            default -> throw new AssertionError(this);
        }
    }

    private void heal(Member node) {
        if (this == STOP_NODE || this == STOP_NODE_LONG) {
            node.jvm().thaw();
        } else {
            node.proxy.pass();
        }
    }

    /** Lets a fault of one node last. */
    private Victim during(ProofFleet fleet, Member node, Duration brief) {
        Victim victim = Victim.of(fleet, node);
        if (isLong()) {
            node.awaitForgotten();
        } else {
            pass(brief);
        }
        return victim;
    }

    private static void pass(Duration time) {
        long end = System.nanoTime() + time.toNanos();
        for (long left = time.toNanos(); left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }
}
