package io.github.kobe.redis;

import io.github.kobe.fleet.Claim;
import io.github.kobe.fleet.FleetReply;
import io.github.kobe.fleet.FleetRequest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * Makes up calls as nodes make them, and some that they should not make: late, duplicated, out of date, of sessions that are gone. Learns from the answers, so that most calls
 * are meaningful.
 */
final class RandomCalls {

    /** Names that a store could get wrong. */
    static final List<String> GROUPS =
            List.of("", "acme", "b b", "line\nbreak", "größe/漢字/😀", "~0123", "s:x", "a:b{c}", "0");

    private static final long[] TTLS = {8, 100, 1000, 1001, 4000};

    private final Random random;
    private final List<Node> nodes = new ArrayList<>();
    private int sessions;
    private String incarnation = "none";
    private String olderIncarnation = "older";
    private String expired = "";
    private List<String> reapable = List.of();
    private long version;

    /** What a node knows. */
    private static final class Node {
        String session = "";
        long seq;
        final int[] granted = new int[GROUPS.size()];
    }

    RandomCalls(long seed) {
        random = new Random(seed);
        for (int i = 0; i < 5; i++) {
            nodes.add(new Node());
        }
    }

    /** Returns by how many milliseconds the time of the server goes on before the next call. */
    long timeStep() {
        return switch (random.nextInt(40)) {
            case 0 -> random.nextInt(20_000);
            case 1 -> -random.nextInt(5_000);
            case 2, 3, 4, 5 -> random.nextInt(400);
            default -> random.nextInt(20);
        };
    }

    boolean losesData() {
        return random.nextInt(300) == 0;
    }

    boolean restarts() {
        return random.nextInt(200) == 0;
    }

    FleetRequest next() {
        Node node = nodes.get(random.nextInt(nodes.size()));
        if (node.session.isEmpty() || random.nextInt(40) == 0) {
            return hello(node);
        }
        return switch (random.nextInt(30)) {
            case 0 -> new FleetRequest.Bye(node.session, seq(node), someIncarnation());
            case 1, 2 -> new FleetRequest.Reap(someIncarnation(), someSession(), someGroups());
            case 3 -> new FleetRequest.Reap(incarnation, expired.isEmpty() ? "nobody" : expired, reapable);
            case 4, 5 -> configure();
            case 6 ->
                new FleetRequest.Look(
                        nodes.stream()
                                .map(n -> n.session)
                                .filter(s -> !s.isEmpty())
                                .distinct()
                                .toList(),
                        someGroups());
            default -> exchange(node);
        };
    }

    private FleetRequest hello(Node node) {
        if (node.session.isEmpty() || random.nextInt(3) == 0) {
            node.session = "s" + ++sessions + "-" + Integer.toHexString(random.nextInt(4096));
            node.seq = 0;
        }
        return new FleetRequest.Hello(
                node.session,
                seq(node),
                "node " + nodes.indexOf(node),
                TTLS[random.nextInt(TTLS.length)],
                random.nextInt(3) == 0 ? random.nextInt(500) : 0,
                random.nextInt(50) == 0 ? 2 : 1,
                random.nextBoolean());
    }

    private FleetRequest exchange(Node node) {
        List<Claim> claims = new ArrayList<>();
        for (String group : someGroups()) {
            int held = node.granted[GROUPS.indexOf(group)];
            int keep = random.nextInt(12) == 0 ? random.nextInt(15) : random.nextInt(held + 1);
            int used = random.nextInt(8) == 0 ? random.nextInt(15) : random.nextInt(keep + 1);
            int wanted = random.nextInt(4) == 0 ? 0 : random.nextInt(14);
            int limit = random.nextInt(10) == 0 ? Integer.MAX_VALUE - random.nextInt(3) : 1 + random.nextInt(12);
            long of = random.nextInt(20) == 0 ? Long.MAX_VALUE - random.nextInt(3) : random.nextInt(3);
            if (random.nextInt(50) == 0) {
                wanted = Integer.MAX_VALUE;
            }
            int known = random.nextInt(3) == 0 ? keep : Math.max(keep, held);
            claims.add(new Claim(group, limit, of, known, keep, used, wanted));
        }
        return new FleetRequest.Exchange(node.session, seq(node), someIncarnation(), claims);
    }

    private FleetRequest configure() {
        boolean limit = random.nextBoolean();
        long value = random.nextInt(3) == 0 ? FleetRequest.UNSET : limit ? 1 + random.nextInt(12) : random.nextInt(2);
        long of = random.nextInt(5) == 0 ? random.nextInt(5) : ++version;
        return new FleetRequest.Configure(
                GROUPS.get(random.nextInt(GROUPS.size())),
                limit ? FleetRequest.Setting.LIMIT : FleetRequest.Setting.PAUSED,
                value,
                of);
    }

    private long seq(Node node) {
        return switch (random.nextInt(20)) {
            case 0 -> Math.max(0, node.seq - random.nextInt(3)); // late or duplicated
            case 1 -> node.seq += 1L << random.nextInt(50);
            default -> ++node.seq;
        };
    }

    private String someIncarnation() {
        return random.nextInt(40) == 0 ? olderIncarnation : incarnation;
    }

    private String someSession() {
        String session = nodes.get(random.nextInt(nodes.size())).session;
        return session.isEmpty() || random.nextInt(10) == 0 ? "nobody" : session;
    }

    private List<String> someGroups() {
        List<String> groups = new ArrayList<>(GROUPS);
        Collections.shuffle(groups, random);
        return groups.subList(0, random.nextInt(5));
    }

    /** Learns from an answer. */
    void answered(FleetRequest request, FleetReply reply) {
        switch (reply) {
            case FleetReply.Joined joined -> {
                if (!joined.incarnation().equals(incarnation)) {
                    olderIncarnation = incarnation;
                    incarnation = joined.incarnation();
                }
            }
            case FleetReply.Exchanged exchanged -> {
                expired = exchanged.expired();
                for (Node node : nodes) {
                    if (node.session.equals(((FleetRequest.Exchange) request).session())) {
                        exchanged.grants().forEach(g -> node.granted[GROUPS.indexOf(g.group())] = g.granted());
                    }
                }
            }
            case FleetReply.Rejoin rejoin -> {
                for (Node node : nodes) {
                    if (request instanceof FleetRequest.Exchange e
                            && e.session().equals(node.session)
                            && random.nextInt(3) > 0) {
                        node.session = "";
                    }
                }
            }
            case FleetReply.Reaped reaped -> {
                reapable = reaped.groups();
                if (request instanceof FleetRequest.Bye bye) {
                    expired = bye.session();
                }
            }
            case FleetReply.Configured configured -> version = Math.max(version, configured.version());
            default -> {}
        }
    }
}
