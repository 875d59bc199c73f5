package io.github.kobe.scope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.github.kobe.GroupExecutor;
import io.github.kobe.TestKit;
import io.github.kobe.TestKit.BlockingTask;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Does the use of a closed scope, or of another scope's task, throw a clear exception? */
@Timeout(60)
class ScopeMisuseTest {

    private static final AtomicInteger RUNS = new AtomicInteger();

    static Stream<Consumer<ThreadScope>> uses() {
        return Stream.of(
                s -> s.submit(RUNS::incrementAndGet),
                s -> s.submit("t", RUNS::incrementAndGet),
                s -> s.submit("g", "t", RUNS::incrementAndGet),
                s -> s.schedule(Duration.ZERO, RUNS::incrementAndGet),
                s -> s.scheduleAtFixedRate(Duration.ZERO, Duration.ofMillis(1), RUNS::incrementAndGet),
                s -> s.scheduleWithFixedDelay(Duration.ZERO, Duration.ofMillis(1), RUNS::incrementAndGet),
                s -> s.joiner().firstSuccess(RUNS::incrementAndGet),
                s -> s.defer(RUNS::incrementAndGet));
    }

    @ParameterizedTest
    @MethodSource("uses")
    void useAfterCloseThrows(Consumer<ThreadScope> use) {
        RUNS.set(0);
        try (GroupExecutor groups = TestKit.executor(b -> b)) {
            ThreadScope scope = ThreadScope.open().withGroups(groups);
            scope.submit(() -> "ran").await();
            scope.close();
            assertThatIllegalStateException()
                    .isThrownBy(() -> use.accept(scope))
                    .withMessage(scope.id() + " is closed");
        }
        assertThat(RUNS).hasValue(0);
    }

    @ParameterizedTest
    @MethodSource("uses")
    void useAfterCloseOfAnUnusedScopeThrows(Consumer<ThreadScope> use) {
        ThreadScope scope = ThreadScope.open();
        scope.close();
        assertThatIllegalStateException().isThrownBy(() -> use.accept(scope)).withMessage(scope.id() + " is closed");
    }

    @Test
    void tasksCanBeAwaitedAfterClose() {
        ThreadScope scope = ThreadScope.open();
        Task<String> task = scope.submit(() -> "value");
        task.await();
        scope.close();
        assertThat(task.await()).isEqualTo("value");
        assertThat(scope.await(task).succeeded()).isEqualTo(1);
        assertThat(scope.awaitAll(task)).containsExactly("value");
    }

    @Test
    void taskOfAnotherScopeCannotBeAwaited() {
        try (ThreadScope one = ThreadScope.open();
                ThreadScope other = ThreadScope.open()) {
            Task<String> mine = one.submit("mine", BlockingTask.interruptible());
            Task<String> theirs = other.submit("theirs", () -> "value");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> one.await(mine, theirs))
                    .withMessageContainingAll("theirs", other.id(), one.id());
            assertThatIllegalArgumentException().isThrownBy(() -> one.awaitAll(List.of(theirs)));
            assertThat(mine.isDone()).as("nothing was done about the others").isFalse();
        }
    }

    @Test
    void taskOfAnotherScopeCannotBeAwaitedByAScopeWithoutTasks() {
        try (ThreadScope one = ThreadScope.open();
                ThreadScope other = ThreadScope.open()) {
            Task<String> theirs = other.submit(() -> "value");
            assertThatIllegalArgumentException().isThrownBy(() -> one.await(theirs));
        }
    }
}
