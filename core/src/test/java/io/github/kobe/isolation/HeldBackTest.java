package io.github.kobe.isolation;

import static io.github.kobe.isolation.WorkloadMix.FOR_EVER;
import static io.github.kobe.isolation.WorkloadMix.MS;
import static io.github.kobe.isolation.WorkloadMix.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.internal.fair.ReadyQueue;
import io.github.kobe.internal.kernel.VirtualTime;
import io.github.kobe.internal.time.Timer;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** If free permits are held back from a key until some time passes, does the key start then? */
class HeldBackTest {

    private static final int PERMITS = 11;

    /** How many tasks of a new key may run at first. */
    private static final int MAX_OF_NEW_KEY = 4;

    /** No check of the age of running tasks comes between this time and the end of the slow task, so its completion makes the key slow. */
    private static final IsolationPolicy POLICY =
            IsolationPolicy.builder().slowThreshold(Duration.ofMillis(4500)).build();

    private static final long SLOW = 4700 * MS;

    private final List<String> starts = new ArrayList<>();
    private final CountDownLatch polled = new CountDownLatch(1);
    private final CountDownLatch unlocked = new CountDownLatch(1);
    private Runnable whenSlow = () -> {};
    private IsolationQueue queue;
    private Thread dispatcher;

    private final VirtualTime time = new VirtualTime(this::readyQueue, PERMITS);

    private ReadyQueue readyQueue(Timer timer) {
        queue = new IsolationQueue(POLICY, PERMITS, timer, new CapacityPolicy.ChangeListener() {
            @Override
            public void laneChanged(String key, boolean slow) {
                whenSlow.run();
            }

            @Override
            public void reserveChanged(int from, int to) {}
        });
        return (ReadyQueue) Proxy.newProxyInstance(
                ReadyQueue.class.getClassLoader(), new Class<?>[] {ReadyQueue.class}, (proxy, method, args) -> {
                    boolean byDispatcher = Thread.currentThread() == dispatcher;
                    if (byDispatcher && method.getName().equals("isEmpty")) {
                        unlocked.await();
                    }
                    Object answer = method.invoke(queue, args);
                    if (byDispatcher && method.getName().equals("poll")) {
                        polled.countDown();
                    }
                    return answer;
                });
    }

    private void submit(String key, long duration) {
        time.submit(key, duration, (started, queuedFor) -> starts.add(started), () -> {});
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void alsoIfTheDispatchingThreadFoundTheLockTakenAndThenFree() throws InterruptedException {
        submit("slow", SLOW);
        time.runUntil(SLOW - MS);
        for (int i = 0; i < MAX_OF_NEW_KEY; i++) {
            submit("new", FOR_EVER);
        }
        time.runUntil(SLOW + MS); // the completion of the slow task is not processed yet
        dispatcher = new Thread(() -> submit("new", FOR_EVER));
        whenSlow = () -> {
            dispatcher.start();
            await(polled);
        };
        queue.processEvents();
        unlocked.countDown();
        dispatcher.join();
        assertThat(starts).hasSize(1 + MAX_OF_NEW_KEY);
        time.runUntil(SLOW + SECOND);
        assertThat(starts).hasSize(1 + MAX_OF_NEW_KEY + 1);
    }
}
