package io.github.kobe.micrometer;

import io.github.kobe.GroupResult;
import io.github.kobe.Rejection;
import io.github.kobe.micrometer.TaskObservationDocumentation.HighCardinalityKeyNames;
import io.github.kobe.micrometer.TaskObservationDocumentation.LowCardinalityKeyNames;
import io.micrometer.common.KeyValues;
import java.time.Duration;

/** The usual names and key values, see {@link TaskObservationDocumentation}. */
public class DefaultTaskObservationConvention implements TaskObservationConvention {

    private static final double NANOS_PER_SECOND = Duration.ofSeconds(1).toNanos();

    /** Creates a convention. */
    public DefaultTaskObservationConvention() {}

    /** Returns "group.concurrency.task". */
    @Override
    public String getName() {
        return GroupExecutorMetrics.PREFIX + "task";
    }

    /** Returns "task", followed by the tag if there is one. Neither the key nor the name of the task is in it, because there may be many. */
    @Override
    public String getContextualName(TaskObservationContext context) {
        return context.getTag().isEmpty() ? "task" : "task " + context.getTag();
    }

    @Override
    public KeyValues getLowCardinalityKeyValues(TaskObservationContext context) {
        GroupResult<?> result = context.getResult();
        Rejection rejection = context.getRejection();
        String outcome = rejection != null ? Outcomes.REJECTED : result == null ? TagValues.NONE : Outcomes.of(result);
        return KeyValues.of(
                LowCardinalityKeyNames.NAME.withValue(context.getExecutorName()),
                LowCardinalityKeyNames.TAG.withValue(TagValues.ofTag(context.getTag())),
                LowCardinalityKeyNames.OUTCOME.withValue(outcome),
                LowCardinalityKeyNames.REASON.withValue(
                        rejection == null ? TagValues.NONE : Outcomes.reason(rejection.reason())));
    }

    @Override
    public KeyValues getHighCardinalityKeyValues(TaskObservationContext context) {
        KeyValues values = KeyValues.of(
                HighCardinalityKeyNames.GROUP.withValue(context.getGroupKey()),
                HighCardinalityKeyNames.TASK_ID.withValue(context.getTaskId()));
        GroupResult<?> result = context.getResult();
        Rejection rejection = context.getRejection();
        if (result != null) {
            return values.and(completed(result.attempts(), result.waited()));
        }
        return rejection == null ? values : values.and(completed(0, rejection.waited()));
    }

    private static KeyValues completed(int attempts, Duration waited) {
        return KeyValues.of(
                HighCardinalityKeyNames.ATTEMPTS.withValue(Integer.toString(attempts)),
                HighCardinalityKeyNames.WAIT.withValue(Double.toString(waited.toNanos() / NANOS_PER_SECOND)));
    }
}
