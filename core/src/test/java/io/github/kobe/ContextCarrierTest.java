package io.github.kobe;

import static io.github.kobe.TestKit.await;
import static io.github.kobe.TestKit.eventually;
import static io.github.kobe.TestKit.executor;
import static io.github.kobe.TestKit.letOthersRun;
import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.TestKit.Log;
import java.lang.ref.WeakReference;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.awaitility.core.ThrowingRunnable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What does a task find of its submitter's context, and what do the callbacks of the task find? */
@Timeout(60)
class ContextCarrierTest {

    static Stream<Baggage> bothForms() {
        return Stream.of(Baggage.installed(), Baggage.wrapped());
    }

    private static GroupExecutor carrying(Baggage baggage, UnaryOperator<GroupPolicy.Builder> settings) {
        return executor(b -> settings.apply(b.contextCarrier(baggage.carrier)));
    }

    /** Notes what each callback finds. */
    private static final class Witness implements TaskLifecycleListener {
        final Queue<String> seen = new ConcurrentLinkedQueue<>();
        private final Baggage baggage;

        Witness(Baggage baggage) {
            this.baggage = baggage;
        }

        void note(String where) {
            seen.add(where + " " + baggage.get());
        }

        /** What was noted for one task or place. */
        List<String> of(String part) {
            return seen.stream().filter(line -> line.contains(part)).toList();
        }

        @Override
        public void onSubmitted(TaskIdentity task) {
            note("submitted " + task.taskId());
        }

        @Override
        public void onStarted(TaskIdentity task) {
            note("started " + task.taskId());
        }

        @Override
        public void onRetry(TaskIdentity task, int failedAttempts, Throwable fault, Duration delay) {
            note("retry " + task.taskId());
        }

        @Override
        public void onCompleted(TaskIdentity task, GroupResult<?> result) {
            note("completed " + task.taskId());
        }

        @Override
        public void onRejected(TaskIdentity task, Rejection rejection) {
            note("rejected " + task.taskId());
        }
    }

    // ---- the task ------------------------------------------------------------------------------------------------

    @ParameterizedTest
    @MethodSource("bothForms")
    void taskSeesTheContextThatItsSubmitterHadAtSubmission(Baggage baggage) {
        try (GroupExecutor executor = carrying(baggage, b -> b)) {
            BlockingTask blocker = BlockingTask.in(executor, "g");
            baggage.set("r1");
            TaskHandle<String> queued = executor.submit("g", "t", baggage::get);
            baggage.set("r2");
            TaskHandle<String> next = executor.submit("g", "t", baggage::get);
            baggage.set(null);
            TaskHandle<String> last = executor.submit("g", "t", baggage::get);
            blocker.release();
            assertThat(resultOf(queued).value()).isEqualTo("r1");
            assertThat(resultOf(next).value()).isEqualTo("r2");
            assertThat(resultOf(last).value()).isNull();
            assertThat(baggage.installs).hasValue(2);
        }
    }

    @ParameterizedTest
    @MethodSource("bothForms")
    void everyFormOfWorkIsCarried(Baggage baggage) {
        Queue<String> seen = new ConcurrentLinkedQueue<>();
        TaskOptions options = TaskOptions.builder().priority(3).build();
        try (GroupExecutor executor = carrying(baggage, b -> b)) {
            baggage.set("r1");
            resultOf(executor.submit("g", "t", (Runnable) () -> seen.add("runnable " + baggage.get())));
            resultOf(executor.submit("g", "t", (Runnable) () -> seen.add("with options " + baggage.get()), options));
            resultOf(executor.submit("g", "t", () -> seen.add("callable " + baggage.get()), options));
            resultOf(executor.submit("g", "t", context -> seen.add("function " + baggage.get()), options));
        }
        assertThat(seen).containsExactly("runnable r1", "with options r1", "callable r1", "function r1");
    }

