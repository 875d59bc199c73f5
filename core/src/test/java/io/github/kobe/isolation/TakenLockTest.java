package io.github.kobe.isolation;

import static io.github.kobe.isolation.Mix.MS;
import static io.github.kobe.isolation.Mix.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.internal.kernel.Group;
import io.github.kobe.internal.kernel.VirtualTime;
import io.github.kobe.internal.time.Timer;
import io.github.kobe.internal.time.TimerEntry;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;

/** Is a task forgotten that comes while somebody else has the lock of {@link IsolationQueue}? */
class TakenLockTest {

    private final List<String> starts = new ArrayList<>();
    private VirtualTime time;
    private IsolationQueue tenants;

    /** What another thread does the next time that somebody who has the lock finds a key to be slow. */
    private Runnable meanwhile = () -> {};

    /** What another thread does the next time that somebody asks for the time. */
    private Runnable asTimeIsAskedFor = () -> {};

    private void open(int places) {
        CapacityPolicy.ChangeListener journal = new CapacityPolicy.ChangeListener() {
            @Override
            public void laneChanged(String key, boolean slow) {
                Runnable once = meanwhile;
                meanwhile = () -> {};
                elsewhere(once);
            }

            @Override
            public void reserveChanged(int from, int to) {}
        };
        time = new VirtualTime(
                timer -> {
                    tenants = new IsolationQueue(Thresholds.USUAL, places, watched(timer), journal);
                    return tenants;
                },
                places);
    }

    private Timer watched(Timer timer) {
        return new Timer() {
            @Override
            public long nanoTime() {
                Runnable once = asTimeIsAskedFor;
                asTimeIsAskedFor = () -> {};
                once.run();
                return timer.nanoTime();
            }

            @Override
            public void start(TimerEntry timeout, long delayNanos) {
                timer.start(timeout, delayNanos);
            }

            @Override
            public boolean cancel(TimerEntry timeout) {
                return timer.cancel(timeout);
            }
        };
    }

    private static void elsewhere(Runnable work) {
        FutureTask<Boolean> task = new FutureTask<>(work, true);
        new Thread(task).start();
        try {
            task.get();
        } catch (InterruptedException | ExecutionException e) {
            throw new AssertionError(e);
        }
    }

    private void submit(String key, long duration) {
        time.submit(key, duration, (its, waited) -> starts.add(its), () -> {});
    }

    @Test
    void taskThatIsRefusedADirectStartIsStartedByTheOneWhoHadTheLock() {
        open(10);
        submit("slow", 3 * SECOND);
        time.runUntil(2 * SECOND + MS);
        meanwhile = () -> {
            submit("other", MS);
            assertThat(starts).as("nobody waits for the lock").containsExactly("slow");
        };
        submit("slow", SECOND); // its start shows that the key is slow
        assertThat(starts).containsExactlyInAnyOrder("slow", "other", "slow");
    }

    @Test
    void figuresThatAreLookedAtMeanwhileLoseNobody() {
        open(2);
        submit("slow", 2 * SECOND);
        time.runUntil(2 * SECOND + MS); // its end is not taken in yet
        meanwhile = () -> submit("other", MS);
        tenants.processEvents();
        assertThat(starts).containsExactly("slow", "other");
    }

    @Test
    void severalThatAreMissedAtOnceAreAllMadeUpFor() {
        open(3);
        submit("slow", 2 * SECOND);
        time.runUntil(2 * SECOND + MS);
        meanwhile = () -> {
            submit("other", MS);
            submit("third", MS);
        };
        tenants.processEvents();
        assertThat(starts).containsExactly("slow", "other", "third");
    }

    @Test
    void keyThatGetsInLineWhileSomebodyFindsNoneIsSeenByThatOne() {
        open(2);
        submit("key", SECOND);
        time.runUntil(2 * SECOND);
        Group group = time.dispatcher().group("key");
        tenants.processEvents();
        asTimeIsAskedFor = () -> elsewhere(() -> {
            tenants.add(group);
            assertThat(tenants.poll(time.nanoTime())).as("the lock is taken").isNull();
            assertThat(tenants.isEmpty()).as("for one who leaves").isTrue();
        });
        assertThat(tenants.isEmpty()).isFalse();
        assertThat(tenants.poll(time.nanoTime())).isSameAs(group);
    }

    /** The kernel does that if a task gets in line between two looks at the word of a group that it has polled. */
    @Test
    void keyThatIsSaidToLeaveAndIsServedAllTheSameRunsOneTask() {
        open(2);
        submit("key", SECOND);
        time.runUntil(2 * SECOND);
        Group group = time.dispatcher().group("key");
        tenants.add(group);
        long now = time.nanoTime();
        assertThat(tenants.poll(now)).isSameAs(group);
        tenants.left(group, true);
        tenants.started(group, now);
        assertThat(tenants.statsOf(group).running()).isEqualTo(1);
        tenants.completed(group, now, now + MS);
        assertThat(tenants.statsOf(group).running()).isZero();
    }
}
