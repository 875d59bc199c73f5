package io.github.kobe.isolation;

import static io.github.kobe.isolation.Mix.FOR_EVER;
import static io.github.kobe.isolation.Mix.MS;
import static io.github.kobe.isolation.Mix.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.internal.fair.ReadyQueue;
import io.github.kobe.internal.kernel.VirtualTime;
import io.github.kobe.internal.time.Timer;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Is a key that free places are held back from looked at again when that is over, whoever found out? */
class ReserveTest {

    private static final int PLACES = 11;

    /** So many tasks of a new key may run at first. */
    private static final int MOST = 4;

    private final List<String> starts = new ArrayList<>();
    private final CountDownLatch polled = new CountDownLatch(1);
    private final CountDownLatch unlocked = new CountDownLatch(1);
    private Runnable whenSlow = () -> {};
    private IsolationQueue tenants;
    private Thread server;

    private final VirtualTime time = new VirtualTime(this::strategy, PLACES);

    private ReadyQueue strategy(Timer timer) {
        tenants = new IsolationQueue(Thresholds.USUAL, PLACES, timer, new CapacityPolicy.ChangeListener() {
            @Override
            public void laneChanged(String key, boolean slow) {
                whenSlow.run();
            }

            @Override
            public void reserveChanged(int from, int to) {}
        });
        return (ReadyQueue) Proxy.newProxyInstance(
                ReadyQueue.class.getClassLoader(), new Class<?>[] {ReadyQueue.class}, (proxy, method, args) -> {
                    boolean byServer = Thread.currentThread() == server;
                    if (byServer && method.getName().equals("isEmpty")) {
                        unlocked.await();
                    }
                    Object answer = method.invoke(tenants, args);
                    if (byServer && method.getName().equals("poll")) {
                        polled.countDown();
                    }
                    return answer;
                });
    }

    private void submit(String key, long duration) {
        time.submit(key, duration, (its, waited) -> starts.add(its), () -> {});
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void byAServerThatFoundTheLockTakenAndThenFree() throws InterruptedException {
        submit("slow", 2 * SECOND);
        time.runUntil(2 * SECOND - MS);
        for (int i = 0; i < MOST; i++) {
            submit("new", FOR_EVER);
        }
        time.runUntil(2 * SECOND + MS); // the end of the slow one is not taken in yet
        server = new Thread(() -> submit("new", FOR_EVER));
        whenSlow = () -> {
            server.start();
            await(polled);
        };
        tenants.processEvents();
        unlocked.countDown();
        server.join();
        assertThat(starts).hasSize(1 + MOST);
        time.runUntil(3 * SECOND);
        assertThat(starts).hasSize(1 + MOST + 1);
    }
}
