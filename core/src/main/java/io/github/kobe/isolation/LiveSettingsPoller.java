package io.github.kobe.isolation;

import io.github.kobe.internal.kernel.Dispatcher;
import io.github.kobe.internal.time.PeriodicSweep;
import io.github.kobe.internal.time.Timer;
import io.github.kobe.internal.util.Faults;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** Looks at suppliers now and then, off everybody's way, and passes on what they say. */
final class LiveSettingsPoller {

    private static final long PERIOD = TimeUnit.MILLISECONDS.toNanos(100);

    private final IsolationPolicy policy;
    private final IsolationQueue tenants;
    private final Dispatcher kernel;
    private final Faults faults;
    private final PeriodicSweep patrol;
    private final AtomicBoolean looking = new AtomicBoolean();
    private int budget;

    LiveSettingsPoller(
            IsolationPolicy policy, int budget, IsolationQueue tenants, Dispatcher kernel, Timer timer, Faults faults) {
        this.policy = policy;
        this.budget = budget;
        this.tenants = tenants;
        this.kernel = kernel;
        this.faults = faults;
        this.patrol = new PeriodicSweep(
                timer, PERIOD, this::lookElsewhere, () -> !kernel.groups().isEmpty());
    }

    /** There is a task. */
    void wake() {
        if (policy.isLive()) {
            patrol.schedule();
        }
    }

    private void lookElsewhere() {
        if (looking.compareAndSet(false, true)) {
            kernel.spawn(this::look);
        }
    }

    private void look() {
        try {
            setBudget(policy.maxConcurrency());
            tenants.setWhiteList(Set.copyOf(policy.whiteList()));
        } catch (Throwable fault) {
            faults.report("isolation policy", policy.name(), fault);
        } finally {
            looking.set(false);
        }
    }

    private void setBudget(int now) {
        IsolationPolicy.check(now >= 1, "maxConcurrency", "at least 1", now);
        if (now != budget) {
            budget = now;
            tenants.setBudget(now);
            kernel.setGlobalLimit(now);
        }
    }
}
