package io.github.kobe.micrometer;

import io.github.kobe.GroupResult;
import io.github.kobe.TaskIdentity;
import io.github.kobe.TaskLifecycleListener;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** Timers of tasks, by tag and outcome. At most {@value #MAX_TAGS} tags have timers of their own; the others share {@code tag="other"}. */
final class TaskTimers implements TaskLifecycleListener {

    static final String WAIT = GroupExecutorMetrics.PREFIX + "task.wait";
    static final String RUN = GroupExecutorMetrics.PREFIX + "task.run";

    private static final String WAIT_DESCRIPTION = "How long tasks were queued before they started";
    private static final String RUN_DESCRIPTION = "How long tasks took from their first start to their completion";

    private static final int MAX_TAGS = 50;

    private final SnapshotMeters<?> meters;
    private final TagTimers rest;
    private final Map<String, TagTimers> byTag = new ConcurrentHashMap<>();

    /** The tags that have timers of their own, or will have them in a moment. Guarded by itself. */
    private final Set<String> admitted = new HashSet<>();

    private volatile boolean full;

    TaskTimers(SnapshotMeters<?> meters) {
        this.meters = meters;
        this.rest = new TagTimers(meters, TagValues.OTHER);
    }

    /** The result has the waiting time too, so one call for each task suffices. */
    @Override
    public boolean observesStarts() {
        return false;
    }

    @Override
    public boolean mayBlock() {
        return false;
    }

    @Override
    public void onCompleted(TaskIdentity task, GroupResult<?> result) {
        if (result.attempts() > 0) {
            TagTimers timers = timersOf(task.tag());
            timers.waiting.record(result.waited());
            timers.running(result).record(result.durationNanos(), TimeUnit.NANOSECONDS);
        }
    }

    private TagTimers timersOf(String tag) {
        TagTimers known = byTag.get(tag);
        if (known != null) {
            return known;
        }
        if (full || !admit(tag)) {
            return rest;
        }
        // Two threads may do this for one tag. The registry gives both the same timers.
        TagTimers added = new TagTimers(meters, TagValues.ofTag(tag));
        byTag.put(tag, added);
        return added;
    }

    private boolean admit(String tag) {
        synchronized (admitted) {
            if (admitted.size() < MAX_TAGS) {
                admitted.add(tag);
            } else {
                full = true;
            }
            return admitted.contains(tag);
        }
    }

    /** The timers of one tag. */
    private static final class TagTimers {

        final Timer waiting;
        private final Timer succeeded;
        private final Timer failed;
        private final Timer timedOut;
        private final Timer cancelled;

        TagTimers(SnapshotMeters<?> meters, String tag) {
            Tags tags = meters.tags().and("tag", tag);
            waiting = meters.add(
                    Timer.builder(WAIT).description(WAIT_DESCRIPTION).tags(tags).register(meters.registry()));
            succeeded = running(meters, tags, Outcomes.SUCCESS);
            failed = running(meters, tags, Outcomes.FAILURE);
            timedOut = running(meters, tags, Outcomes.TIMEOUT);
            cancelled = running(meters, tags, Outcomes.CANCELLED);
        }

        private static Timer running(SnapshotMeters<?> meters, Tags tags, String outcome) {
            return meters.add(Timer.builder(RUN)
                    .description(RUN_DESCRIPTION)
                    .tags(tags.and("outcome", outcome))
                    .register(meters.registry()));
        }

        Timer running(GroupResult<?> result) {
            return switch (result.status()) {
                case SUCCESS -> succeeded;
                case FAILED -> Outcomes.isTimeout(result) ? timedOut : failed;
                case CANCELLED, REJECTED -> cancelled; // a rejected task has no attempts, so it does not come here
            };
        }
    }
}
