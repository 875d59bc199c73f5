package io.github.kobe.isolation;

import static io.github.kobe.isolation.WorkloadMix.FOR_EVER;
import static io.github.kobe.isolation.WorkloadMix.MS;
import static io.github.kobe.isolation.WorkloadMix.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.internal.fair.Competitor;
import io.github.kobe.internal.fair.ReadyQueue;
import io.github.kobe.internal.kernel.Group;
import io.github.kobe.internal.kernel.VirtualTime;
import io.github.kobe.internal.time.Timer;
import java.lang.reflect.Proxy;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Does {@link IsolationQueue#mayStartDirectly} refuse a task only if {@link IsolationQueue#startedDirectly} would refuse it too? */
class DirectStartCheckTest {

    private static final int PERMITS = 2;

    private IsolationQueue queue;
    private final CountDownLatch locked = new CountDownLatch(1);
    private final CountDownLatch checked = new CountDownLatch(1);
    private boolean blocks;

    private final VirtualTime time = new VirtualTime(
            timer -> queue = new IsolationQueue(
                    IsolationKit.SLOW_BY_COMPLETION, PERMITS, timer, new CapacityPolicy.ChangeListener() {
                        @Override
                        public void laneChanged(String key, boolean slow) {
                            if (blocks) {
                                locked.countDown();
                                IsolationKit.await(checked);
                            }
                        }

                        @Override
                        public void reserveChanged(int from, int to) {}
                    }),
            PERMITS);

    private Group submit(String key, long duration) {
        time.submit(key, duration, (started, queuedFor) -> {}, () -> {});
        return time.dispatcher().group(key);
    }

    /** A known key that is not fast. */
    private Group establishedKey() {
        Group group = submit("known", 10 * MS);
        time.runUntil(20 * MS);
        queue.processEvents();
        return group;
    }

    @Test
    void everyKeyMayStartWhilePermitsAreNotReserved() {
        assertThat(queue.mayStartDirectly(establishedKey())).isTrue();
    }

    @Test
    void onlyNewAndWhiteListedKeysMayStartWhenNoPermitIsLeftForOthers() {
        Group known = establishedKey();
        Group fresh = submit("fresh", FOR_EVER);
        submit("other", FOR_EVER);
        queue.processEvents();
        assertThat(queue.mayStartDirectly(known)).isFalse();
        assertThat(queue.startedDirectly(known, time.nanoTime())).isFalse();
        assertThat(queue.mayStartDirectly(fresh)).isTrue();
        queue.setWhiteList(Set.of("known"));
        assertThat(queue.mayStartDirectly(known)).isTrue();
    }

    @Test
    void pendingEventMayHaveFreedAPermit() {
        Group known = establishedKey();
        Group other = submit("other", FOR_EVER);
        submit("fresh", FOR_EVER);
        queue.processEvents();
        assertThat(queue.mayStartDirectly(known)).isFalse();
        queue.completed(other, time.nanoTime() - MS, time.nanoTime());
        assertThat(queue.mayStartDirectly(known)).isTrue();
    }

    @Test
    void noKeyMayStartWhileTheLockIsTaken() throws InterruptedException {
        Group known = establishedKey();
        submit("slow", IsolationKit.SLOW_NANOS);
        time.runUntil(
                time.nanoTime() + IsolationKit.SLOW_NANOS + MS); // the completion of the slow task is not processed yet
        blocks = true;
        Thread reader = new Thread(queue::processEvents);
        reader.start();
        IsolationKit.await(locked);
        assertThat(queue.mayStartDirectly(known)).isFalse();
        assertThat(queue.startedDirectly(known, time.nanoTime())).isFalse();
        checked.countDown();
        reader.join();
    }

    /** Fast, slow, changing, hung and new keys on one budget. */
    @Test
    void neverRefusesATaskThatWouldStart() {
        Checked checkedQueue = new Checked();
        WorkloadMix mix = new WorkloadMix(20).length(60 * SECOND);
        for (int i = 0; i < 6; i++) {
            mix.random("fast" + i, true, 20 * MS, 60 * MS);
        }
        for (int i = 0; i < 4; i++) {
            mix.random("slow" + i, false, SECOND, 300 * MS);
        }
        for (int i = 0; i < 100; i++) {
            mix.add("new" + i, false, i * 500 * MS, t -> Long.MAX_VALUE, t -> 50 * MS, 3);
        }
        mix.add("changing", false, 0, t -> t + 100 * MS, t -> t % (10 * SECOND) > 5 * SECOND ? SECOND : 10 * MS, 1);
        mix.add("hung", false, 30 * SECOND, t -> t + 2 * SECOND, t -> t < 40 * SECOND ? 10 * MS : FOR_EVER, 1);
        mix.play(checkedQueue::intercept);
        assertThat(checkedQueue.wrong)
                .as("tasks refused although they would start")
                .isZero();
        assertThat(checkedQueue.refusedEarly)
                .as("tasks refused without a permit")
                .isPositive();
    }

    /** Compares the check with the decision. */
    private static final class Checked {
        int wrong;
        int refusedEarly;

        ReadyQueue intercept(Timer timer) {
            IsolationQueue queue =
                    new IsolationQueue(IsolationKit.DEFAULTS, 20, timer, IsolationKit.NO_CHANGE_LISTENER);
            return (ReadyQueue) Proxy.newProxyInstance(
                    ReadyQueue.class.getClassLoader(), new Class<?>[] {ReadyQueue.class}, (proxy, method, args) -> {
                        if (method.getName().equals("mayStartDirectly")) {
                            return true; // so that the kernel asks for the decision in any case
                        }
                        if (!method.getName().equals("startedDirectly")) {
                            return method.invoke(queue, args);
                        }
                        boolean may = queue.mayStartDirectly((Competitor) args[0]);
                        Object starts = method.invoke(queue, args);
                        wrong += !may && starts.equals(true) ? 1 : 0;
                        refusedEarly += may ? 0 : 1;
                        return starts;
                    });
        }
    }
}
