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

/** A listener that records every event in its {@link TrackedTask}, and that sometimes throws, blocks, or waits for another thread. */
final class FaultyListener implements TaskLifecycleListener {

    private static final int THROWS_ONE_IN = 50;
    private static final int BLOCKS_ONE_IN = 100_000;
    private static final int WAITS_ONE_IN = 2_000;

    private final CheckRecorder recorder;
    private final Watchdog watchdog;
    private final Map<String, TrackedTask> tasks = new ConcurrentHashMap<>();
    private final AtomicInteger calls = new AtomicInteger();

    /** Runs on another thread, with the group key, while a callback waits for it. Set once, before the first task is submitted. */
    private volatile @Nullable Consumer<String> concurrentWork;

    FaultyListener(CheckRecorder recorder, Watchdog watchdog) {
        this.recorder = recorder;
        this.watchdog = watchdog;
    }

    void setConcurrentWork(Consumer<String> work) {
        concurrentWork = work;
    }

    /** Records the events of this task from now on. */
    void register(TrackedTask task) {
        tasks.put(task.taskId(), task);
    }

    void unregister(TrackedTask task) {
        tasks.remove(task.taskId());
    }

    @Override
    public void onSubmitted(TaskIdentity identity) {
        TrackedTask task = tasks.get(identity.taskId());
        if (task != null) {
            task.submittedEvents.incrementAndGet();
        }
        misbehave(identity, false);
    }

    @Override
    public void onStarted(TaskIdentity identity) {
        TrackedTask task = tasks.get(identity.taskId());
        if (task != null) {
            task.startedEvents.incrementAndGet();
        }
        misbehave(identity, true);
    }

    @Override
    public void onRetry(TaskIdentity identity, int failedAttempts, Throwable thrown, Duration delay) {
        misbehave(identity, true);
    }

    @Override
    public void onCompleted(TaskIdentity identity, GroupResult<?> result) {
        recordOutcome(identity, result.status());
    }

    @Override
    public void onRejected(TaskIdentity identity, Rejection rejection) {
        recordOutcome(identity, TaskStatus.REJECTED);
    }

    private void recordOutcome(TaskIdentity identity, TaskStatus status) {
        TrackedTask task = tasks.get(identity.taskId());
        if (task != null) {
            task.statusEvent = status;
            task.outcomeEvents.incrementAndGet();
        }
        misbehave(identity, true);
    }

    private void misbehave(TaskIdentity identity, boolean mayBlock) {
        int call = calls.incrementAndGet();
        if (mayBlock && call % BLOCKS_ONE_IN == 0) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1200)); // longer than the library waits for a listener
        }
        if (call % WAITS_ONE_IN == 0) {
            waitForOtherThread(identity.groupKey());
        }
        if (call % THROWS_ONE_IN == 0) {
            if (call % 2 == 0) {
                throw new InjectedException("a listener");
            }
            throw new AssertionError(InjectedException.message("a listener"));
        }
    }

    private void waitForOtherThread(String group) {
        Consumer<String> work = concurrentWork;
        if (work != null) {
            checkNoLockHeld(recorder, watchdog, "a listener", () -> work.accept(group));
        }
    }

    /**
     * Runs {@code work} on another thread and waits for it. If the library called this code under a lock that {@code work} needs, the wait
     * times out. If the current thread is interrupted meanwhile, its interrupt flag is restored.
     */
    static void checkNoLockHeld(CheckRecorder recorder, Watchdog watchdog, String callback, Runnable work) {
        Thread other = Thread.ofVirtual().unstarted(work);
        other.start();
        boolean interrupted = false;
        boolean done = false;
        long start = System.nanoTime();
        while (!done && System.nanoTime() - start < watchdog.timeout().toNanos()) {
            try {
                done = other.join(Duration.ofMillis(100));
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        recorder.check(
                Check.CALLBACK_UNLOCKED,
                done,
                0,
                () -> "another thread makes no progress while " + callback + " waits");
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
