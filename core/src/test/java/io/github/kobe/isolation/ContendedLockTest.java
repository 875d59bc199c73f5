package io.github.kobe.isolation;

import static io.github.kobe.isolation.WorkloadMix.MS;
import static io.github.kobe.isolation.WorkloadMix.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.internal.kernel.Group;
import io.github.kobe.internal.kernel.VirtualTime;
import io.github.kobe.internal.time.ObservedTimer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;

/** Is a task lost that is submitted while another thread holds the lock of {@link IsolationQueue}? */
class ContendedLockTest {

    private static final long SLOW = IsolationKit.SLOW_NANOS;

    private final List<String> starts = new ArrayList<>();
    private VirtualTime time;
    private IsolationQueue queue;

    /** What another thread does the next time that the holder of the lock classifies a key as slow. */
    private Runnable meanwhile = () -> {};

    private ObservedTimer clock;

    private void open(int permits) {
        CapacityPolicy.ChangeListener listener = new CapacityPolicy.ChangeListener() {
            @Override
            public void laneChanged(String key, boolean slow) {
                Runnable once = meanwhile;
                meanwhile = () -> {};
                onOtherThread(once);
            }

            @Override
            public void reserveChanged(int from, int to) {}
        };
        time = new VirtualTime(
                timer -> {
                    clock = new ObservedTimer(timer);
                    queue = new IsolationQueue(IsolationKit.SLOW_BY_COMPLETION, permits, clock, listener);
                    return queue;
                },
                permits);
    }

    private static void onOtherThread(Runnable work) {
        FutureTask<Boolean> task = new FutureTask<>(work, true);
        new Thread(task).start();
        try {
            task.get();
        } catch (InterruptedException | ExecutionException e) {
            throw new AssertionError(e);
        }
    }

    private void submit(String key, long duration) {
        time.submit(key, duration, (started, queuedFor) -> starts.add(started), () -> {});
    }

    @Test
    void taskThatIsRefusedADirectStartIsStartedByTheHolderOfTheLock() {
        open(10);
        submit("slow", SLOW);
        time.runUntil(SLOW + MS); // its completion is not processed yet
        meanwhile = () -> {
            submit("other", MS);
            assertThat(starts).as("the submitter does not wait for the lock").containsExactly("slow");
        };
        submit("third", SECOND); // this start processes the completion first
        assertThat(starts).containsExactlyInAnyOrder("slow", "other", "third");
    }

    @Test
    void readingStatisticsLosesNoTask() {
        open(2);
        submit("slow", SLOW);
        time.runUntil(SLOW + MS); // its completion is not processed yet
        meanwhile = () -> submit("other", MS);
        queue.processEvents();
        assertThat(starts).containsExactly("slow", "other");
    }

    @Test
    void severalMissedDispatchesAreAllMadeUpFor() {
        open(3);
        submit("slow", SLOW);
        time.runUntil(SLOW + MS);
        meanwhile = () -> {
            submit("other", MS);
            submit("third", MS);
        };
        queue.processEvents();
        assertThat(starts).containsExactly("slow", "other", "third");
    }

    @Test
    void keyThatIsQueuedWhileIsEmptyFindsNoneIsSeenByIt() {
        open(2);
        submit("key", SECOND);
        time.runUntil(2 * SECOND);
        Group group = time.dispatcher().group("key");
        queue.processEvents();
        clock.atRead(
                1,
                () -> onOtherThread(() -> {
                    queue.add(group);
                    assertThat(queue.poll(time.nanoTime()))
                            .as("the lock is taken")
                            .isNull();
                    assertThat(queue.isEmpty()).as("for a thread that gives up").isTrue();
                }));
        assertThat(queue.isEmpty()).isFalse();
        assertThat(queue.poll(time.nanoTime())).isSameAs(group);
    }

    /** The kernel does this if a task is queued between two reads of the state of a group that it has polled. */
    @Test
    void keyThatLeavesAndThenStartsATaskRunsOneTask() {
        open(2);
        submit("key", SECOND);
        time.runUntil(2 * SECOND);
        Group group = time.dispatcher().group("key");
        queue.add(group);
        long now = time.nanoTime();
        assertThat(queue.poll(now)).isSameAs(group);
        queue.left(group, true);
        queue.started(group, now);
        assertThat(queue.statsOf(group).running()).isEqualTo(1);
        queue.completed(group, now, now + MS);
        assertThat(queue.statsOf(group).running()).isZero();
    }
}
