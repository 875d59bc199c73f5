package io.github.kobe;

import io.github.kobe.internal.fair.ReadyQueue;
import io.github.kobe.internal.fair.ServiceTimeQueue;
import io.github.kobe.internal.fair.WeightedRoundRobin;
import io.github.kobe.internal.kernel.Dispatcher;
import io.github.kobe.internal.kernel.DispatcherConfig;
import io.github.kobe.internal.kernel.GroupLimits;
import io.github.kobe.internal.kernel.TaskRunner;
import io.github.kobe.internal.time.Timer;
import io.github.kobe.internal.util.Durations;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The kernel that a policy asks for: what users say of groups, in its words. */
final class DispatcherFactory {

    private DispatcherFactory() {}

    /** @param ready how groups compete; {@code null} if the policy is to decide */
    static Dispatcher of(
            GroupPolicy policy, LiveOverrides live, @Nullable ReadyQueue ready, TaskRunner runner, Timer timer) {
        Usual usual = new Usual();
        return new Dispatcher(
                key -> usual.orThis(live.over(key, limits(policy, key))),
                setup(policy),
                ready == null ? readyQueue(policy, timer) : ready,
                runner,
                timer);
    }

    /** What the last group was given: most are given the same, and need not have each its own. Whichever a thread sees will do. */
    private static final class Usual {
        private @Nullable GroupLimits last;

        GroupLimits orThis(GroupLimits limits) {
            GroupLimits known = last;
            if (known != null && known.equals(limits)) {
                return known;
            }
            last = limits;
            return limits;
        }
    }

    private static DispatcherConfig setup(GroupPolicy policy) {
        Duration ageing = policy.priorityAgeing();
        return new DispatcherConfig(
                policy.globalMaxInFlight(),
                policy.globalQueueThreshold(),
                Durations.saturatedNanos(policy.idleGroupTtl()),
                policy.recordTimes(),
                AdmissionControl.blocks(policy),
                ageing == null ? DispatcherConfig.NO_AGEING : Durations.saturatedNanos(ageing),
                policy.rejectionPolicy() == RejectionPolicy.DISCARD_OLDEST,
                DispatcherConfig.DEFAULT_SWEEP_CAPACITY);
    }

    private static ReadyQueue readyQueue(GroupPolicy policy, Timer timer) {
        return switch (policy.fairnessPolicy()) {
            case TASKS -> new WeightedRoundRobin();
            case SERVICE_TIME -> new ServiceTimeQueue(timer::nanoTime);
        };
    }

    private static GroupLimits limits(GroupPolicy policy, String key) {
        return new GroupLimits(
                policy.resolveConcurrency(key),
                policy.resolveMaxInFlight(key),
                policy.resolveQueueThreshold(key),
                policy.resolveWeight(key),
                false);
    }
}
