package io.github.kobe.internal.group;

import io.github.kobe.GroupResult;
import io.github.kobe.Rejection;
import io.github.kobe.TaskIdentity;
import io.github.kobe.TaskStatus;
import io.github.kobe.TaskTimeoutException;
import io.github.kobe.internal.group.LiveOverrides.GroupOverride;
import io.github.kobe.internal.jfr.FlightRecording;
import io.github.kobe.internal.kernel.GroupLimits;
import io.github.kobe.internal.util.Durations;
import org.jspecify.annotations.Nullable;

/** Writes what happens to tasks and limits of groups to the flight recorder. */
final class FlightEvents {

    private FlightEvents() {}

    /** @param rejection of a rejected task */
    static void completed(String executor, TaskIdentity task, GroupResult<?> result, @Nullable Rejection rejection) {
        if (result.status() == TaskStatus.REJECTED) {
            if (rejection != null) {
                rejected(executor, task, rejection);
            }
            return;
        }
        Throwable error = result.error();
        FlightRecording.taskCompleted(
                executor,
                task.groupKey(),
                task.taskId(),
                task.tag(),
                error instanceof TaskTimeoutException
                        ? "TIMED_OUT"
                        : result.status().name(),
                error == null ? null : error.getClass(),
                Durations.saturatedNanos(result.waited()),
                Durations.saturatedNanos(result.ran()),
                result.attempts());
    }

    static void rejected(String executor, TaskIdentity task, Rejection rejection) {
        if (FlightRecording.recordsRejections()) {
            FlightRecording.taskRejected(
                    executor,
                    task.groupKey(),
                    task.taskId(),
                    task.tag(),
                    rejection.reason().name(),
                    rejection.limitedBy().name(),
                    rejection.sharedLimit(),
                    rejection.active(),
                    rejection.queued(),
                    rejection.limit(),
                    rejection.queueCapacity(),
                    Durations.saturatedNanos(rejection.waited()),
                    Durations.saturatedNanos(rejection.estimatedWait()));
        }
    }

    /** A setting of a group that is not in use has changed. */
    static void overridden(String executor, String group, GroupOverride from, GroupOverride to) {
        FlightRecording.limitChanged(executor, group, "maxConcurrency", or(from.concurrency()), or(to.concurrency()));
        FlightRecording.limitChanged(executor, group, "maxInFlight", or(from.inFlight()), or(to.inFlight()));
        FlightRecording.limitChanged(
                executor, group, "queueThreshold", or(from.queueThreshold()), or(to.queueThreshold()));
        FlightRecording.limitChanged(executor, group, "weight", or(from.weight()), or(to.weight()));
        FlightRecording.limitChanged(executor, group, "paused", from.paused() ? 1 : 0, to.paused() ? 1 : 0);
    }

    private static int or(@Nullable Integer setting) {
        return setting == null ? -1 : setting;
    }

    /** The limits of a group that is in use have changed. */
    static void limitsChanged(String executor, String group, GroupLimits from, GroupLimits to) {
        FlightRecording.limitChanged(executor, group, "maxConcurrency", from.concurrency(), to.concurrency());
        FlightRecording.limitChanged(executor, group, "maxInFlight", from.inFlight(), to.inFlight());
        FlightRecording.limitChanged(executor, group, "queueThreshold", from.queueThreshold(), to.queueThreshold());
        FlightRecording.limitChanged(executor, group, "weight", from.weight(), to.weight());
        FlightRecording.limitChanged(executor, group, "paused", from.paused() ? 1 : 0, to.paused() ? 1 : 0);
    }
}
