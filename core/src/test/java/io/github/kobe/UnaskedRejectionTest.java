package io.github.kobe;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.TestKit.Log;
import io.github.kobe.internal.kernel.TaskRunner;
import io.github.kobe.internal.time.FakeTimer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Is a rejection logged if no caller asks for it, and only then? */
@Timeout(60)
class UnaskedRejectionTest {

    private static final String LINE = "no caller has asked the handle";

    private final FakeTimer timer = new FakeTimer();

    private GroupExecutor full(RejectionPolicy policy) {
        timer.advance(1);
        GroupExecutor executor = SimGroups.of(
                GroupPolicy.builder()
                        .defaultMaxConcurrencyPerGroup(1)
                        .defaultQueueThresholdPerGroup(0)
                        .rejectionPolicy(policy)
                        .idleGroupTtl(Duration.ofDays(1))
                        .build(),
                TaskRunner.freshVirtualThreads(),
                timer);
        for (String group : List.of("g", "h")) {
            BlockingTask.in(executor, group);
        }
        return executor;
    }

    private void advanceMinutes(int minutes) {
        timer.advance(TimeUnit.MINUTES.toNanos(minutes));
    }

    @Test
    void unaskedRejectionsAreLoggedOnceForEachGroupWithTheirNumber() {
        try (Log log = new Log();
                GroupExecutor executor = full(RejectionPolicy.ABORT)) {
            for (int i = 0; i < 5; i++) {
                executor.submit("g", "lost-" + i, () -> "ran");
            }
            executor.submit("h", "alone", () -> "ran");
            advanceMinutes(1);
            assertThat(log.lines(LINE)).as("callers have a minute").isEmpty();
            advanceMinutes(1);
            assertThat(log.lines("5 tasks of group 'g', the first one: 'lost-0', group queue full"))
                    .hasSize(1);
            assertThat(log.lines(LINE)).hasSize(2);
            advanceMinutes(10);
            assertThat(log.lines(LINE)).as("nothing new").hasSize(2);
        }
    }

    static Stream<Ask> waysToAsk() {
        return Stream.of(
                handle -> expectRejection(handle::await),
                handle -> expectRejection(handle::get),
                handle -> expectRejection(() -> handle.get(Duration.ZERO)),
                handle -> expectRejection(() -> handle.await(0, TimeUnit.SECONDS)),
                handle -> expectRejection(handle::join),
                handle -> expectRejection(() -> handle.join(0, TimeUnit.SECONDS)),
                handle -> expectRejection(handle::isDone),
                handle -> expectRejection(handle::future),
                handle -> expectRejection(handle::toCompletableFuture));
    }

    /** The call may tell of the rejection by throwing it. */
    private static void expectRejection(ThrowingCallable call) {
        try {
            call.call();
        } catch (Throwable thrown) {
            assertThat(thrown).isInstanceOf(RejectedTaskException.class);
        }
    }

    interface Ask {
        void ask(TaskHandle<?> handle);
    }

    @ParameterizedTest
    @MethodSource("waysToAsk")
    void askedRejectionIsNotLogged(Ask ask) {
        try (Log log = new Log();
                GroupExecutor executor = full(RejectionPolicy.ABORT)) {
            TaskHandle<String> asked = executor.submit("g", "t", () -> "ran");
            advanceMinutes(1);
            ask.ask(asked);
            ask.ask(asked);
            advanceMinutes(10);
            assertThat(log.lines(LINE)).isEmpty();
        }
    }

    @Test
    void askingTwiceDoesNotHideAnotherRejection() {
        try (Log log = new Log();
                GroupExecutor executor = full(RejectionPolicy.ABORT)) {
            TaskHandle<String> asked = executor.submit("g", "asked", () -> "ran");
            executor.submit("g", "lost", () -> "ran");
            expectRejection(asked::await);
            expectRejection(asked::await);
            advanceMinutes(2);
            assertThat(log.lines("1 task of group 'g'")).hasSize(1);
        }
    }

    @Test
    void batchesAndViewsAsk() {
        try (Log log = new Log();
                GroupExecutor executor = full(RejectionPolicy.ABORT)) {
            List<GroupTask<String>> tasks = List.of(new GroupTask<>("g", "t", () -> "ran"));
            executor.executeAll(tasks);
            executor.completions(tasks).forEach(result -> {});
            expectRejection(() -> executor.asExecutorService("g").submit(() -> "ran"));
            advanceMinutes(10);
            assertThat(log.lines(LINE)).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = RejectionPolicy.class,
            names = {"THROW", "DISCARD", "CALLER_RUNS"})
    void otherPoliciesLogNothing(RejectionPolicy policy) {
        try (Log log = new Log();
                GroupExecutor executor = full(policy)) {
            expectRejection(() -> executor.submit("g", "t", () -> "ran"));
            advanceMinutes(10);
            assertThat(log.lines(LINE)).isEmpty();
        }
    }
}
