package io.github.kobe.scope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.internal.kernel.KernelTask;
import io.github.kobe.scope.ScopeKit.RecordingHook;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What happens to a task whose scope is closed or cancelled during its submission? */
@Timeout(60)
class RejectedScopeTaskTest {

    /** The method of {@link KernelTask} in which a canceller waits for the hook. */
    private static final String WAIT_FOR_HOOKS = "awaitPublished";

    private final AtomicBoolean armed = new AtomicBoolean();

    /** Does {@code action} when the next task is captured: after its scope was found open, and before it is admitted. */
    private ThreadScope doing(Runnable action, ThreadScope scope) {
        return scope.withContextCarrier(() -> {
            if (armed.getAndSet(false)) {
                action.run();
            }
            return null;
        });
    }

    @Test
    void joinThatRacesWithCloseLeavesNoState() {
        RecordingHook heard = new RecordingHook();
        ThreadScope scope = ThreadScope.open();
        doing(scope::close, scope).withHook(heard);
        assertThat(scope.submit("a", () -> 1).await()).isEqualTo(1);
        armed.set(true);
        assertThatIllegalStateException().isThrownBy(() -> scope.joiner().firstSuccess(() -> 1, () -> 2));
        assertThat(scope.metrics()).isEqualTo(metricsOfOne(scope));
        assertThat(heard.all()).containsExactly("start a", "success a");
    }

    private static ScopeMetricsSnapshot metricsOfOne(ThreadScope scope) {
        ScopeMetricsSnapshot now = scope.metrics();
        return new ScopeMetricsSnapshot(1, 1, 0, 0, now.totalDuration(), now.maxDuration());
    }

    @Test
    void joinAndSubmitThatRaceWithCloseLeaveNoStateWithoutAHook() {
        ThreadScope scope = ThreadScope.open();
        doing(scope::close, scope);
        scope.submit(() -> 1).await();
        armed.set(true);
        assertThatIllegalStateException().isThrownBy(() -> scope.joiner().firstSuccess(() -> 1, () -> 2));
        assertThatIllegalStateException().isThrownBy(() -> scope.submit(() -> 1));
        assertThat(scope.metrics()).isEqualTo(metricsOfOne(scope));
    }

    /** The submitter may be the timer thread, for a schedule. */
    @Test
    void submitterThatRacesWithCancelDoesNotWaitForHooks() {
        assertThat(KernelTask.class.getDeclaredMethods())
                .extracting(Method::getName)
                .contains(WAIT_FOR_HOOKS);
        Thread submitter = Thread.currentThread();
        AtomicBoolean returned = new AtomicBoolean();
        AtomicReference<Boolean> waited = new AtomicReference<>();
        ThreadHook slow = new ThreadHook() {
            @Override
            public void onCancel(TaskInfo info, Duration duration) {
                while (!returned.get() && waited.get() == null) {
                    if (waitsForHooks(submitter)) {
                        waited.set(true);
                    }
                }
            }
        };
        try (ThreadScope scope = ThreadScope.open()) {
            doing(() -> scope.token().cancel(), scope).withHook(slow);
            armed.set(true);
            Task<String> task = scope.submit(BlockingTask.interruptible());
            returned.set(true);
            ScopeKit.assertReachesState(task, Task.State.CANCELLED);
        }
        assertThat(waited).hasNullValue();
    }

    private static boolean waitsForHooks(Thread thread) {
        return Arrays.stream(thread.getStackTrace())
                .anyMatch(frame -> frame.getMethodName().equals(WAIT_FOR_HOOKS));
    }
}
