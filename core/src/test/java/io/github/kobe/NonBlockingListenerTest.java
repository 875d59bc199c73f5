package io.github.kobe;

import static io.github.kobe.TestKit.await;
import static io.github.kobe.TestKit.executor;
import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.TestKit.Log;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What does a listener hear that says it does not block, and what happens if it blocks all the same? */
@Timeout(60)
class NonBlockingListenerTest {

    private interface Action {
        Object at(String step) throws Exception;
    }

    private final Queue<String> heard = new ConcurrentLinkedQueue<>();

    /** Notes what it hears, and does something then. */
    private final class Noting implements TaskLifecycleListener {
        private final String name;
        private final boolean mayBlock;
        private final Action action;

        Noting(String name, boolean mayBlock, Action action) {
            this.name = name;
            this.mayBlock = mayBlock;
            this.action = action;
        }

        Noting(String name, boolean mayBlock) {
            this(name, mayBlock, step -> step);
        }

        private void note(String step, TaskIdentity task) {
            heard.add(name + " " + step);
            try {
                action.at(step + " " + task.taskId());
            } catch (RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        }

        @Override
        public boolean mayBlock() {
            return mayBlock;
        }

        @Override
        public void onStarted(TaskIdentity task) {
            note("started", task);
        }

        @Override
        public void onCompleted(TaskIdentity task, GroupResult<?> result) {
            note("completed", task);
        }

        @Override
        public void onRejected(TaskIdentity task, Rejection rejection) {
            note("rejected", task);
        }
    }

    @Test
    void listenersAreCalledInTheOrderOfTheirRegistrationWhetherTheyBlockOrNot() {
        try (GroupExecutor executor = executor(b -> b.taskLifecycleListener(new Noting("a", false)))) {
            executor.addListener(new Noting("b", false));
            executor.addListener(new Noting("c", true));
            executor.addListener(new Noting("d", false));
            resultOf(executor.submit("g", "t", () -> "ran"));
            assertThat(heard)
                    .containsExactly(
                            "a started",
                            "b started",
                            "c started",
                            "d started",
                            "a completed",
                            "b completed",
                            "c completed",
                            "d completed");
        }
    }

    @Test
    void hearsOfRejections() {
        try (GroupExecutor executor = executor(b -> b.defaultMaxConcurrencyPerGroup(1)
                .defaultQueueThresholdPerGroup(0)
                .taskLifecycleListener(new Noting("a", false)))) {
            BlockingTask running = BlockingTask.in(executor, "g");
            TaskHandle<String> rejected = executor.submit("g", "t", () -> "ran");
            assertThatExceptionOfType(RejectedTaskException.class).isThrownBy(rejected::join);
            assertThat(heard).containsExactly("a started", "a rejected");
            running.release();
        }
    }

    @Test
    void whatItThrowsIsReportedAndTheNextListenerIsCalled() {
        Action fault = step -> {
            throw new IllegalStateException("thrown by a listener");
        };
        try (Log log = new Log();
                GroupExecutor executor = executor(b -> b.taskLifecycleListener(new Noting("a", false, fault)))) {
            executor.addListener(new Noting("b", false));
            assertThat(resultOf(executor.submit("g", "t", () -> "ran")).value()).isEqualTo("ran");
            assertThat(heard).containsExactly("a started", "b started", "a completed", "b completed");
            assertThat(executor.callbackFaults()).isEqualTo(2);
            assertThat(log.lines("listener onStarted")).isNotEmpty();
        }
    }

    static List<Baggage> bothForms() {
        return List.of(Baggage.installed(), Baggage.wrapped());
    }

    @ParameterizedTest
    @MethodSource("bothForms")
    void isCalledInsideTheContextOfTheTask(Baggage baggage) {
        Queue<String> contexts = new ConcurrentLinkedQueue<>();
        Noting listener = new Noting("a", false, step -> contexts.add(step + " in " + baggage.get()));
        try (GroupExecutor executor =
                executor(b -> b.contextCarrier(baggage.carrier).taskLifecycleListener(listener))) {
            baggage.set("request 1");
            TaskHandle<String> handle = executor.submit("g", "t", () -> "ran");
            baggage.set(null);
            resultOf(handle);
            assertThat(contexts).containsExactly("started t in request 1", "completed t in request 1");
        }
    }

    /** A sweep that has taken over a later call would have taken over this one too, in the same sweep or before; one more sweep waits for its report. */
    @Test
    void callThatDoesNotReturnIsWaitedFor() {
        BlockingTask stuck = BlockingTask.uninterruptible();
        BlockingTask taken = BlockingTask.uninterruptible();
        Noting listener = new Noting("a", false, step -> step.equals("started t") ? stuck.call() : step);
        Noting monitored = new Noting("b", true, step -> step.startsWith("started other") ? taken.call() : step);
        try (GroupExecutor executor = executor(b -> b.taskLifecycleListener(listener))) {
            executor.addListener(monitored);
            TaskHandle<String> handle = executor.submit("g", "t", () -> "ran");
            await(stuck.started);
            resultOf(executor.submit("h", "other 1", () -> "ran"));
            resultOf(executor.submit("h", "other 2", () -> "ran"));
            assertThat(executor.callbackFaults()).as("calls of b").isEqualTo(2);
            assertThat(handle.isDone()).isFalse();
            stuck.release();
            assertThat(resultOf(handle).value()).isEqualTo("ran");
        } finally {
            stuck.release();
            taken.release();
        }
    }

    @Test
    void pairMayBlockIfOneOfThemMay() {
        TaskLifecycleListener plain = new TaskLifecycleListener() {};
        Noting counting = new Noting("a", false);
        assertThat(plain.mayBlock()).isTrue();
        assertThat(counting.andThen(plain).mayBlock()).isTrue();
        assertThat(plain.andThen(counting).mayBlock()).isTrue();
        assertThat(counting.andThen(counting).mayBlock()).isFalse();
    }
}
