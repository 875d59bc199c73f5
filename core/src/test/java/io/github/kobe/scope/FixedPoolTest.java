package io.github.kobe.scope;

import static io.github.kobe.TestKit.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Do the idle threads of a fixed pool terminate? */
@Timeout(60)
class FixedPoolTest {

    private static List<FixedPool> pools() {
        return List.of(FixedPool.inSubmissionOrder(2), FixedPool.byPriority(2));
    }

    /** One task, on one thread. */
    private static void workOn(FixedPool pool) {
        try (ThreadScope scope = ThreadScope.open().withScheduler(Scheduler.from(pool))) {
            ScopeKit.blocker(scope);
            assertThat(pool.getPoolSize()).isEqualTo(1);
        }
    }

    @Test
    void allIdleThreadsTerminateAfterAMinute() {
        for (FixedPool pool : pools()) {
            try (pool) {
                assertThat(pool.getKeepAliveTime(TimeUnit.SECONDS)).isEqualTo(60);
                assertThat(pool.allowsCoreThreadTimeOut()).isTrue();
            }
        }
    }

    @Test
    void idleThreadsTerminateWhileThePoolIsOpenAndTheNextTaskStartsAThread() {
        for (FixedPool pool : pools()) {
            try (pool) {
                pool.setKeepAliveTime(1, TimeUnit.NANOSECONDS); // the test does not wait for an idle minute
                for (int i = 0; i < 2; i++) {
                    workOn(pool);
                    eventually(() -> assertThat(pool.getPoolSize()).isZero());
                }
                assertThat(pool.isShutdown()).isFalse();
            }
        }
    }
}
