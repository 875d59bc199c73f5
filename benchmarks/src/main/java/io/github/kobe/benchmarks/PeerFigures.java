package io.github.kobe.benchmarks;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** This library beside each of the {@link Peer}s, in each {@link PeerScenario} that it has a way to take part in. */
final class PeerFigures {

    private static final PeerScenario[] SCENARIOS = PeerScenario.values();
    private static final String NONE = "-";
    private static final String NO_RESULT = "no result";
    private static final int PATIENCE_SECONDS = 20; // all is over in a second or two

    private PeerFigures() {}

    static Findings measure(Effort effort) throws InterruptedException {
        Map<Peer, List<String>> ratios = emptyLines();
        Map<Peer, List<String>> absolute = emptyLines();
        List<String> ours = new ArrayList<>(List.of("this library"));
        List<String> head = new ArrayList<>(List.of("instead of this library"));
        for (PeerScenario scenario : SCENARIOS) {
            Fork fork = Fork.run(
                    effort.of(2, 1),
                    PeerFigures.class,
                    warmups(scenario, effort),
                    rounds(scenario, effort),
                    scenario.ordinal());
            head.add(scenario.title());
            ours.add(scenario.unit().text(fork.spread(Library.NAME)));
            for (Peer peer : Peer.values()) {
                if (!scenario.peers().contains(peer) || !fork.has(peer.name())) {
                    String text = scenario.peers().contains(peer) ? NO_RESULT : NONE;
                    line(ratios, peer).add(text);
                    line(absolute, peer).add(text);
                } else {
                    line(ratios, peer).add(Unit.TIMES.text(fork.ratio(peer.name(), peer.rival())));
                    line(absolute, peer).add(scenario.unit().text(fork.spread(peer.name())));
                }
            }
        }
        fanOut(effort, head, ours, ratios, absolute);
        List<List<String>> costs = new ArrayList<>(List.of(ours));
        costs.addAll(absolute.values());
        return new Findings(
                List.of(),
                List.of(
                        new Table(
                                "What the others cost, in times of what this library costs: above 1 it is the better one",
                                head,
                                List.copyOf(ratios.values()),
                                List.of(
                                        "Medians of ratios taken round by round, with the middle half of the rounds in brackets. "
                                                + "camellia-tools is compared with `IsolationExecutor`, the others with `GroupExecutor`, "
                                                + "jox with `ThreadScope`. \"No result\": in at least one fork not all tasks had ended after "
                                                + PATIENCE_SECONDS + " s, or more than the limit ran at once.")),
                        new Table("The same in absolute terms, for a task or a call", head, costs, List.of())),
                Map.of());
    }

    private static Map<Peer, List<String>> emptyLines() {
        Map<Peer, List<String>> lines = new EnumMap<>(Peer.class);
        for (Peer peer : Peer.values()) {
            lines.put(peer, new ArrayList<>(List.of(peer.title())));
        }
        return lines;
    }

    private static List<String> line(Map<Peer, List<String>> lines, Peer peer) {
        return lines.getOrDefault(peer, List.of());
    }

    private static void fanOut(
            Effort effort,
            List<String> head,
            List<String> ours,
            Map<Peer, List<String>> ratios,
            Map<Peer, List<String>> absolute)
            throws InterruptedException {
        Fork fork = Fork.run(effort.of(3, 1), FanOut.class, effort.of(10, 4), effort.of(15, 5));
        head.add(FanOut.TITLE);
        ours.add(Unit.NANOS.text(fork.spread(Library.NAME)));
        for (Peer peer : Peer.values()) {
            boolean in = peer == Peer.JOX;
            line(ratios, peer).add(in ? Unit.TIMES.text(fork.ratio(peer.name(), Library.NAME)) : NONE);
            line(absolute, peer).add(in ? Unit.NANOS.text(fork.spread(peer.name())) : NONE);
        }
    }

    private static int warmups(PeerScenario scenario, Effort effort) {
        return switch (scenario) {
            case MANY_GROUPS, LONG_LINE, CALL -> effort.of(4, 2);
            case CROWDED_CALL -> 1;
            case LIGHT_TENANT, WAITING_HEAP -> effort.of(1, 0);
        };
    }

    private static int rounds(PeerScenario scenario, Effort effort) {
        return switch (scenario) {
            case MANY_GROUPS, LONG_LINE, CALL -> effort.of(6, 2);
            case CROWDED_CALL -> effort.of(4, 1);
            case LIGHT_TENANT, WAITING_HEAP -> effort.of(2, 1);
        };
    }

    /** One fork: warm-up rounds, rounds, which scenario. */
    public static void main(String[] args) throws InterruptedException {
        Await.setPatience(PATIENCE_SECONDS);
        SCENARIOS[Integer.parseInt(args[2])].run(Integer.parseInt(args[0]), Integer.parseInt(args[1]));
        System.exit(0); // camellia-tools leaves threads behind, and so does what was left out
    }
}
