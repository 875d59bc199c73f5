package io.github.kobe.soak;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Who may start before whom, when all were in line before the first started. */
final class Lineup {

    /** How many rounds of another group one may have to wait, by the contract of taking turns. */
    private static final int ROUNDS = 2;

    private Lineup() {}

    /** @param started priority and number of each, in the order in which they started */
    static void checkPriorities(Recorder recorder, String name, List<int[]> started) {
        for (int i = 1; i < started.size(); i++) {
            int[] before = started.get(i - 1);
            int[] after = started.get(i);
            recorder.check(
                    Check.PRIORITY_ORDER,
                    before[0] > after[0] || (before[0] == after[0] && before[1] < after[1]),
                    0,
                    () -> name + " started number " + before[1] + " of priority " + before[0] + " before number "
                            + after[1] + " of priority " + after[0]);
        }
    }

    /** @param started the groups, in the order in which their tasks started; all have the same number */
    static void checkTurns(Recorder recorder, String name, List<String> started, Map<String, Integer> weights) {
        for (String waiting : weights.keySet()) {
            Map<String, Integer> meanwhile = new HashMap<>();
            for (String group : started) {
                if (!group.equals(waiting)) {
                    meanwhile.merge(group, 1, Integer::sum);
                    continue;
                }
                meanwhile.forEach((other, starts) -> recorder.check(
                        Check.FAIR_ROUND_ROBIN,
                        starts <= ROUNDS * weights.getOrDefault(other, 1),
                        0,
                        () -> name + ": '" + waiting + "' waited for " + starts + " starts of '" + other + "', weights "
                                + weights));
                meanwhile.clear();
            }
        }
    }
}
