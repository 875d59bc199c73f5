package io.github.kobe.micrometer;

import io.github.kobe.ContextCarrier;
import io.github.kobe.GroupResult;
import io.github.kobe.Rejection;
import io.github.kobe.TaskIdentity;
import io.github.kobe.TaskLifecycleListener;
import io.github.kobe.TaskStatus;
import io.github.kobe.micrometer.TaskObservationDocumentation.Events;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A listener that observes each task: one {@link Observation} from the submission to the outcome, however many attempts there are. Its parent is the
 * observation that is current for the submitter. {@link TaskObservationDocumentation} lists names, key values and events. The {@link #carrier}
 * makes the observation the current one while the task runs, so that observations of the task's code are its children:
 *
 * <pre>{@code
 * TaskObservation observation = TaskObservation.of(registry, "orders");
 * GroupPolicy policy = GroupPolicy.builder()
 *         .name("orders")
 *         .taskLifecycleListener(observation)
 *         .contextCarrier(observation.carrier())
 *         .build();
 * }</pre>
 *
 * <p>The observation stops when the outcome is decided. Code of a cancelled task may still run then.
 *
 * <p>A task whose submission this listener did not hear of is not observed. The listener keeps the observation of each task that has been submitted and not
 * completed. If it is removed from an executor, the observations of the tasks in flight are kept and never stop: remove it when the executor is
 * idle. Safe for use by many threads, and for several executors.
 */
public final class TaskObservation implements TaskLifecycleListener {

    private static final DefaultTaskObservationConvention DEFAULT_CONVENTION = new DefaultTaskObservationConvention();

    private final ObservationRegistry registry;
    private final String name;
    private final @Nullable TaskObservationConvention convention;
    private final Map<TaskIdentity, Observed> observed = new ConcurrentHashMap<>();

    private TaskObservation(ObservationRegistry registry, String name, @Nullable TaskObservationConvention convention) {
        this.registry = Objects.requireNonNull(registry, "registry");
        this.name = TagValues.requireName(name);
        this.convention = convention;
    }

    /**
     * Creates a listener.
     *
     * @param name the name of the executor, for the key value {@code name}
     * @throws IllegalArgumentException if {@code name} is blank
     */
    public static TaskObservation of(ObservationRegistry registry, String name) {
        return new TaskObservation(registry, name, null);
    }

    /** Returns a listener with another convention. Without this call, a convention of the registry is used, or else the default one. */
    public TaskObservation withConvention(TaskObservationConvention other) {
        return new TaskObservation(registry, name, Objects.requireNonNull(other, "convention"));
    }

    /**
     * Returns a carrier for the executors of this listener. In each attempt and in the callbacks of a task the observation of the task is the current
     * one; if the task is not observed, none is. For a scope it carries the observation of the submitter.
     */
    public ContextCarrier carrier() {
        return new ContextCarrier() {
            @Override
            public @Nullable Captured capture() {
                return captured(registry.getCurrentObservation());
            }

            @Override
            public @Nullable Captured capture(TaskIdentity task) {
                Observed found = observed.get(task);
                return found == null ? null : captured(found.observation);
            }
        };
    }

    private static ContextCarrier.@Nullable Captured captured(@Nullable Observation observation) {
        return observation == null ? null : () -> observation.openScope()::close;
    }

    /**
     * A task that is observed. An observation must not have events after it has stopped. But the outcome of a task may come, on another thread,
     * while the call for its start is in progress. So each call that uses the observation holds a reference, and the outcome gives up the first one.
     * The call that gives up the last reference stops the observation. A call that finds no reference left does nothing.
     */
    private static final class Observed {

        private final Observation observation;
        private final TaskObservationContext context;
        private final AtomicInteger references = new AtomicInteger(1);

        Observed(Observation observation, TaskObservationContext context) {
            this.observation = observation;
            this.context = context;
        }

        void event(Observation.Event event) {
            if (references.getAndUpdate(n -> n == 0 ? 0 : n + 1) == 0) {
                return;
            }
            try {
                observation.event(event);
            } finally {
                release();
            }
        }

        void release() {
            if (references.decrementAndGet() == 0) {
                observation.stop();
            }
        }
    }

    @Override
    public void onSubmitted(TaskIdentity task) {
        if (registry.isNoop()) {
            return;
        }
        TaskObservationContext context = new TaskObservationContext(name, task.groupKey(), task.taskId(), task.tag());
        Observation observation =
                TaskObservationDocumentation.TASK.observation(convention, DEFAULT_CONVENTION, () -> context, registry);
        observed.put(task, new Observed(observation.start(), context));
    }

    @Override
    public void onStarted(TaskIdentity task, Duration waited) {
        event(task, Events.STARTED);
    }

    @Override
    public void onRetry(TaskIdentity task, int failedAttempts, Throwable fault, Duration delay) {
        event(task, Events.RETRY);
    }

    private void event(TaskIdentity task, Observation.Event event) {
        Observed found = observed.get(task);
        if (found != null) {
            found.event(event);
        }
    }

    @Override
    public void onCompleted(TaskIdentity task, GroupResult<?> result) {
        Observed found = observed.remove(task);
        if (found == null) {
            return;
        }
        found.context.setResult(result);
        Throwable error = result.error();
        try {
            if (result.status() == TaskStatus.FAILED && error != null) {
                found.observation.error(error);
            }
        } finally {
            found.release();
        }
    }

    @Override
    public void onRejected(TaskIdentity task, Rejection rejection) {
        Observed found = observed.remove(task);
        if (found != null) {
            found.context.setRejection(rejection);
            found.release();
        }
    }
}
