package io.github.kobe.micrometer;

import io.micrometer.common.docs.KeyName;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import io.micrometer.observation.docs.ObservationDocumentation;

/** The observation of a task: its name, its key values and its events. */
public enum TaskObservationDocumentation implements ObservationDocumentation {

    /** From the submission of a task to its outcome. */
    TASK {
        @Override
        public Class<? extends ObservationConvention<? extends Observation.Context>> getDefaultConvention() {
            return DefaultTaskObservationConvention.class;
        }

        @Override
        public KeyName[] getLowCardinalityKeyNames() {
            return LowCardinalityKeyNames.values();
        }

        @Override
        public KeyName[] getHighCardinalityKeyNames() {
            return HighCardinalityKeyNames.values();
        }

        @Override
        public Observation.Event[] getEvents() {
            return Events.values();
        }
    };

    /** Key values of which there are few. */
    public enum LowCardinalityKeyNames implements KeyName {

        /** The name of the executor. */
        NAME("name"),
        /** The tag of the task; "none" if it has none. */
        TAG("tag"),
        /** One of success, failure, timeout, cancelled and rejected; "none" before the task has completed. */
        OUTCOME("outcome"),
        /** Why the task was rejected, such as "group_queue_full"; "none" if it was not. */
        REASON("reason");

        private final String key;

        LowCardinalityKeyNames(String key) {
            this.key = key;
        }

        @Override
        public String asString() {
            return key;
        }
    }

    /** Key values of which there may be many. They are for traces and not for meters. */
    public enum HighCardinalityKeyNames implements KeyName {

        /** The group of the task. */
        GROUP("group"),
        /** The name of the task. */
        TASK_ID("task.id"),
        /** How many attempts were started. Known when the task has completed. */
        ATTEMPTS("attempts") {
            @Override
            public boolean isRequired() {
                return false;
            }
        },
        /** How long the task was queued before its first attempt, in seconds. Known when the task has completed. */
        WAIT("wait") {
            @Override
            public boolean isRequired() {
                return false;
            }
        };

        private final String key;

        HighCardinalityKeyNames(String key) {
            this.key = key;
        }

        @Override
        public String asString() {
            return key;
        }
    }

    /** What happens between the submission and the outcome. */
    public enum Events implements Observation.Event {

        /** The task has a permit and is about to run for the first time. */
        STARTED("started"),
        /** An attempt failed, and another will follow. */
        RETRY("retry");

        private final String eventName;

        Events(String eventName) {
            this.eventName = eventName;
        }

        @Override
        public String getName() {
            return eventName;
        }
    }
}
