package io.github.kobe.micrometer;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/** Names the observation of a task and its key values. Extend {@link DefaultTaskObservationConvention} to change some of them. */
public interface TaskObservationConvention extends ObservationConvention<TaskObservationContext> {

    @Override
    default boolean supportsContext(Observation.Context context) {
        return context instanceof TaskObservationContext;
    }
}
