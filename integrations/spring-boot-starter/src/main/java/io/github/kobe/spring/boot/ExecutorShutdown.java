package io.github.kobe.spring.boot;

import io.github.kobe.ShutdownMode;
import io.github.kobe.ShutdownReport;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.springframework.format.annotation.DurationFormat;
import org.springframework.format.datetime.standard.DurationFormatterUtils;

/** Shuts down one executor or pool, and names the tasks that did not complete in the log. */
final class ExecutorShutdown {

    private static final Logger LOGGER = System.getLogger(ExecutorShutdown.class.getName());

    /** How many tasks have a line in the log. */
    private static final int MAX_NAMED = 100;

    private final String description;
    private final Supplier<Duration> period;
    private final BiFunction<Duration, ShutdownMode, ShutdownReport> shutdown;
    private volatile boolean done;

    /**
     * Creates an object that has done nothing yet.
     *
     * @param description names the executor
     * @param period how long to drain
     * @param shutdown the method of the executor
     */
    ExecutorShutdown(
            String description,
            Supplier<Duration> period,
            BiFunction<Duration, ShutdownMode, ShutdownReport> shutdown) {
        this.description = description;
        this.period = period;
        this.shutdown = shutdown;
    }

    /** Lets queued and running tasks complete, as long as the period allows. Waits for that. */
    void drain() {
        Duration time = period.get();
        report(
                shutdown.apply(time, ShutdownMode.DRAIN),
                "within " + DurationFormatterUtils.print(time, DurationFormat.Style.COMPOSITE));
        done = true;
    }

    /** Cancels all tasks, unless {@link #drain} has returned. Drains for no time: after {@link ShutdownMode#STOP} the report would not name tasks that return. */
    void stop() {
        if (!done) {
            report(shutdown.apply(Duration.ZERO, ShutdownMode.DRAIN), "before the application ended");
        }
    }

    private void report(ShutdownReport report, String when) {
        long undone = report.runningCount() + report.droppedCount();
        if (undone == 0) {
            return;
        }
        LOGGER.log(
                Level.WARNING,
                "{0}: not all tasks completed {1}; {2} running tasks were interrupted, {3} queued tasks were cancelled",
                description,
                when,
                report.runningCount(),
                report.droppedCount());
        List<String> named = Stream.concat(
                        report.running().stream().map(task -> "interrupted: " + task),
                        report.dropped().stream().map(task -> "cancelled: " + task))
                .limit(MAX_NAMED)
                .toList();
        named.forEach(task -> LOGGER.log(Level.WARNING, "{0}: {1}", description, LogText.of(task)));
        if (undone > named.size()) {
            LOGGER.log(Level.WARNING, "{0}: and {1} more", description, undone - named.size());
        }
    }
}
