package io.github.kobe.spring.boot;

import io.github.kobe.ShutdownMode;
import io.github.kobe.ShutdownReport;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.format.annotation.DurationFormat;
import org.springframework.format.datetime.standard.DurationFormatterUtils;
import org.springframework.scheduling.concurrent.ExecutorConfigurationSupport;

/**
 * Shuts down the executors and pools of the properties when the application context is closed: after the web server has stopped, so that requests in
 * progress can still submit tasks, and before beans are destroyed. All are drained at the same time. What does not complete in time is cancelled and
 * named in the log.
 *
 * <p>A context that is only stopped or paused may be started again, so then nothing happens.
 */
final class ExecutorLifecycle implements SmartLifecycle {

    /** Web servers and task executors have higher phases, and stop earlier. */
    static final int PHASE = ExecutorConfigurationSupport.DEFAULT_PHASE - 1024;

    private static final Logger LOGGER = System.getLogger(ExecutorLifecycle.class.getName());

    /** How many tasks of an executor have a line in the log. */
    private static final int MAX_NAMED = 100;

    /** An executor or pool. */
    private record Target(
            String description, Duration period, BiFunction<Duration, ShutdownMode, ShutdownReport> shutdown) {}

    private final ConfigurableApplicationContext context;
    private final ConfiguredExecutors executors;
    private volatile boolean running;

    ExecutorLifecycle(ConfigurableApplicationContext context, ConfiguredExecutors executors) {
        this.context = context;
        this.executors = executors;
    }

    @Override
    public void start() {
        running = true;
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }

    @Override
    public void stop() {
        running = false;
        if (context.isClosed()) {
            drain();
        }
    }

    /** Spring waits for {@code callback} for {@code spring.lifecycle.timeout-per-shutdown-phase} at most. */
    @Override
    public void stop(Runnable callback) {
        Thread.ofVirtual().name("group-concurrency-shutdown").start(() -> {
            try {
                stop();
            } finally {
                callback.run();
            }
        });
    }

    private void drain() {
        List<Thread> threads = targets()
                .map(target ->
                        Thread.ofVirtual().name("group-concurrency-shutdown").start(() -> drain(target)))
                .toList();
        for (Thread thread : threads) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return; // ConfiguredExecutors stops what is left
            }
        }
    }

    private static void drain(Target target) {
        ShutdownReport report = target.shutdown.apply(target.period, ShutdownMode.DRAIN);
        if (!report.completed()) {
            LOGGER.log(
                    Level.WARNING,
                    "{0}: not all tasks completed within {1}; {2} running tasks were interrupted, {3} queued tasks were cancelled",
                    target.description,
                    DurationFormatterUtils.print(target.period, DurationFormat.Style.COMPOSITE),
                    report.runningCount(),
                    report.droppedCount());
            List<String> names = new ArrayList<>();
            report.running().forEach(task -> names.add("interrupted: " + task));
            report.dropped().forEach(task -> names.add("cancelled: " + task));
            names.stream()
                    .limit(MAX_NAMED)
                    .forEach(name -> LOGGER.log(Level.WARNING, "{0}: {1}", target.description, LogText.of(name)));
            long more = report.runningCount() + report.droppedCount() - Math.min(MAX_NAMED, names.size());
            if (more > 0) {
                LOGGER.log(Level.WARNING, "{0}: and {1} more", target.description, more);
            }
        }
    }

    private Stream<Target> targets() {
        GroupConcurrencyProperties properties = executors.current();
        return Stream.of(
                        executors.executors().entrySet().stream()
                                .map(entry -> new Target(
                                        "group executor '" + entry.getKey() + "'",
                                        properties
                                                .executor(entry.getKey())
                                                .shutdown()
                                                .awaitTerminationPeriod(),
                                        entry.getValue().executor()::shutdown)),
                        executors.pools().entrySet().stream()
                                .map(entry -> new Target(
                                        "worker pool '" + entry.getKey() + "'",
                                        properties
                                                .pool(entry.getKey())
                                                .shutdown()
                                                .awaitTerminationPeriod(),
                                        entry.getValue()::shutdown)),
                        executors.isolation().entrySet().stream()
                                .map(entry -> new Target(
                                        "isolation executor '" + entry.getKey() + "'",
                                        properties
                                                .isolation(entry.getKey())
                                                .shutdown()
                                                .awaitTerminationPeriod(),
                                        entry.getValue()::shutdown)))
                .flatMap(targets -> targets);
    }
}
