package io.github.kobe.isolation;

import static io.github.kobe.isolation.WorkloadMix.FOR_EVER;
import static io.github.kobe.isolation.WorkloadMix.MS;
import static io.github.kobe.isolation.WorkloadMix.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.internal.fair.ReadyQueue;
import io.github.kobe.internal.kernel.VirtualTime;
import io.github.kobe.internal.time.Timer;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** If free permits are held back from a key until some time passes, does the key start then? */
class HeldBackTest {

    private static final int PERMITS = 11;
    private static final int SLOW_TASKS = 2;

    private static final long SLOW = IsolationKit.SLOW_NANOS;

    private final List<String> starts = new ArrayList<>();
    private final CountDownLatch polled = new CountDownLatch(1);
    private final CountDownLatch unlocked = new CountDownLatch(1);
    private Runnable whenSlow = () -> {};
    private IsolationQueue queue;
    private Thread dispatcher;

    private final VirtualTime time = new VirtualTime(this::readyQueue, PERMITS);

    private ReadyQueue readyQueue(Timer timer) {
        queue = new IsolationQueue(
                IsolationKit.SLOW_BY_COMPLETION, PERMITS, timer, new CapacityPolicy.ChangeListener() {
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
        submit("hangs", 10 * MS);
        for (int i = 0; i < SLOW_TASKS; i++) {
            submit("slow", SLOW);
        }
        time.runUntil(SLOW - 200 * MS);
        for (int i = SLOW_TASKS; i < PERMITS; i++) {
            submit("hangs", FOR_EVER);
        }
        time.runUntil(SLOW + MS); // the completion of the slow tasks is not processed yet
        int before = starts.size();
        assertThat(before).isEqualTo(1 + PERMITS);
        dispatcher = new Thread(() -> submit("hangs", FOR_EVER));
        whenSlow = () -> {
            dispatcher.start();
            await(polled);
        };
        queue.processEvents();
        unlocked.countDown();
        dispatcher.join();
        assertThat(starts)
                .as("the permits that the slow key used are kept from a key that hangs")
                .hasSize(before);
        time.runUntil(SLOW + SECOND);
        assertThat(starts).as("the key was probed").hasSizeGreaterThan(before);
    }
}
