package io.github.kobe.demo;

import java.util.List;
import java.util.stream.Collectors;

/**
 * The work that a source submits. Intervals and durations are means; the seed varies them.
 *
 * @param source the source
 * @param batchSize the number of submissions at the same time
 * @param intervalMillis the time between two batches
 * @param durationsMillis how long each call of a submission takes; a task has one
 */
record Traffic(Source source, int batchSize, double intervalMillis, List<Double> durationsMillis) {

    static Traffic tasks(Source source, int batchSize, double intervalMillis, double durationMillis) {
        return new Traffic(source, batchSize, intervalMillis, List.of(durationMillis));
    }

    /** Returns how many permits this traffic uses on average if nothing has to wait. */
    double permits() {
        double total = durationsMillis.stream().mapToDouble(Double::doubleValue).sum();
        return batchSize * total / intervalMillis;
    }

    /** Returns a description such as "60 of 100 ms every 1,500 ms". */
    String describe() {
        String durations = durationsMillis.stream().map(Format::exact).collect(Collectors.joining(", "));
        return batchSize + " of " + durations + " every " + Format.exact(intervalMillis);
    }
}
