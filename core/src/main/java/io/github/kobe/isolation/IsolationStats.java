package io.github.kobe.isolation;

import io.github.kobe.TaskCounts;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * An executor as it is now, and what it has done so far. The parts are read one after the other while tasks come and go, so they
 * need not belong to one instant.
 *
 * @param maxConcurrency the budget
 * @param running tasks that run
 * @param queued tasks that wait
 * @param reserve places that are for quick work now, in use or not; the others may not have the last ones of them
 * @param lanes every lane
 * @param keys every key that is remembered
 * @param decisions the latest decisions, oldest first
 * @param counts how tasks ended
 */
public record IsolationStats(
        int maxConcurrency,
        int running,
        int queued,
        int reserve,
        Map<Lane, LaneStats> lanes,
        Map<String, KeyStats> keys,
        List<Decision> decisions,
        TaskCounts counts) {

    /** Copies what can be changed. */
    public IsolationStats {
        lanes = Map.copyOf(new EnumMap<>(lanes));
        keys = Map.copyOf(keys);
        decisions = List.copyOf(decisions);
    }

    /** One lane. */
    public LaneStats lane(Lane lane) {
        LaneStats found = lanes.get(lane);
        if (found == null) {
            throw new IllegalArgumentException("lane must be one of " + lanes.keySet() + ", but is " + lane);
        }
        return found;
    }

    /** For people, such as "12/50 running, 3 queued, reserve 8 | FAST 7, SLOW 5 | 120 submitted, 105 ok". */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder()
                .append(running)
                .append('/')
                .append(maxConcurrency)
                .append(" running, ")
                .append(queued)
                .append(" queued, reserve ")
                .append(reserve);
        String separator = " | ";
        for (Map.Entry<Lane, LaneStats> lane : new EnumMap<>(lanes).entrySet()) {
            if (lane.getValue().running() > 0) {
                text.append(separator)
                        .append(lane.getKey())
                        .append(' ')
                        .append(lane.getValue().running());
                separator = ", ";
            }
        }
        return text.append(" | ").append(counts).toString();
    }
}
