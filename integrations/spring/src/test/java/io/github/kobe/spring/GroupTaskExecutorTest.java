package io.github.kobe.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.kobe.ExecutorShutdownException;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.RejectionPolicy;
import io.github.kobe.RejectionReason;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.core.task.TaskDecorator;
import org.springframework.core.task.TaskRejectedException;

/** Are the tasks of a task executor tasks of the right group, and do their futures say what became of them? */
class GroupTaskExecutorTest {

    private GroupExecutor groups;

    private GroupTaskExecutor start(GroupPolicy.Builder policy) {
        groups = GroupExecutor.newVirtualThreadExecutor(policy.build());
        return GroupTaskExecutor.of(groups, "reports");
    }

    @AfterEach
    void stop() {
        groups.close();
    }

    private Blocker block(GroupTaskExecutor executor) throws InterruptedException {
        Blocker blocker = new Blocker();
        executor.submit(blocker);
        return blocker.awaitStarted();
    }

    // ---- keys ----------------------------------------------------------------------------------------------------

    @Test
    void tasksBelongToTheGroup() throws Exception {
        GroupTaskExecutor executor = start(SpringKit.limit(2));
        AtomicReference<Boolean> held = new AtomicReference<>();
        executor.submit(() -> held.set(groups.holds("reports"))).get();
        assertThat(held).hasValue(true);
        assertThat(executor.submit(() -> groups.holds("reports")).get()).isTrue();
        assertThat(executor.submitCompletable(() -> groups.holds("reports")).get())
                .isTrue();
        executor.execute(() -> held.set(null));
        await().untilAtomic(held, org.hamcrest.Matchers.nullValue());
    }

