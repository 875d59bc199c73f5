package io.github.kobe.soak;

import io.github.kobe.GroupResult;
import io.github.kobe.Rejection;
import io.github.kobe.TaskIdentity;
import io.github.kobe.TaskLifecycleListener;
import io.github.kobe.TaskStatus;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A listener that writes down what it hears, and is a nuisance: throws, is stuck for a while, waits for others. */
final class FaultyListener implements TaskLifecycleListener {

    private static final int THROWS_ONE_IN = 50;
    private static final int STUCK_ONE_IN = 100_000;
    private static final int WAITS_ONE_IN = 2_000;

    private final Recorder recorder;
    private final Watchdog patience;
    private final Map<String, TrackedTask> probes = new ConcurrentHashMap<>();
    private final AtomicInteger calls = new AtomicInteger();

    /** What another thread does while a callback waits for it. Set once, before anything is submitted. */
    private volatile @Nullable Consumer<String> meanwhile;

    FaultyListener(Recorder recorder, Watchdog patience) {
        this.recorder = recorder;
        this.patience = patience;
    }

    void meanwhile(Consumer<String> work) {
        meanwhile = work;
    }

    void expect(TrackedTask probe) {
        probes.put(probe.id(), probe);
    }

    void forget(TrackedTask probe) {
        probes.remove(probe.id());
    }

    @Override
    public void onSubmitted(TaskIdentity task) {
        TrackedTask probe = probes.get(task.taskId());
        if (probe != null) {
            probe.toldSubmitted.incrementAndGet();
        }
        misbehave(task, false);
    }

    @Override
    public void onStarted(TaskIdentity task) {
        TrackedTask probe = probes.get(task.taskId());
        if (probe != null) {
            probe.toldStarted.incrementAndGet();
        }
        misbehave(task, true);
    }

    @Override
    public void onRetry(TaskIdentity task, int failedAttempts, Throwable fault, Duration delay) {
        misbehave(task, true);
    }

    @Override
    public void onCompleted(TaskIdentity task, GroupResult<?> result) {
        end(task, result.status());
    }

    @Override
    public void onRejected(TaskIdentity task, Rejection rejection) {
        end(task, TaskStatus.REJECTED);
    }

    private void end(TaskIdentity task, TaskStatus status) {
        TrackedTask probe = probes.get(task.taskId());
        if (probe != null) {
            probe.toldStatus = status;
            probe.toldEnds.incrementAndGet();
        }
        misbehave(task, true);
    }

    private void misbehave(TaskIdentity task, boolean mayTakeLong) {
        int call = calls.incrementAndGet();
        if (mayTakeLong && call % STUCK_ONE_IN == 0) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1200)); // longer than the library listens
        }
        if (call % WAITS_ONE_IN == 0) {
            waitForOthers(task.groupKey());
        }
        if (call % THROWS_ONE_IN == 0) {
            if (call % 2 == 0) {
                throw new InjectedException("a listener");
            }
            throw new AssertionError(InjectedException.message("a listener"));
        }
    }

    /** Were this called under a lock that the other thread needs, it would wait in vain. */
    private void waitForOthers(String group) {
        Consumer<String> work = meanwhile;
        if (work != null) {
            checkUnlocked(recorder, patience, "a listener", () -> work.accept(group));
        }
    }

    static void checkUnlocked(Recorder recorder, Watchdog patience, String where, Runnable work) {
        Thread other = Thread.ofVirtual().unstarted(work);
        other.start();
        boolean interrupted = false;
        boolean done = false;
        long since = System.nanoTime();
        while (!done && System.nanoTime() - since < patience.timeout().toNanos()) {
            try {
                done = other.join(Duration.ofMillis(100));
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        boolean fine = done;
        recorder.check(Check.CALLBACK_UNLOCKED, fine, 0, () -> "nobody gets on while " + where + " waits");
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