    @ParameterizedTest
    @MethodSource("bothForms")
    void batchesAndStreamsAreCarried(Baggage baggage) throws Exception {
        try (GroupExecutor executor = carrying(baggage, b -> b)) {
            baggage.set("r1");
            List<GroupTask<String>> tasks = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                tasks.add(new GroupTask<>("g" + i % 2, "t" + i, baggage::get));
            }
            assertThat(executor.executeAll(tasks))
                    .extracting(GroupResult::value)
                    .containsOnly("r1");
            assertThat(executor.completions(tasks))
                    .extracting(GroupResult::value)
                    .containsOnly("r1");
            Queue<TaskHandle<String>> fed = new ConcurrentLinkedQueue<>();
            executor.feed(tasks.stream(), 2, 1, fed::add);
            assertThat(fed)
                    .hasSize(5)
                    .allSatisfy(handle -> assertThat(resultOf(handle).value()).isEqualTo("r1"));
        }
    }

    @ParameterizedTest
    @MethodSource("bothForms")
    void viewAsExecutorServiceIsCarried(Baggage baggage) throws Exception {
        try (GroupExecutor executor = carrying(baggage, b -> b)) {
            ExecutorService view = executor.asExecutorService("g");
            baggage.set("r1");
            Callable<String> task = baggage::get;
            assertThat(view.submit(task).get()).isEqualTo("r1");
            for (Future<String> future : view.invokeAll(List.of(task, task))) {
                assertThat(future.get()).isEqualTo("r1");
            }
            assertThat(view.invokeAny(List.of(task))).isEqualTo("r1");
            CompletableFuture<String> executed = new CompletableFuture<>();
            view.execute(() -> executed.complete(baggage.get()));
            assertThat(executed.get()).isEqualTo("r1");
            CompletableFuture<String> chain = CompletableFuture.supplyAsync(baggage::get, view)
                    .thenApplyAsync(first -> first + " " + baggage.get(), view)
                    .thenApplyAsync(both -> both + " " + baggage.get(), view);
            assertThat(chain.get()).isEqualTo("r1 r1 r1");
        }
    }

    @Test
    void scopedValueIsCarried() throws Exception {
        assumeTrue(Runtime.version().feature() >= 25, "ScopedValue is final since Java 25");
        Class<?> type = Class.forName("java.lang.ScopedValue");
        Method where = type.getMethod("where", type, Object.class);
        Method run = Class.forName("java.lang.ScopedValue$Carrier").getMethod("run", Runnable.class);
        Object user = type.getMethod("newInstance").invoke(null);
        Method isBound = type.getMethod("isBound");
        Method get = type.getMethod("get");
        ContextCarrier carrier = ContextCarrier.wrapping(() -> {
            if (!(boolean) call(isBound, user)) {
                return null;
            }
            Object binding = call(where, null, user, call(get, user));
            return work -> call(run, binding, work);
        });
        try (GroupExecutor executor = executor(b -> b.contextCarrier(carrier))) {
            List<TaskHandle<Object>> handles = new ArrayList<>();
            Runnable submit = () -> handles.add(executor.submit("g", "t", () -> call(get, user)));
            call(run, call(where, null, user, "alice"), submit);
            assertThat(resultOf(handles.getFirst()).value()).isEqualTo("alice");
            assertThat(resultOf(executor.submit("g", "t", () -> call(isBound, user)))
                            .value())
                    .isEqualTo(false);
        }
    }

    private static Object call(Method method, @Nullable Object target, Object... arguments) {
        try {
            return method.invoke(target, arguments);
        } catch (IllegalAccessException | InvocationTargetException e) {
            throw new AssertionError(e);
        }
    }

    // ---- its callbacks -------------------------------------------------------------------------------------------

    @ParameterizedTest
    @MethodSource("bothForms")
    void everyAttemptAndItsCallbacksSeeTheContext(Baggage baggage) {
        Witness witness = new Witness(baggage);
        Flaky flaky = Flaky.failing(2);
        TaskOptions options = TaskOptions.builder()
                .retry(RetryPolicy.builder()
                        .maxAttempts(3)
                        .retryIf(error -> {
                            witness.note("policy");
                            return true;
                        })
                        .build())
                .before(task -> witness.note("before"))
                .after((task, error) -> witness.note("after"))
                .recovery(error -> witness.note("recovery"))
                .log(line -> witness.note("log"))
                .build();
        try (GroupExecutor executor = carrying(baggage, b -> b.taskLifecycleListener(witness))) {
            baggage.set("r1");
            Callable<String> work = () -> {
                witness.note("attempt");
                return flaky.call();
            };
            TaskHandle<String> handle = executor.submit("g", "t", work, options);
            baggage.set("r2");
            assertThat(resultOf(handle).value()).isEqualTo("succeeded");
        }
        assertThat(witness.of("attempt")).hasSize(3);
        assertThat(witness.of("retry")).hasSize(2);
        assertThat(witness.of("policy")).hasSize(2);
        assertThat(witness.seen).allMatch(line -> line.endsWith(" r1"));
        assertThat(witness.seen.stream()
                        .map(line -> line.substring(0, line.indexOf(' ')))
                        .distinct())
                .containsExactlyInAnyOrder(
                        "submitted",
                        "started",
                        "log",
                        "before",
                        "attempt",
                        "recovery",
                        "after",
                        "policy",
                        "retry",
                        "completed");
        assertThat(baggage.restores).hasValue(baggage.installs.get());
        assertThat(baggage.captures).hasValue(1);
    }

    @ParameterizedTest
    @MethodSource("bothForms")
    void listenerSeesTheContextOfATaskThatLeavesTheQueueWithoutRunning(Baggage baggage) {
        Witness witness = new Witness(baggage);
        try (GroupExecutor executor = carrying(
                baggage,
                b -> b.defaultQueueThresholdPerGroup(1)
                        .rejectionPolicy(RejectionPolicy.DISCARD_OLDEST)
                        .taskLifecycleListener(witness))) {
            BlockingTask.in(executor, "g");
            baggage.set("r1");
            executor.submit("g", "displaced", () -> "never runs");
            baggage.set("r2");
            TaskHandle<String> cancelled = executor.submit("g", "cancelled", () -> "never runs");
            baggage.set("canceller");
            assertThat(cancelled.cancel(true)).isTrue();
            baggage.set("r3");
            TaskOptions soon =
                    TaskOptions.builder().maxQueueTime(Duration.ofMillis(1)).build();
            resultOf(executor.submit("g", "expired", () -> "never runs", soon));
            eventually(() -> assertThat(witness.of("rejected displaced")).containsExactly("rejected displaced r1"));
            assertThat(witness.of("completed cancelled")).containsExactly("completed cancelled r2");
            assertThat(witness.of("rejected expired")).containsExactly("rejected expired r3");
            assertThat(baggage.get()).isEqualTo("r3");
        }
    }

    @ParameterizedTest
    @MethodSource("bothForms")
    void rejectionHandlerAndTheTaskThatItRunsSeeTheContext(Baggage baggage) {
        Witness witness = new Witness(baggage);
        RejectionHandler handler = new RejectionHandler() {
            @Override
            public <T extends @Nullable Object> GroupResult<T> onRejected(
                    String groupKey, String taskId, Callable<T> task) {
                witness.note("handler");
                try {
                    return GroupResult.success(groupKey, taskId, task.call(), 0, 0);
                } catch (Exception e) {
                    throw new AssertionError(e);
                }
            }
        };
        try (GroupExecutor executor = carrying(
                baggage,
                b -> b.defaultQueueThresholdPerGroup(0)
                        .rejectionHandler(handler)
                        .taskLifecycleListener(witness))) {
            BlockingTask.in(executor, "g");
            baggage.set("r1");
            TaskHandle<String> handle = executor.submit("g", "t", baggage::get);
            baggage.set("r2");
            assertThat(resultOf(handle).value()).isEqualTo("r1");
            assertThat(witness.of("handler")).containsExactly("handler r1");
            assertThat(witness.of("completed t")).containsExactly("completed t r1");
        }
    }

    @ParameterizedTest
    @MethodSource("bothForms")
    void taskThatGoesOnWithoutItsListenerSeesTheContext(Baggage baggage) {
        BlockingTask stuck = BlockingTask.uninterruptible();
        TaskLifecycleListener listener = new TaskLifecycleListener() {
            @Override
            public void onStarted(String groupKey, String taskId) {
                try {
                    stuck.call();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            }
        };
        Witness behind = new Witness(baggage);
        try (GroupExecutor executor = carrying(baggage, b -> b.taskLifecycleListener(listener))) {
            executor.addListener(behind);
            baggage.set("r1");
            assertThat(resultOf(executor.submit("g", "t", baggage::get)).value())
                    .isEqualTo("r1");
            assertThat(stuck.hasEnded()).isFalse();
            assertThat(behind.seen).containsExactly("submitted t r1", "started t r1", "completed t r1");
        } finally {
            stuck.release();
        }
    }

    @ParameterizedTest
    @MethodSource("bothForms")
    void listenerSeesTheContextOfThePermitThatItIsToldOf(Baggage baggage) throws Exception {
        Witness witness = new Witness(baggage);
        PermitOptions announced =
                PermitOptions.builder().taskId("p").announce(true).build();
        try (GroupExecutor executor = carrying(baggage, b -> b.taskLifecycleListener(witness))) {
            BlockingTask blocker = BlockingTask.in(executor, "g");
            baggage.set("r1");
            CompletableFuture<Permit> queued = executor.acquireAsync("g", announced);
            baggage.set("r2");
            blocker.release();
            queued.get().close();
            assertThat(witness.of(" p ")).containsExactly("submitted p r1", "started p r1", "completed p r2");
            baggage.set("r3");
            Permit passedOn = executor.acquire("g", announced).detach();
            Thread other = Thread.ofVirtual().start(passedOn::close);
            other.join();
            assertThat(witness.of(" r3")).containsExactly("submitted p r3", "started p r3", "completed p r3");
        }
    }

    // ---- the submitter's own thread ------------------------------------------------------------------------------

    @ParameterizedTest
    @MethodSource("bothForms")
    void nothingIsInstalledIfTheSubmitterRunsTheTask(Baggage baggage) {
        Witness witness = new Witness(baggage);
        try (GroupExecutor executor = carrying(
                baggage,
                b -> b.defaultQueueThresholdPerGroup(0)
                        .rejectionPolicy(RejectionPolicy.CALLER_RUNS)
                        .taskLifecycleListener(witness))) {
            BlockingTask.in(executor, "g");
            baggage.set("r1");
            TaskHandle<String> handle = executor.submit("g", "t", () -> {
                baggage.set("set by the task");
                return "ran";
            });
            assertThat(resultOf(handle).value()).isEqualTo("ran");
            assertThat(witness.of(" t "))
                    .containsExactly("submitted t r1", "started t r1", "completed t set by the task");
            assertThat(baggage.get()).isEqualTo("set by the task");
            assertThat(baggage.installs).hasValue(0);
        }
    }

    @ParameterizedTest
    @MethodSource("bothForms")
    void nothingIsInstalledIfTheSubmissionIsRejected(Baggage baggage) {
        Witness witness = new Witness(baggage);
        try (GroupExecutor executor =
                carrying(baggage, b -> b.defaultQueueThresholdPerGroup(0).taskLifecycleListener(witness))) {
            BlockingTask.in(executor, "g");
            baggage.set("r1");
            assertThat(executor.submit("g", "t", () -> "never runs").isDone()).isTrue();
            assertThat(witness.of(" t ")).containsExactly("submitted t r1", "rejected t r1");
            assertThat(baggage.installs).hasValue(0);
        }
    }

    @Test
    void nothingIsInstalledForASubmitterWithoutContext() {
        Baggage baggage = Baggage.installed();
        Witness witness = new Witness(baggage);
        try (GroupExecutor executor = carrying(baggage, b -> b.taskLifecycleListener(witness))) {
            assertThat(resultOf(executor.submit("g", "t", () -> "ran")).value()).isEqualTo("ran");
            assertThat(baggage.captures).hasValue(1);
            assertThat(baggage.installs).hasValue(0);
        }
    }

    // ---- carriers that fail --------------------------------------------------------------------------------------

    @Test
    void throwingCarrierIsReportedAndTheTaskRuns() {
        Runnable fails = () -> {
            throw new IllegalStateException("bad carrier");
        };
        List<ContextCarrier> bad = List.of(
                () -> {
                    fails.run();
                    return null;
                },
                () -> () -> {
                    fails.run();
                    return () -> {};
                },
                () -> () -> fails::run,
                ContextCarrier.wrapping(() -> work -> fails.run()),
                ContextCarrier.wrapping(() -> work -> {
                    work.run();
                    fails.run();
                }),
                ContextCarrier.wrapping(() -> work -> {
                    work.run();
                    work.run();
                }));
        for (ContextCarrier carrier : bad) {
            try (Log log = new Log();
                    GroupExecutor executor = executor(b -> b.contextCarrier(carrier))) {
                BlockingTask task = BlockingTask.interruptible();
                task.release();
                TaskHandle<String> handle = executor.submit("g", "t", task);
                assertThat(resultOf(handle).value()).isEqualTo("released");
                assertThat(log.lines("context carrier's")).hasSize(1);
                assertThat(executor.toString()).contains("1 faults in callbacks");
            }
        }
    }

    @Test
    void taskRunsOnItsOwnThreadWhateverTheWrapperDoes() {
        List<ContextCarrier> bad =
                List.of(ContextCarrier.wrapping(() -> work -> {}), ContextCarrier.wrapping(() -> work -> {
                    Thread other = new Thread(work);
                    other.setUncaughtExceptionHandler((thread, refused) -> {});
                    other.start();
                    try {
                        other.join();
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                }));
        for (ContextCarrier carrier : bad) {
            try (Log log = new Log();
                    GroupExecutor executor = executor(b -> b.contextCarrier(carrier))) {
                TaskHandle<Boolean> handle =
                        executor.submit("g", "t", () -> Thread.currentThread().isVirtual());
                assertThat(resultOf(handle).value()).isTrue();
                assertThat(log.lines("has not run the code")).hasSize(1);
            }
        }
    }

    @Test
    void wrapperIsNotToldWhatTheTaskThrows() {
        Queue<Throwable> told = new ConcurrentLinkedQueue<>();
        ContextCarrier curious = ContextCarrier.wrapping(() -> work -> {
            try {
                work.run();
            } catch (Throwable fault) {
                told.add(fault);
            }
        });
        try (GroupExecutor executor = executor(b -> b.contextCarrier(curious))) {
            Error error = new Error("of the task");
            TaskHandle<String> handle = executor.submit("g", "t", () -> {
                throw error;
            });
            assertThat(resultOf(handle).error()).isSameAs(error);
        }
        assertThat(told).isEmpty();
    }

    @Test
    void otherContextIsCarriedIfOneOfTwoCarriersThrows() {
        Baggage before = Baggage.installed();
        Baggage after = Baggage.wrapped();
        ContextCarrier bad = () -> {
            throw new IllegalStateException("bad carrier");
        };
        try (Log log = new Log();
                GroupExecutor executor = executor(
                        b -> b.contextCarrier(before.carrier.andThen(bad).andThen(after.carrier)))) {
            before.set("1");
            after.set("2");
            assertThat(resultOf(executor.submit("g", "t", () -> before.get() + after.get()))
                            .value())
                    .isEqualTo("12");
            assertThat(log.lines("bad carrier")).hasSize(1);
        }
    }

    @Test
    void pairThatOtherCodeUsesCarriesBothContexts() {
        Baggage one = Baggage.installed();
        Baggage other = Baggage.installed();
        ContextCarrier both = one.carrier.andThen(other.carrier);
        one.set("1");
        other.set("2");
        ContextCarrier.Captured captured = both.capture();
        assertThat(captured).isNotNull();
        one.set(null);
        other.set(null);
        List<String> seen = new ArrayList<>();
        captured.run(() -> seen.add(one.get() + other.get()));
        ContextCarrier.Installed installed = captured.install();
        seen.add(one.get() + other.get());
        installed.restore();
        seen.add(one.get() + "" + other.get());
        assertThat(seen).containsExactly("12", "12", "nullnull");
        assertThat(both.capture()).as("nothing is set").isNull();
        assertThat(both.empty()).isNotNull();
    }

    // ---- afterwards ----------------------------------------------------------------------------------------------

    @Test
    void handleOfAFinishedTaskDoesNotKeepTheContext() {
        try (GroupExecutor executor = executor(b -> b.contextCarrier(BigContext::new))) {
            TaskHandle<String> handle = executor.submit("g", "t", () -> "ran");
            WeakReference<BigContext> context = BigContext.latest;
            assertThat(resultOf(handle).value()).isEqualTo("ran");
            eventually(() -> {
                System.gc();
                assertThat(context.get()).isNull();
            });
            assertThat(handle.isDone()).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void handleOfATaskThatIsCancelledInTheQueueDoesNotKeepTheContext(boolean listened) {
        try (GroupExecutor executor = executor(b -> b.contextCarrier(BigContext::new))) {
            if (listened) {
                executor.addListener(new TaskLifecycleListener() {});
            }
            BlockingTask.in(executor, "g");
            TaskHandle<String> handle = executor.submit("g", "t", () -> "never");
            assertContextIsGone(handle, () -> handle.cancel(true));
        }
    }

    @Test
    void handleDoesNotKeepTheContextIfTheListenerReturnsAfterTheTask() {
        CountDownLatch taskIsOver = new CountDownLatch(1);
        BlockingTask running = BlockingTask.interruptible();
        try (GroupExecutor executor = executor(b -> b.contextCarrier(BigContext::new))) {
            executor.addListener(new TaskLifecycleListener() {
                @Override
                public void onCompleted(TaskIdentity task, GroupResult<?> result) {
                    await(taskIsOver);
                }
            });
            TaskHandle<String> handle = executor.submit("g", "t", running);
            await(running.started);
            assertContextIsGone(handle, () -> {
                Thread canceller = Thread.ofPlatform().start(() -> handle.cancel(true));
                await(running.ended);
                eventually(() -> assertThat(executor.runningTasks("g")).isEmpty());
                letOthersRun();
                taskIsOver.countDown();
                canceller.join();
            });
        }
    }

    private static void assertContextIsGone(TaskHandle<?> handle, ThrowingRunnable completion) {
        WeakReference<BigContext> context = BigContext.latest;
        assertThat(context.get()).isNotNull();
        try {
            completion.run();
        } catch (Throwable fault) {
            throw new AssertionError(fault);
        }
        eventually(() -> {
            System.gc();
            assertThat(context.get()).isNull();
        });
        assertThat(handle.isDone()).isTrue();
    }

    private static final class BigContext implements ContextCarrier.Captured {
        static volatile WeakReference<BigContext> latest = new WeakReference<>(null);

        BigContext() {
            latest = new WeakReference<>(this);
        }

        @Override
        public ContextCarrier.Installed install() {
            return () -> {};
        }
    }

    @ParameterizedTest
    @MethodSource("bothForms")
    void cancelledTaskThatStillRunsKeepsItsContext(Baggage baggage) throws Exception {
        Witness witness = new Witness(baggage);
        BlockingTask running = BlockingTask.uninterruptible();
        try (GroupExecutor executor = carrying(baggage, b -> b.taskLifecycleListener(witness))) {
            baggage.set("r1");
            TaskOptions options = TaskOptions.builder()
                    .after((task, error) -> witness.note("after"))
                    .build();
            Callable<String> work = () -> {
                running.call();
                witness.note("late");
                return "too late";
            };
            TaskHandle<String> handle = executor.submit("g", "t", work, options);
            await(running.started);
            assertThat(handle.cancel(true)).isTrue();
            assertThat(witness.of("completed")).containsExactly("completed t r1");
            running.release();
            await(running.ended);
            eventually(() -> assertThat(witness.of("after")).containsExactly("after r1"));
            assertThat(witness.of("late")).containsExactly("late r1");
        }
    }

    /** Cancels meet starts, attempts, retries and completions, and the end of the task that drops its context. */
    @ParameterizedTest
    @MethodSource("bothForms")
    void everyCallSeesTheContextOfItsTaskWhateverIsCancelledMeanwhile(Baggage baggage) throws Exception {
        int tasks = 3_000;
        Witness witness = new Witness(baggage);
        TaskOptions options = TaskOptions.builder()
                .retry(RetryPolicy.attempts(2))
                .after((task, error) -> witness.note("after " + task.taskId()))
                .build();
        BlockingQueue<TaskHandle<?>> toCancel = new LinkedBlockingQueue<>();
        List<TaskHandle<?>> handles = new ArrayList<>();
        try (GroupExecutor executor =
                carrying(baggage, b -> b.defaultMaxConcurrencyPerGroup(2).taskLifecycleListener(witness))) {
            TestKit.Caller<Integer> canceller = TestKit.Caller.of(() -> {
                for (int i = 0; i < tasks; i++) {
                    toCancel.take().cancel(true);
                }
                return tasks;
            });
            for (int i = 0; i < tasks; i++) {
                String id = "t" + i;
                boolean fails = i % 3 == 0;
                baggage.set(id);
                TaskHandle<?> handle = executor.submit(
                        "g" + i % 4,
                        id,
                        () -> {
                            witness.note("attempt " + id);
                            if (fails) {
                                throw new IllegalStateException("again");
                            }
                            return id;
                        },
                        options);
                handles.add(handle);
                toCancel.add(handle);
                if (i % 5 == 0) {
                    TestKit.yieldToOthers();
                }
            }
            assertThat(canceller.result()).isEqualTo(tasks);
            handles.forEach(TestKit::resultOf);
            assertThat(executor.shutdown(TestKit.PATIENCE)).isTrue();
        }
        assertThat(witness.seen).hasSizeGreaterThan(2 * tasks).allSatisfy(line -> {
            String[] words = line.split(" "); // such as "started t7 t7"
            assertThat(words[2]).isEqualTo(words[1]);
        });
        assertThat(baggage.restores).hasValue(baggage.installs.get());
    }
}
