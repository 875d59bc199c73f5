package io.github.kobe.soak;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Checks the order in which tasks start. An instance checks one queue with one permit and one submitter, while tasks are submitted. The
 * static methods check a recorded order. There, all tasks were queued before the first of them started.
 */
final class OrderChecker {

    /** The most rounds of another group that a group waits for, by the contract of the weighted round robin. */
    private static final int MAX_ROUNDS = 2;

    /** A queued task: its priority and its position in submission order. */
    record Queued(int priority, int position) {}

    private final CheckRecorder recorder;
    private final String name;
    private final Map<Integer, Long> lastStarted = new ConcurrentHashMap<>();

    OrderChecker(CheckRecorder recorder, String name) {
        this.recorder = recorder;
        this.name = name;
    }

    /** Called when a task starts. Tasks of equal priority must start in the order of their operation ids. */
    void taskStarted(int priority, long opId) {
        Long previous = lastStarted.put(priority, opId);
        recorder.check(
                Check.SUBMISSION_ORDER,
                previous == null || previous < opId,
                opId,
                () -> name + ", priority " + priority + ": " + opId + " started after " + previous);
    }

    /** Checks that higher priorities started first, and equal priorities in submission order. */
    static void checkPriorities(CheckRecorder recorder, String name, List<Queued> started) {
        for (int i = 1; i < started.size(); i++) {
            Queued first = started.get(i - 1);
            Queued second = started.get(i);
            recorder.check(
                    Check.PRIORITY_ORDER,
                    first.priority() > second.priority()
                            || (first.priority() == second.priority() && first.position() < second.position()),
                    0,
                    () -> name + " started " + first + " before " + second);
        }
    }

    /**
     * Checks the round robin between groups.
     *
     * @param started the groups of the tasks, in the order in which the tasks started; each group has the same number of tasks
     */
    static void checkRoundRobin(
            CheckRecorder recorder, String name, List<String> started, Map<String, Integer> weights) {
        for (String waiting : weights.keySet()) {
            Map<String, Integer> startsOfOthers = new HashMap<>();
            for (String group : started) {
                if (!group.equals(waiting)) {
                    startsOfOthers.merge(group, 1, Integer::sum);
                    continue;
                }
                startsOfOthers.forEach((other, starts) -> recorder.check(
                        Check.FAIR_ROUND_ROBIN,
                        starts <= MAX_ROUNDS * weights.getOrDefault(other, 1),
                        0,
                        () -> name + ": '" + waiting + "' waited for " + starts + " starts of '" + other + "', weights "
                                + weights));
                startsOfOthers.clear();
            }
        }
    }
}
