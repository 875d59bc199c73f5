package io.github.kobe.benchmarks;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Compares this library with each {@link Peer} in each {@link PeerWorkload} that the peer supports. */
final class PeerComparison {

    private static final PeerWorkload[] WORKLOADS = PeerWorkload.values();
    private static final String NOT_SUPPORTED = "-";
    private static final String NO_RESULT = "no result";

    /** The columns of both tables so far. Each line starts with the name of a peer. */
    private static final class Tables {
        private final List<String> ratioHead = new ArrayList<>(List.of("peer"));
        private final List<String> costHead = new ArrayList<>(List.of("peer"));
        private final List<String> libraryCosts = new ArrayList<>(List.of("this library"));
        private final Map<String, List<String>> ratios = emptyLines();
        private final Map<String, List<String>> costs = emptyLines();

        private static Map<String, List<String>> emptyLines() {
            Map<String, List<String>> lines = new LinkedHashMap<>();
            for (Peer peer : Peer.values()) {
                lines.put(peer.title(), new ArrayList<>(List.of(peer.title())));
            }
            lines.put(FanOut.PEER, new ArrayList<>(List.of(FanOut.PEER)));
            return lines;
        }

        void startColumn(String title, Unit unit, Quartiles libraryCost) {
            ratioHead.add(title);
            costHead.add(title + " (" + unit.description() + ")");
            libraryCosts.add(unit.format(libraryCost));
        }

        void add(String peer, String ratio, String cost) {
            ratios.getOrDefault(peer, List.of()).add(ratio);
            costs.getOrDefault(peer, List.of()).add(cost);
        }

        /** Fills the cells of peers that do not support the workload. */
        void finishColumn() {
            Stream.concat(ratios.values().stream(), costs.values().stream())
                    .filter(line -> line.size() < ratioHead.size())
                    .forEach(line -> line.add(NOT_SUPPORTED));
        }
    }

    private PeerComparison() {}

    static ChapterResult measure(RunLength length) throws InterruptedException {
        Tables tables = new Tables();
        for (PeerWorkload workload : WORKLOADS) {
            Fork fork = Fork.run(
                    length.pick(2, 1),
                    PeerComparison.class,
                    warmups(workload, length),
                    rounds(workload, length),
                    workload.ordinal(),
                    timeoutSeconds(length));
            Unit unit = workload.unit();
            tables.startColumn(workload.title(), unit, fork.quartiles(GroupExecutorAdapter.NAME));
            for (Peer peer : workload.peers()) {
                boolean measured = fork.has(peer.name());
                tables.add(
                        peer.title(),
                        measured ? Unit.COST_RATIO.format(fork.ratio(peer.name(), peer.counterpart())) : NO_RESULT,
                        measured ? unit.format(fork.quartiles(peer.name())) : NO_RESULT);
            }
            tables.finishColumn();
        }
        addFanOut(tables, length);
        List<List<String>> costs = new ArrayList<>(List.of(tables.libraryCosts));
        costs.addAll(tables.costs.values());
        return new ChapterResult(
                List.of(),
                List.of(
                        new Table(
                                "Cost of a peer divided by the cost of this library (x, above 1: this library is better)",
                                tables.ratioHead,
                                List.copyOf(tables.ratios.values()),
                                List.of(
                                        "Medians of ratios computed within each round, with the middle half of the rounds in brackets. "
                                                + "camellia-tools is compared with `IsolationExecutor`, jox with `ThreadScope`, the others "
                                                + "with `GroupExecutor`. \"-\": the peer does not support the workload. \"No result\": in "
                                                + "at least one JVM not all tasks completed within "
                                                + timeoutSeconds(length)
                                                + " s, or more tasks than the limit ran at the same time.")),
                        new Table("Absolute cost of a task or a call", tables.costHead, costs, List.of())),
                Map.of());
    }

    static List<LibraryWorkload> libraryWorkloads(RunLength length) {
        return Stream.concat(
                        Stream.of(WORKLOADS).map(PeerWorkload::libraryWorkload), Stream.of(FanOut.libraryWorkload()))
                .toList();
    }

    private static void addFanOut(Tables tables, RunLength length) throws InterruptedException {
        Fork fork = Fork.run(length.pick(3, 1), FanOut.class, length.pick(10, 4), length.pick(15, 5));
        tables.startColumn(FanOut.TITLE, Unit.NANOS, fork.quartiles(FanOut.THREAD_SCOPE));
        tables.add(
                FanOut.PEER,
                Unit.COST_RATIO.format(fork.ratio(FanOut.PEER, FanOut.THREAD_SCOPE)),
                Unit.NANOS.format(fork.quartiles(FanOut.PEER)));
        tables.finishColumn();
    }

    /** A round normally takes a second or two. */
    private static int timeoutSeconds(RunLength length) {
        return length.pick(20, 4);
    }

    private static int warmups(PeerWorkload workload, RunLength length) {
        return switch (workload) {
            case MANY_GROUPS, LONG_QUEUE, CALL -> length.pick(4, 1);
            case CONTENDED_CALL -> 1;
            case LIGHT_TENANT, QUEUED_HEAP -> length.pick(1, 0);
        };
    }

    private static int rounds(PeerWorkload workload, RunLength length) {
        return switch (workload) {
            case MANY_GROUPS, LONG_QUEUE, CALL -> length.pick(6, 1);
            case CONTENDED_CALL -> length.pick(4, 1);
            case LIGHT_TENANT, QUEUED_HEAP -> length.pick(2, 1);
        };
    }

    /** The forked JVM. Arguments: warm-up rounds, rounds, the workload, the timeout in seconds. */
    public static void main(String[] args) throws InterruptedException {
        Await.setTimeout(Integer.parseInt(args[3]));
        WORKLOADS[Integer.parseInt(args[2])].run(Integer.parseInt(args[0]), Integer.parseInt(args[1]));
        System.exit(0); // camellia-tools and dropped candidates leave threads behind
    }
}
