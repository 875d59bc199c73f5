package io.github.kobe.scope;

import static io.github.kobe.scope.ScopeKit.assertReachesState;
import static io.github.kobe.scope.ScopeKit.failing;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.github.kobe.TestKit;
import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.TestKit.Caller;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How does await of several tasks handle failures, under each policy and in any order of the tasks? */
@Timeout(60)
class FailurePolicyTest {

    private final IOException fault = new IOException("disk on fire");
    private final BlockingTask slow = BlockingTask.interruptible();

    private static ThreadScope open(FailurePolicy policy) {
        return ThreadScope.open().withFailurePolicy(policy);
    }

    private Task<String> slow(ThreadScope scope) {
        Task<String> task = scope.submit("slow", slow);
        TestKit.await(slow.started);
        return task;
    }

    private Task<String> cancelled(ThreadScope scope) {
        Task<String> task = scope.submit("cancelled", BlockingTask.interruptible());
        task.cancel();
        return task;
    }

    private static List<Task<?>> listed(boolean reversed, Task<?>... tasks) {
        List<Task<?>> list = new ArrayList<>(Arrays.asList(tasks));
        if (reversed) {
            Collections.reverse(list);
        }
        return list;
    }

    // ---- all is well ---------------------------------------------------------------------------------------------

    @ParameterizedTest
    @EnumSource(FailurePolicy.class)
    void successesAreCountedUnderEveryPolicy(FailurePolicy policy) {
        try (ThreadScope scope = open(policy)) {
            Outcome outcome = scope.await(scope.submit(() -> 1), scope.submit(() -> 2));
            assertThat(outcome).isEqualTo(new Outcome(2, 2, 0, 0, List.of()));
            assertThat(outcome.hasFailures()).isFalse();
        }
    }

    @ParameterizedTest
    @EnumSource(FailurePolicy.class)
    void cancelledTasksAreCountedAndAreNoFailuresUnderEveryPolicy(FailurePolicy policy) {
        try (ThreadScope scope = open(policy)) {
            Outcome outcome = scope.await(List.of(cancelled(scope), scope.submit(() -> 2)));
            assertThat(outcome).isEqualTo(new Outcome(2, 1, 0, 1, List.of()));
        }
    }

    @ParameterizedTest
    @EnumSource(FailurePolicy.class)
    void awaitAllReturnsTheValuesInTheOrderOfTheTasks(FailurePolicy policy) {
        try (ThreadScope scope = open(policy)) {
            BlockingTask late = BlockingTask.interruptible();
            Task<String> first = scope.submit(late);
            Task<String> second = scope.submit(() -> {
                late.release();
                return "second";
            });
            assertThat(scope.awaitAll(first, second)).containsExactly("released", "second");
            assertThat(scope.awaitAll(List.of(second, first))).containsExactly("second", "released");
        }
    }

    @Test
    void awaitOfNoTasksReturnsAnEmptyOutcome() {
        try (ThreadScope scope = ThreadScope.open()) {
            assertThat(scope.await(List.of())).isEqualTo(new Outcome(0, 0, 0, 0, List.of()));
            scope.submit(() -> 1).await();
            assertThat(scope.await(List.of())).isEqualTo(new Outcome(0, 0, 0, 0, List.of()));
            assertThat(scope.awaitAll(List.<Task<String>>of())).isEmpty();
        }
    }

    @Test
    void sameTaskMayBeListedTwice() {
        try (ThreadScope scope = open(FailurePolicy.SUPERVISOR)) {
            Task<Integer> one = scope.submit(() -> 1);
            assertThat(scope.await(one, one).succeeded()).isEqualTo(2);
        }
    }

    // ---- those that act at once ----------------------------------------------------------------------------------

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void failFastThrowsTheFirstFailureAndCancelsTheOtherTasksInAnyOrder(boolean reversed) {
        try (ThreadScope scope = open(FailurePolicy.FAIL_FAST)) {
            Task<String> slowTask = slow(scope);
            Task<String> failed = scope.submit("failed", failing(fault));
            assertThatThrownBy(() -> scope.await(listed(reversed, slowTask, failed)))
                    .isInstanceOf(TaskExecutionException.class)
                    .hasCause(fault);
            assertThat(slowTask.isCancelled()).isTrue();
            TestKit.await(slow.interrupted);
        }
    }

