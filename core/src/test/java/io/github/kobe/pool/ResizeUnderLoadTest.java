package io.github.kobe.pool;

import static io.github.kobe.TestKit.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.TestKit;
import io.github.kobe.TestKit.Peak;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Does a pool that is resized all the time lose a task or a thread? */
class ResizeUnderLoadTest {

    private static final int TIMES = 1000;
    private static final int MOST = 64;

    @Test
    void resizingAThousandTimesLosesNoTaskAndLeaksNoThread() throws Throwable {
        Set<Thread> threads = ConcurrentHashMap.newKeySet();
        AtomicInteger ran = new AtomicInteger();
        AtomicInteger submitted = new AtomicInteger();
        Peak peak = new Peak();
        WorkerPool pool = WorkerPool.builder()
                .keepAlive(Duration.ZERO)
                .threads(work -> {
                    Thread thread = new Thread(() -> {
                        try {
                            work.run();
                        } finally {
                            threads.remove(Thread.currentThread());
                        }
                    });
                    threads.add(thread);
                    return thread;
                })
                .build();
        TestKit.whileRepeating(
                () -> {
                    if (submitted.get() - ran.get() < 500) { // bounds the queue
                        submitted.incrementAndGet();
                        pool.submit(() -> peak.during(ran::incrementAndGet));
                    }
                },
                () -> {
                    for (int i = 0; i < TIMES; i++) {
                        pool.setMaxWorkers(MOST);
                        pool.setMaxWorkers(1);
                    }
                });
        eventually(() -> {
            assertThat(pool.stats().workers()).isEqualTo(1);
            assertThat(threads).hasSize(1);
        });
        pool.shutdown();
        assertThat(ran.get()).isEqualTo(submitted.get());
        assertThat(pool.stats().completed()).isEqualTo(submitted.get());
        assertThat(peak.most()).isLessThanOrEqualTo(MOST);
        eventually(() -> assertThat(threads).isEmpty());
    }
}
