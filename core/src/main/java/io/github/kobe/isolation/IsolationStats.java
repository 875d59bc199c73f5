package io.github.kobe.isolation;

import io.github.kobe.TaskCounts;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * A snapshot of an executor, and what it has done so far. The parts are read one after the other while tasks start and complete, so they
 * need not belong to one instant.
 *
 * @param maxConcurrency the budget
 * @param running the number of running tasks
 * @param queued the number of queued tasks
 * @param reserve the number of permits that are reserved for fast keys, in use or not
 * @param lanes statistics of every lane
 * @param keys statistics of every key that is remembered
 * @param decisions the latest decisions, oldest first
 * @param counts the outcomes of tasks
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

    /** Copies the collections. */
    public IsolationStats {
        lanes = Map.copyOf(new EnumMap<>(lanes));
        keys = Map.copyOf(keys);
        decisions = List.copyOf(decisions);
    }

    /** Statistics of one lane. */
    public LaneStats lane(Lane lane) {
        LaneStats found = lanes.get(lane);
        if (found == null) {
            throw new IllegalArgumentException("lane must be one of " + lanes.keySet() + ", but is " + lane);
        }
        return found;
    }

    /** One line of text such as "12/50 running, 3 queued, reserve 8 | FAST 7, SLOW 5 | 120 submitted, 105 ok". */
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
