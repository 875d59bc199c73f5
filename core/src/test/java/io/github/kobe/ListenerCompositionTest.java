package io.github.kobe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Is each of several listeners notified of everything, whatever the others do? */
class ListenerCompositionTest {

    private static final TaskIdentity TASK = new Task("g", "t", "tag");
    private static final GroupResult<String> RESULT = GroupResult.success("g", "t", "value", 0, 0);
    private static final Rejection REJECTION =
            new Rejection(RejectionReason.GROUP_QUEUE_FULL, 1, 2, 1, 2, Duration.ZERO);

    /** A call, and what a listener records that overrides the same overload. */
    record Call(String event, Consumer<TaskLifecycleListener> on) {
        @Override
        public String toString() {
            return event;
        }
    }

    record Task(String groupKey, String taskId, String tag) implements TaskIdentity {}

    private final List<String> events = new ArrayList<>();

    /** Overrides the overloads with key and name. */
    private class ByName implements TaskLifecycleListener {
        private final String name;

        ByName(String name) {
            this.name = name;
        }

        void hear(String event) {
            events.add(name + " " + event);
        }

        @Override
        public void onSubmitted(String groupKey, String taskId) {
            hear("submitted " + groupKey + "/" + taskId);
        }

        @Override
        public void onStarted(String groupKey, String taskId) {
            hear("started " + groupKey + "/" + taskId);
        }

        @Override
        public void onCompleted(String groupKey, String taskId, GroupResult<?> result) {
            hear("completed " + groupKey + "/" + taskId + " " + result.value());
        }

        @Override
        public void onRejected(String groupKey, String taskId, String reason) {
            hear("rejected " + groupKey + "/" + taskId + " " + reason);
        }
    }

    /** Overrides the overloads with a task too. */
    private class ByTask extends ByName {
        ByTask(String name) {
            super(name);
        }

        @Override
        public void onSubmitted(TaskIdentity task) {
            hear("submitted " + task);
        }

        @Override
        public void onStarted(TaskIdentity task) {
            hear("started " + task);
        }

        @Override
        public void onRetry(TaskIdentity task, int failedAttempts, Throwable fault, Duration delay) {
            hear("retry " + task + " " + failedAttempts + " " + fault.getMessage() + " " + delay);
        }

        @Override
        public void onCompleted(TaskIdentity task, GroupResult<?> result) {
            hear("completed " + task + " " + result.value());
        }

        @Override
        public void onRejected(TaskIdentity task, Rejection rejection) {
            hear("rejected " + task + " " + rejection.reason());
        }
    }

    private final class Throwing extends ByTask {
        private final Throwable fault;

        Throwing(String name, Throwable fault) {
            super(name);
            this.fault = fault;
        }

        @Override
        void hear(String event) {
            super.hear(event);
            ListenerCompositionTest.<RuntimeException>throwAsIs(fault);
        }
    }

    @SuppressWarnings("unchecked")
    private static <E extends Throwable> void throwAsIs(Throwable fault) throws E {
        throw (E) fault;
    }

    static Stream<Call> calls() {
        return Stream.of(
                row("submitted g/t", l -> l.onSubmitted("g", "t")),
                row("started g/t", l -> l.onStarted("g", "t")),
                row("completed g/t value", l -> l.onCompleted("g", "t", RESULT)),
                row("rejected g/t why", l -> l.onRejected("g", "t", "why")),
                row("submitted " + TASK, l -> l.onSubmitted(TASK)),
                row("started " + TASK, l -> l.onStarted(TASK)),
                row(
                        "retry " + TASK + " 2 attempt PT1S",
                        l -> l.onRetry(TASK, 2, new Error("attempt"), Duration.ofSeconds(1))),
                row("completed " + TASK + " value", l -> l.onCompleted(TASK, RESULT)),
                row("rejected " + TASK + " GROUP_QUEUE_FULL", l -> l.onRejected(TASK, REJECTION)));
    }

    private static Call row(String event, Consumer<TaskLifecycleListener> call) {
        return new Call(event, call);
    }

    @ParameterizedTest
    @MethodSource("calls")
    void allListenersAreCalledInOrderByTheSameOverload(Call call) {
        call.on().accept(new ByTask("1").andThen(new ByTask("2")).andThen(new ByTask("3")));
        assertThat(events).containsExactly("1 " + call, "2 " + call, "3 " + call);
    }

    @ParameterizedTest
    @MethodSource("calls")
    void throwingListenerDoesNotPreventTheNext(Call call) {
        Error fault = new AssertionError("on purpose");
        TaskLifecycleListener both = new Throwing("1", fault).andThen(new ByTask("2"));
        assertThat(catchThrowable(() -> call.on().accept(both))).isSameAs(fault).hasNoSuppressedExceptions();
        assertThat(events).containsExactly("1 " + call, "2 " + call);
    }

    @ParameterizedTest
    @MethodSource("calls")
    void listenerWithTheKeyAndNameFormIsCalledOnceByEitherForm(Call call) {
        call.on().accept(new ByName("1").andThen(new ByName("2")));
        if (call.event().startsWith("retry")) {
            assertThat(events).as("it has no overload with key and name").isEmpty();
        } else {
            assertThat(events).hasSize(2).allMatch(line -> line.contains(" g/t"));
        }
    }

    @Test
    void exceptionOfTheLastListenerIsRethrown() {
        Exception fault = new Exception("checked, on the sly");
        TaskLifecycleListener both = new ByTask("1").andThen(new Throwing("2", fault));
        assertThat(catchThrowable(() -> both.onStarted(TASK))).isSameAs(fault);
    }

    @Test
    void laterExceptionsAreSuppressedInTheFirst() {
        Throwable first = new IllegalStateException("first");
        Throwable second = new StackOverflowError("second");
        Throwable third = new IllegalArgumentException("third");
        TaskLifecycleListener all =
                new Throwing("1", first).andThen(new Throwing("2", second)).andThen(new Throwing("3", third));
        assertThat(catchThrowable(() -> all.onSubmitted(TASK))).isSameAs(first);
        assertThat(first.getSuppressed()).containsExactly(second, third);
        assertThat(events).hasSize(3);
    }

    @Test
    void sameExceptionThrownByBothIsRethrown() {
        Throwable shared = new IllegalStateException("shared");
        TaskLifecycleListener both = new Throwing("1", shared).andThen(new Throwing("2", shared));
        assertThat(catchThrowable(() -> both.onSubmitted(TASK)))
                .isSameAs(shared)
                .hasNoSuppressedExceptions();
        assertThat(events).hasSize(2);
    }

    @Test
    void groupingMakesNoDifference() {
        TaskLifecycleListener right = new ByTask("1").andThen(new ByTask("2").andThen(new ByTask("3")));
        right.onSubmitted("g", "t");
        assertThat(events).containsExactly("1 submitted g/t", "2 submitted g/t", "3 submitted g/t");
    }

    @Test
    void keyAndNameFormOfARejectionIsGivenItsText() {
        new ByName("1").onRejected(TASK, REJECTION);
        assertThat(events).containsExactly("1 rejected g/t " + REJECTION);
    }

    @Test
    void listenerThatOverridesNothingTakesEveryCall() {
        TaskLifecycleListener silent = new TaskLifecycleListener() {};
        assertThatCode(() -> calls().forEach(call -> call.on().accept(silent))).doesNotThrowAnyException();
    }
}
