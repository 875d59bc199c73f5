package io.github.kobe.micrometer;

import io.github.kobe.RejectedTaskException;
import io.github.kobe.TaskTimeoutException;
import io.github.kobe.scope.TaskInfo;
import io.github.kobe.scope.ThreadHook;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.BaseUnits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Meters of the tasks of scopes. Make one object for each kind of scope, not for each scope, and pass it to
 * {@link io.github.kobe.scope.ThreadScope#withHook}. Every meter has the tag {@code name}.
 *
 * <p>The meters are updated with each task. A task that fails with a {@link RejectedTaskException} counts as rejected, whether its group or the code of
 * the task threw it. Safe for use by many threads.
 */
public final class ScopeMetrics implements ThreadHook, AutoCloseable {

    private static final String PREFIX = GroupExecutorMetrics.PREFIX + "scope.";

    private final MeterRegistry registry;
    private final List<Meter> meters = new ArrayList<>();
    private final Counter started;
    private final OutcomeMeters success;
    private final OutcomeMeters failure;
    private final OutcomeMeters timeout;
    private final OutcomeMeters rejected;
    private final OutcomeMeters cancelled;

    private ScopeMetrics(MeterRegistry registry, String name) {
        this.registry = registry;
        Tags tags = Tags.of("name", name);
        started = add(Counter.builder(PREFIX + "started")
                .baseUnit(BaseUnits.TASKS)
                .description("Tasks of scopes that have started")
                .tags(tags)
                .register(registry));
        success = outcome(tags, Outcomes.SUCCESS);
        failure = outcome(tags, Outcomes.FAILURE);
        timeout = outcome(tags, Outcomes.TIMEOUT);
        rejected = outcome(tags, Outcomes.REJECTED);
        cancelled = outcome(tags, Outcomes.CANCELLED);
    }

    /**
     * Registers the meters. If the registry has meters of that name, they are used, and the first {@link #close} removes them.
     *
     * @param name the value of the tag {@code name}, such as "checkout"
     * @throws IllegalArgumentException if {@code name} is blank
     */
    public static ScopeMetrics of(MeterRegistry registry, String name) {
        return new ScopeMetrics(Objects.requireNonNull(registry, "registry"), TagValues.requireName(name));
    }

    private record OutcomeMeters(Counter completed, Timer duration) {

        void record(Duration took) {
            completed.increment();
            duration.record(took);
        }

        /** For outcomes of tasks that need not have run. */
        void recordIfRan(Duration took) {
            completed.increment();
            if (!took.isZero()) {
                duration.record(took);
            }
        }
    }

    private OutcomeMeters outcome(Tags tags, String outcome) {
        Tags both = tags.and("outcome", outcome);
        return new OutcomeMeters(
                add(Counter.builder(PREFIX + "completed")
                        .baseUnit(BaseUnits.TASKS)
                        .description("Tasks of scopes that have completed")
                        .tags(both)
                        .register(registry)),
                add(Timer.builder(PREFIX + "duration")
                        .description("How long tasks of scopes took from their first start to their completion")
                        .tags(both)
                        .register(registry)));
    }

    private <M extends Meter> M add(M meter) {
        meters.add(meter);
        return meter;
    }

    @Override
    public void onStart(TaskInfo info) {
        started.increment();
    }

    @Override
    public void onSuccess(TaskInfo info, Duration duration) {
        success.record(duration);
    }

    @Override
    public void onFailure(TaskInfo info, Throwable error, Duration duration) {
        if (error instanceof RejectedTaskException) {
            rejected.recordIfRan(duration);
        } else if (error instanceof TaskTimeoutException) {
            timeout.record(duration);
        } else {
            failure.record(duration);
        }
    }

    @Override
    public void onCancel(TaskInfo info, Duration duration) {
        cancelled.recordIfRan(duration);
    }

    /** Removes the meters. Tasks that complete later are not counted. A second call has no effect. */
    @Override
    public void close() {
        meters.forEach(registry::remove);
    }
}
