package io.github.kobe.benchmarks;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** This library beside each of the {@link Peer}s, in each {@link PeerScenario} that it has a way to take part in. */
final class PeerFigures {

    private static final PeerScenario[] SCENARIOS = PeerScenario.values();
    private static final String NONE = "-";
    private static final String NO_RESULT = "no result";

    private PeerFigures() {}

    static Findings measure(Effort effort) throws InterruptedException {
        Map<String, List<String>> ratios = emptyLines();
        Map<String, List<String>> absolute = emptyLines();
        List<String> ours = new ArrayList<>(List.of("this library"));
        List<String> head = new ArrayList<>(List.of("instead of this library"));
        for (PeerScenario scenario : SCENARIOS) {
            Fork fork = Fork.run(
                    effort.of(2, 1),
                    PeerFigures.class,
                    warmups(scenario, effort),
                    rounds(scenario, effort),
                    scenario.ordinal(),
                    patienceSeconds(effort));
            head.add(scenario.title());
            ours.add(scenario.unit().text(fork.spread(Library.NAME)));
            for (Peer peer : scenario.peers()) {
                boolean has = fork.has(peer.name());
                line(ratios, peer.title())
                        .add(has ? Unit.TIMES.text(fork.ratio(peer.name(), peer.rival())) : NO_RESULT);
                line(absolute, peer.title()).add(has ? scenario.unit().text(fork.spread(peer.name())) : NO_RESULT);
            }
            fillUp(ratios, head.size());
            fillUp(absolute, head.size());
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
                                                + patienceSeconds(effort) + " s, or more than the limit ran at once.")),
                        new Table("The same in absolute terms, for a task or a call", head, costs, List.of())),
                Map.of());
    }

    /** One for each peer, which so far has its title only. */
    private static Map<String, List<String>> emptyLines() {
        Map<String, List<String>> lines = new LinkedHashMap<>();
        for (Peer peer : Peer.values()) {
            lines.put(peer.title(), new ArrayList<>(List.of(peer.title())));
        }
        lines.put(FanOut.PEER, new ArrayList<>(List.of(FanOut.PEER)));
        return lines;
    }

    private static List<String> line(Map<String, List<String>> lines, String title) {
        return lines.getOrDefault(title, List.of());
    }

    /** Who took no part in the last column. */
    private static void fillUp(Map<String, List<String>> lines, int columns) {
        lines.values().stream().filter(line -> line.size() < columns).forEach(line -> line.add(NONE));
    }

    private static void fanOut(
            Effort effort,
            List<String> head,
            List<String> ours,
            Map<String, List<String>> ratios,
            Map<String, List<String>> absolute)
            throws InterruptedException {
        Fork fork = Fork.run(effort.of(3, 1), FanOut.class, effort.of(10, 4), effort.of(15, 5));
        head.add(FanOut.TITLE);
        ours.add(Unit.NANOS.text(fork.spread(Library.NAME)));
        line(ratios, FanOut.PEER).add(Unit.TIMES.text(fork.ratio(FanOut.PEER, Library.NAME)));
        line(absolute, FanOut.PEER).add(Unit.NANOS.text(fork.spread(FanOut.PEER)));
        fillUp(ratios, head.size());
        fillUp(absolute, head.size());
    }

    /** All is over in a second or two. */
    private static int patienceSeconds(Effort effort) {
        return effort.of(20, 4);
    }

    private static int warmups(PeerScenario scenario, Effort effort) {
        return switch (scenario) {
            case MANY_GROUPS, LONG_LINE, CALL -> effort.of(4, 1);
            case CROWDED_CALL -> 1;
            case LIGHT_TENANT, WAITING_HEAP -> effort.of(1, 0);
        };
    }

    private static int rounds(PeerScenario scenario, Effort effort) {
        return switch (scenario) {
            case MANY_GROUPS, LONG_LINE, CALL -> effort.of(6, 1);
            case CROWDED_CALL -> effort.of(4, 1);
            case LIGHT_TENANT, WAITING_HEAP -> effort.of(2, 1);
        };
    }

    /** One fork: warm-up rounds, rounds, which scenario, and for how many seconds to wait for what may never end. */
    public static void main(String[] args) throws InterruptedException {
        Await.setPatience(Integer.parseInt(args[3]));
        SCENARIOS[Integer.parseInt(args[2])].run(Integer.parseInt(args[0]), Integer.parseInt(args[1]));
        System.exit(0); // camellia-tools leaves threads behind, and so does what was left out
    }
}