    @Test
    void failureIsHandledAtOnceEvenIfAnEarlierListedTaskStillRuns() throws Exception {
        BlockingTask failsLater = BlockingTask.interruptible();
        IllegalStateException unchecked = new IllegalStateException("later");
        try (ThreadScope scope = open(FailurePolicy.FAIL_FAST)) {
            Task<String> slowTask = slow(scope);
            Task<String> failing = scope.submit(() -> {
                failsLater.call();
                throw unchecked;
            });
            Caller<Throwable> waiter = Caller.of(() -> catchThrowable(() -> scope.await(slowTask, failing)));
            waiter.awaitWaiting();
            failsLater.release();
            assertThat(waiter.result()).isSameAs(unchecked);
            assertThat(slowTask.isCancelled()).isTrue();
        }
    }

    @Test
    void failFastDoesNotCancelTasksThatAreNotAwaited() {
        try (ThreadScope scope = open(FailurePolicy.FAIL_FAST)) {
            Task<String> other = slow(scope);
            assertThatThrownBy(() -> scope.await(scope.submit(failing(fault)))).hasCause(fault);
            assertThat(other.isDone()).isFalse();
            slow.release();
            assertThat(other.await()).isEqualTo("released");
        }
    }

    @Test
    void failureOfATaskThatIsNotAwaitedIsNotThrown() throws Exception {
        try (ThreadScope scope = open(FailurePolicy.FAIL_FAST)) {
            Task<String> waitedFor = slow(scope);
            Caller<Outcome> waiter = Caller.of(() -> scope.await(waitedFor));
            waiter.awaitWaiting();
            assertReachesState(scope.submit(failing(fault)), Task.State.FAILED);
            slow.release();
            assertThat(waiter.result().succeeded()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void cancelOthersCancelsAndListsTheFailureInAnyOrder(boolean reversed) {
        try (ThreadScope scope = open(FailurePolicy.CANCEL_OTHERS)) {
            Task<String> slowTask = slow(scope);
            Task<Integer> succeeded = scope.submit(() -> 1);
            succeeded.await();
            Outcome outcome = scope.await(listed(reversed, slowTask, succeeded, scope.submit(failing(fault))));
            assertThat(outcome).isEqualTo(new Outcome(3, 1, 1, 1, List.of(fault)));
            assertThat(outcome.hasFailures()).isTrue();
            TestKit.await(slow.interrupted);
        }
    }

    @Test
    void cancelOthersDequeuesQueuedTasks() {
        try (ThreadScope scope =
                open(FailurePolicy.CANCEL_OTHERS).withConcurrencyLimit(1).withQueueing(true)) {
            Task<String> failing = scope.submit(() -> {
                slow.call();
                throw fault;
            });
            List<Task<?>> tasks = new ArrayList<>(List.of(failing));
            for (int i = 0; i < 50; i++) {
                tasks.add(scope.submit("waits", BlockingTask.interruptible()));
            }
            slow.release();
            assertThat(scope.await(tasks)).isEqualTo(new Outcome(51, 0, 1, 50, List.of(fault)));
        }
    }

    // ---- those that wait -----------------------------------------------------------------------------------------

    /** Two failures, a success and a cancelled task. One of them still runs when the wait begins. */
    private Caller<Object> waiting(ThreadScope scope, Task<?> slowTask, Exception second) {
        Task<String> one = scope.submit("one", failing(fault));
        Task<String> other = scope.submit("other", failing(second));
        Task<String> cancelled = cancelled(scope);
        Caller<Object> waiter = Caller.of(() -> {
            try {
                return scope.await(one, slowTask, cancelled, other);
            } catch (RuntimeException e) {
                return e;
            }
        });
        waiter.awaitWaiting();
        assertReachesState(one, Task.State.FAILED);
        assertReachesState(other, Task.State.FAILED);
        TestKit.letOthersRun();
        assertThat(waiter.isDone()).as("waits for all").isFalse();
        assertThat(slowTask.isDone()).as("leaves the others alone").isFalse();
        return waiter;
    }

    @Test
    void collectAllWaitsForAllThenThrowsAllFailures() throws Exception {
        RuntimeException second = new IllegalStateException("second");
        try (ThreadScope scope = open(FailurePolicy.COLLECT_ALL)) {
            Caller<Object> waiter = waiting(scope, slow(scope), second);
            slow.release();
            AggregateException thrown = (AggregateException) waiter.result();
            assertThat(thrown.failures()).containsExactly(fault, second);
            assertThat(thrown).hasCause(fault).hasSuppressedException(second);
            assertThat(thrown).hasMessageContainingAll("2 of 4", scope.id());
        }
    }

    @Test
    void supervisorWaitsForAllAndListsTheFailures() throws Exception {
        RuntimeException second = new IllegalStateException("second");
        try (ThreadScope scope = open(FailurePolicy.SUPERVISOR)) {
            Caller<Object> waiter = waiting(scope, slow(scope), second);
            slow.release();
            assertThat(waiter.result()).isEqualTo(new Outcome(4, 1, 2, 1, List.of(fault, second)));
        }
    }

    @Test
    void ignoreAllWaitsForAllAndOnlyCountsTheFailures() throws Exception {
        try (ThreadScope scope = open(FailurePolicy.IGNORE_ALL)) {
            Caller<Object> waiter = waiting(scope, slow(scope), new IllegalStateException("second"));
            slow.release();
            assertThat(waiter.result()).isEqualTo(new Outcome(4, 1, 2, 1, List.of()));
        }
    }

    // ---- awaitAll ------------------------------------------------------------------------------------------------

    @ParameterizedTest
    @EnumSource(
            value = FailurePolicy.class,
            names = {"SUPERVISOR", "IGNORE_ALL"})
    void awaitAllReturnsNullForTasksWithoutAValue(FailurePolicy policy) {
        try (ThreadScope scope = open(policy)) {
            List<Task<String>> tasks =
                    List.of(scope.submit(failing(fault)), scope.submit(() -> "value"), cancelled(scope));
            assertThat(scope.awaitAll(tasks)).containsExactly(null, "value", null);
        }
    }

    @Test
    void waiterForACancelledTaskLearnsTheCause() throws Exception {
        try (ThreadScope scope = ThreadScope.open()) {
            Task<String> task = slow(scope);
            task.cancel();
            assertThatThrownBy(task::await)
                    .isInstanceOf(CancelledException.class)
                    .hasMessage("task '" + task.name() + "' of " + scope.id() + " was cancelled: by its handle");
        }
    }

    @Test
    void awaitAllAcceptsTasksOfSeveralTypes() {
        try (ThreadScope scope = ThreadScope.open()) {
            Task<Integer> number = scope.submit(() -> 1);
            Task<String> text = scope.submit(() -> "two");
            List<Object> values = scope.awaitAll(number, text);
            assertThat(values).containsExactly(1, "two");
            List<Number> numbers = scope.awaitAll(List.of(number, number));
            assertThat(numbers).containsExactly(1, 1);
        }
    }

    @Test
    void awaitAllUnderCancelOthersReturnsTheValuesOfSuccessfulTasks() {
        try (ThreadScope scope = open(FailurePolicy.CANCEL_OTHERS)) {
            Task<String> value = scope.submit(() -> "value");
            value.await();
            assertThat(scope.awaitAll(List.of(slow(scope), value, scope.submit(failing(fault)))))
                    .containsExactly(null, "value", null);
        }
    }

    @Test
    void awaitAllThrowsIfAwaitThrows() {
        try (ThreadScope scope = open(FailurePolicy.FAIL_FAST)) {
            assertThatThrownBy(() -> scope.awaitAll(scope.submit(failing(fault))))
                    .hasCause(fault);
        }
        try (ThreadScope scope = open(FailurePolicy.COLLECT_ALL)) {
            assertThatThrownBy(() -> scope.awaitAll(scope.submit(failing(fault))))
                    .isInstanceOf(AggregateException.class);
        }
    }

    // ---- interruption --------------------------------------------------------------------------------------------

    @ParameterizedTest
    @EnumSource(FailurePolicy.class)
    void interruptedWaiterThrowsCancelledKeepsItsInterruptFlagAndTheTasksContinue(FailurePolicy policy)
            throws Exception {
        try (ThreadScope scope = open(policy)) {
            Task<String> task = slow(scope);
            AtomicBoolean flag = new AtomicBoolean();
            Caller<Throwable> waiter = Caller.of(() -> {
                Throwable thrown = catchThrowable(() -> scope.await(task));
                flag.set(Thread.currentThread().isInterrupted());
                return thrown;
            });
            waiter.interruptWhenWaiting();
            assertThat(waiter.result()).isInstanceOf(CancelledException.class).hasMessageContaining(scope.id());
            assertThat(flag).isTrue();
            slow.release();
            assertThat(task.await()).isEqualTo("released");
        }
    }

    @Test
    void manyCallersMayAwaitTheSameTasks() throws Exception {
        try (ThreadScope scope = open(FailurePolicy.SUPERVISOR)) {
            Task<String> task = slow(scope);
            Caller<Outcome> one = Caller.of(() -> scope.await(task));
            Caller<Outcome> other = Caller.of(() -> scope.await(task));
            one.awaitWaiting();
            other.awaitWaiting();
            slow.release();
            assertThat(one.result()).isEqualTo(other.result());
        }
    }
}