    @Test
    void aSupplierIsAskedOnTheSubmittersThreadAtEachSubmission() throws Exception {
        start(SpringKit.limit(1));
        ThreadLocal<String> tenant = new ThreadLocal<>();
        GroupTaskExecutor executor =
                GroupTaskExecutor.builder(groups).groupKey(tenant::get).build();
        for (String key : List.of("a/b", "ü", " ", "")) {
            tenant.set(key);
            assertThat(executor.submit(() -> groups.holds(key)).get()).as(key).isTrue();
        }
        tenant.remove();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> executor.submit(() -> "never"))
                .withMessageContaining("no group key");
    }

    @Test
    void aFunctionGetsTheSubmittedTask() throws Exception {
        start(SpringKit.limit(1));
        GroupTaskExecutor executor = GroupTaskExecutor.builder(groups)
                .groupKeyOf(task -> ((Report) task).tenant())
                .taskDecorator(task -> () -> task.run())
                .build();
        assertThat(executor.submit((Callable<Boolean>) new Report("acme", groups))
                        .get())
                .isTrue();
        assertThat(executor.submitCompletable((Callable<Boolean>) new Report("acme", groups))
                        .get())
                .isTrue();
    }

    private record Report(String tenant, GroupExecutor groups) implements Callable<Boolean> {
        @Override
        public Boolean call() {
            return groups.holds(tenant);
        }
    }

    @Test
    void aBuilderWithoutAKeyFails() {
        start(SpringKit.limit(1));
        GroupTaskExecutor.Builder builder = GroupTaskExecutor.builder(groups);
        assertThatIllegalStateException().isThrownBy(builder::build).withMessageContaining("groupKey");
    }

    // ---- outcomes ------------------------------------------------------------------------------------------------

    @Test
    void whatATaskThrowsIsTheCauseInItsFuture() {
        GroupTaskExecutor executor = start(SpringKit.limit(1));
        IOException fault = new IOException("failed");
        Callable<String> failing = () -> {
            throw fault;
        };
        assertThatThrownBy(() -> executor.submit(failing).get()).hasCause(fault);
        assertThatThrownBy(() -> executor.submitCompletable(failing).get()).hasCause(fault);
        AssertionError error = new AssertionError("error");
        assertThatThrownBy(() -> executor.submit(() -> {
                            throw error;
                        })
                        .get())
                .hasCause(error);
    }

    @Test
    void whatAnExecutedTaskThrowsGoesToTheUncaughtExceptionHandler() throws Exception {
        GroupTaskExecutor executor = start(SpringKit.limit(1));
        CompletableFuture<Throwable> uncaught = new CompletableFuture<>(); // Awaitility would replace the handler
        Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
        Thread.setDefaultUncaughtExceptionHandler((thread, fault) -> uncaught.complete(fault));
        try {
            IllegalStateException fault = new IllegalStateException("uncaught");
            executor.execute(() -> {
                throw fault;
            });
            assertThat(uncaught.get()).isSameAs(fault);
        } finally {
            Thread.setDefaultUncaughtExceptionHandler(before);
        }
    }

    @Test
    void aCancelWithdrawsAQueuedTask() throws Exception {
        GroupTaskExecutor executor = start(GroupPolicy.builder());
        Blocker blocker = block(executor);
        List<Future<?>> futures = List.of(
                executor.submit(() -> "never"),
                executor.submit(() -> {}),
                executor.submitCompletable(() -> "never"),
                executor.submitCompletable(() -> {}));
        assertThat(SpringKit.queued(groups, "reports")).isEqualTo(4);
        for (Future<?> future : futures) {
            assertThat(future.cancel(false)).isTrue();
            assertThat(future.isCancelled()).isTrue();
            assertThatExceptionOfType(CancellationException.class).isThrownBy(future::get);
        }
        assertThat(SpringKit.queued(groups, "reports")).isZero();
        blocker.release();
    }

    @Test
    void cancelTrueInterruptsARunningTask() throws Exception {
        GroupTaskExecutor executor = start(SpringKit.limit(1));
        AtomicReference<Throwable> seen = new AtomicReference<>();
        Blocker blocker = new Blocker();
        Future<?> future = executor.submit(() -> {
            try {
                return blocker.call();
            } catch (InterruptedException e) {
                seen.set(e);
                throw e;
            }
        });
        blocker.awaitStarted();
        future.cancel(true);
        await().untilAtomic(seen, org.hamcrest.Matchers.notNullValue());
        await().until(() -> SpringKit.active(groups, "reports") == 0);
    }

    @Test
    void aTaskThatWaitsForATaskOfItsGroupDoesNotDeadlock() throws Exception {
        GroupTaskExecutor executor = start(GroupPolicy.builder().defaultMaxConcurrencyPerGroup(1));
        Future<String> outer = executor.submit(() -> {
            Future<String> inner = executor.submit(() -> "inner");
            Future<String> timed = executor.submit(() -> "timed");
            return inner.get() + " " + timed.get(1, TimeUnit.MINUTES);
        });
        assertThat(outer.get(1, TimeUnit.MINUTES)).isEqualTo("inner timed");
    }

    @Test
    void aTimedWaitTimesOut() throws Exception {
        GroupTaskExecutor executor = start(SpringKit.limit(1));
        Blocker blocker = new Blocker();
        Future<Boolean> future = executor.submit(blocker);
        assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> future.get(1, TimeUnit.MILLISECONDS));
        blocker.release();
        assertThat(future.get(1, TimeUnit.MINUTES)).isTrue();
    }

    @Test
    void aShutdownOfTheGroupCancelsTheFuture() throws Exception {
        GroupTaskExecutor executor = start(GroupPolicy.builder());
        Blocker blocker = block(executor);
        CompletableFuture<String> queued = executor.submitCompletable(() -> "never");
        groups.shutdownGroup("reports");
        assertThatExceptionOfType(CancellationException.class).isThrownBy(queued::join);
        blocker.release();
    }

    // ---- rejections ----------------------------------------------------------------------------------------------

    @ParameterizedTest
    @EnumSource(
            value = RejectionPolicy.class,
            names = {"ABORT", "THROW", "BLOCK", "DISCARD_OLDEST"})
    void aRejectedTaskThrowsWithTheCause(RejectionPolicy policy) throws Exception {
        GroupTaskExecutor executor =
                start(SpringKit.limit(1).rejectionPolicy(policy).maxBlockTime(Duration.ofMillis(1)));
        Blocker blocker = block(executor);
        List<Runnable> submissions = List.of(
                () -> executor.execute(() -> {}),
                () -> executor.submit(() -> {}),
                () -> executor.submit(() -> "never"),
                () -> executor.submitCompletable(() -> {}),
                () -> executor.submitCompletable(() -> "never"));
        for (Runnable submission : submissions) {
            assertThatExceptionOfType(TaskRejectedException.class)
                    .isThrownBy(submission::run)
                    .withMessageContaining("reports")
                    .havingCause()
                    .isInstanceOfSatisfying(RejectedTaskException.class, cause -> {
                        assertThat(cause.reason()).isEqualTo(RejectionReason.GROUP_QUEUE_FULL);
                        assertThat(cause.rejection().limit()).isEqualTo(1);
                    });
        }
        blocker.release();
    }

    @Test
    void aDiscardedTaskFailsItsFuture() throws Exception {
        GroupTaskExecutor executor = start(SpringKit.limit(1).rejectionPolicy(RejectionPolicy.DISCARD));
        Blocker blocker = block(executor);
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> executor.submit(() -> "never").get())
                .havingCause()
                .isInstanceOf(TaskRejectedException.class)
                .havingCause()
                .isInstanceOf(RejectedTaskException.class);
        blocker.release();
    }

    @Test
    void aDisplacedTaskFailsItsFuture() throws Exception {
        GroupTaskExecutor executor = start(
                GroupPolicy.builder().defaultQueueThresholdPerGroup(1).rejectionPolicy(RejectionPolicy.DISCARD_OLDEST));
        Blocker blocker = block(executor);
        Future<String> displaced = executor.submit(() -> "never");
        Future<String> newest = executor.submit(() -> "newest");
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(displaced::get)
                .withCauseInstanceOf(TaskRejectedException.class);
        blocker.release();
        assertThat(newest.get()).isEqualTo("newest");
    }

    @Test
    void underCallerRunsTheTaskRunsOnTheCaller() throws Exception {
        GroupTaskExecutor executor = start(SpringKit.limit(1).rejectionPolicy(RejectionPolicy.CALLER_RUNS));
        Blocker blocker = block(executor);
        assertThat(executor.submit(Thread::currentThread).get()).isSameAs(Thread.currentThread());
        blocker.release();
    }

    @Test
    void afterAShutdownATaskIsRejected() {
        GroupTaskExecutor executor = start(SpringKit.limit(1));
        groups.shutdown();
        assertThatExceptionOfType(TaskRejectedException.class)
                .isThrownBy(() -> executor.submit(() -> "never"))
                .withCauseInstanceOf(ExecutorShutdownException.class);
    }

    // ---- decorators ----------------------------------------------------------------------------------------------

    private static TaskDecorator recording(String name, List<String> events) {
        return task -> {
            events.add("decorated by " + name);
            return () -> {
                events.add(name + " before");
                task.run();
                events.add(name + " after");
            };
        };
    }

    @Test
    void decoratorsAreCalledAtSubmissionAndWrapTheTask() throws Exception {
        start(SpringKit.limit(1));
        List<String> events = new CopyOnWriteArrayList<>();
        GroupTaskExecutor executor = GroupTaskExecutor.builder(groups)
                .groupKey("reports")
                .taskDecorator(recording("inner", events))
                .taskDecorator(recording("outer", events))
                .build();
        assertThat(executor.submit(() -> {
                            events.add("work");
                            return "value";
                        })
                        .get())
                .isEqualTo("value");
        List<String> expected = List.of(
                "decorated by inner",
                "decorated by outer",
                "outer before",
                "inner before",
                "work",
                "inner after",
                "outer after");
        assertThat(events).isEqualTo(expected);
        events.clear();
        executor.submitCompletable(() -> {
                    events.add("work");
                })
                .get();
        assertThat(events).isEqualTo(expected);
    }

    @Test
    void aDecoratedTaskFailsWithItsOwnException() {
        start(SpringKit.limit(1));
        GroupTaskExecutor executor = GroupTaskExecutor.builder(groups)
                .groupKey("reports")
                .taskDecorator(task -> task)
                .build();
        IOException fault = new IOException("failed");
        assertThatThrownBy(() -> executor.submit(() -> {
                            throw fault;
                        })
                        .get())
                .hasCause(fault);
    }

    @Test
    void aDecoratorThatDoesNotRunTheTaskFailsItsFuture() {
        start(SpringKit.limit(1));
        GroupTaskExecutor executor = GroupTaskExecutor.builder(groups)
                .groupKey("reports")
                .taskDecorator(task -> () -> {})
                .build();
        assertThatThrownBy(() -> executor.submit(() -> "never").get())
                .cause()
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("decorator");
    }

    // ---- life cycle ----------------------------------------------------------------------------------------------

    @Test
    void aStopWaitsForTasksAndRejectsNewOnes() throws Exception {
        GroupTaskExecutor executor = start(GroupPolicy.builder());
        Blocker blocker = block(executor);
        Future<String> queued = executor.submit(() -> "queued");
        List<String> stopped = new CopyOnWriteArrayList<>();
        executor.stop(() -> stopped.add("stopped"));
        assertThat(executor.isRunning()).isFalse();
        assertThat(stopped).isEmpty();
        assertThatExceptionOfType(TaskRejectedException.class)
                .isThrownBy(() -> executor.submit(() -> "never"))
                .withMessageContaining("stopped");
        blocker.release();
        assertThat(queued.get()).isEqualTo("queued");
        await().until(() -> stopped.size() == 1);
        executor.start();
        assertThat(executor.isRunning()).isTrue();
        assertThat(executor.submit(() -> "again").get()).isEqualTo("again");
        assertThat(stopped).hasSize(1);
    }

    @Test
    void aStopOfAnIdleExecutorIsCompleteAtOnce() {
        GroupTaskExecutor executor = start(SpringKit.limit(1));
        List<String> stopped = new ArrayList<>();
        executor.stop(() -> stopped.add("stopped"));
        assertThat(stopped).hasSize(1);
        executor.stop(() -> stopped.add("again"));
        assertThat(stopped).hasSize(2);
    }

    @Test
    void tasksThatNeverRanDoNotDelayAStop() throws Exception {
        GroupTaskExecutor executor = start(SpringKit.limit(1).rejectionPolicy(RejectionPolicy.ABORT));
        Blocker blocker = block(executor);
        assertThatExceptionOfType(TaskRejectedException.class).isThrownBy(() -> executor.submit(() -> "never"));
        groups.setQueueThreshold("reports", 10);
        executor.submit(() -> "cancelled").cancel(false);
        CompletableFuture<Void> stopped = new CompletableFuture<>();
        executor.stop(() -> stopped.complete(null));
        assertThat(stopped).isNotDone();
        blocker.release();
        stopped.get(1, TimeUnit.MINUTES);
        assertThat(executor).hasToString("GroupTaskExecutor of '" + groups.name() + "'[stopped, 0 tasks]");
    }
}
