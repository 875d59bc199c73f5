package io.github.kobe;

import io.github.kobe.internal.Dispatcher;
import io.github.kobe.internal.Durations;
import io.github.kobe.internal.Limits;
import io.github.kobe.internal.ReadyQueue;
import io.github.kobe.internal.Runner;
import io.github.kobe.internal.ServiceTime;
import io.github.kobe.internal.Setup;
import io.github.kobe.internal.Timer;
import io.github.kobe.internal.Turns;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The kernel that a policy asks for: what users say of groups, in its words. */
final class Kernel {

    private Kernel() {}

    /** @param ready how groups compete; {@code null} if the policy is to decide */
    static Dispatcher of(
            GroupPolicy policy, LiveSettings live, @Nullable ReadyQueue ready, Runner runner, Timer timer) {
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
        private @Nullable Limits last;

        Limits orThis(Limits limits) {
            Limits known = last;
            if (known != null && known.equals(limits)) {
                return known;
            }
            last = limits;
            return limits;
        }
    }

    private static Setup setup(GroupPolicy policy) {
        Duration ageing = policy.priorityAgeing();
        return new Setup(
                policy.globalMaxInFlight(),
                policy.globalQueueThreshold(),
                Durations.saturatedNanos(policy.idleGroupTtl()),
                policy.recordTimes(),
                Entrance.blocks(policy),
                ageing == null ? Setup.NO_AGEING : Durations.saturatedNanos(ageing),
                policy.rejectionPolicy() == RejectionPolicy.DISCARD_OLDEST,
                Setup.CROWD);
    }

    private static ReadyQueue readyQueue(GroupPolicy policy, Timer timer) {
        return switch (policy.fairnessPolicy()) {
            case TASKS -> new Turns();
            case SERVICE_TIME -> new ServiceTime(timer);
        };
    }

    private static Limits limits(GroupPolicy policy, String key) {
        return new Limits(
                policy.resolveConcurrency(key),
                policy.resolveMaxInFlight(key),
                policy.resolveQueueThreshold(key),
                policy.resolveWeight(key),
                false);
    }
}
