package io.github.kobe.isolation;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.TaskHandle;
import io.github.kobe.TestKit;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A task of the isolation face waits for a task of its own key, or of another, while there is no other permit. */
@Timeout(60)
class IsolationWaitTest {

    private final IsolationKit.Clock clock = new IsolationKit.Clock();

    @Test
    void waitsForTasksOfItsOwnKeyAndOfAnother() throws Exception {
        try (IsolationExecutor executor = IsolationKit.executor(clock, p -> p.maxConcurrency(1))) {
            for (String key : new String[] {"a", "b"}) {
                TaskHandle<Integer> outer = executor.submit(
                        "a", () -> executor.submit(key, () -> 1).await().value() + 1);
                assertThat(TestKit.resultOf(outer).value()).isEqualTo(2);
            }
            assertThat(executor.call("a", () -> executor.call("a", () -> 3))).isEqualTo(3);
            assertThat(executor.call("a", () -> executor.call("b", () -> 4))).isEqualTo(4);
            assertThat(executor.tryAcquire("a", Duration.ZERO).isGranted()).isTrue();
        }
    }
}
