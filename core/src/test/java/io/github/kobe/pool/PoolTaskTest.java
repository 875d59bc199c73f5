package io.github.kobe.pool;

import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.github.kobe.GroupResult;
import io.github.kobe.RetryPolicy;
import io.github.kobe.TaskContext;
import io.github.kobe.TaskFunction;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskOptions;
import io.github.kobe.TaskStatus;
import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.TestKit.Log;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What can be submitted, what does a task know, and which callbacks get its exceptions? */
class PoolTaskTest {

    private final List<String> heard = new CopyOnWriteArrayList<>();
    private final WorkerPool pool = WorkerPool.builder()
            .name("p")
            .recovery(e -> heard.add("default " + e.getMessage()))
            .build();

    @AfterEach
    void close() {
        pool.shutdownNow();
    }

    @Test
    void functionsCallablesAndRunnablesAreAccepted() {
        assertThat(resultOf(pool.submit(context -> "function")).value()).isEqualTo("function");
        assertThat(resultOf(pool.submit(() -> "callable")).value()).isEqualTo("callable");
        assertThat(resultOf(pool.submit((Runnable) () -> heard.add("ran"))).value())
                .isNull();
        assertThat(resultOf(pool.submit(
                                () -> "options", TaskOptions.builder().tag("t").build()))
                        .value())
                .isEqualTo("options");
        assertThat(resultOf(pool.submit((Runnable) () -> heard.add("ran"), TaskOptions.defaults()))
                        .status())
                .isEqualTo(TaskStatus.SUCCESS);
        assertThat(heard).containsExactly("ran", "ran");
    }

    private static final class Nightly implements Callable<String>, Runnable {
        @Override
        public String call() {
            return "value";
        }

        @Override
        public void run() {}
    }

    @Test
    void taskIsNamedAfterItsClassHoweverItIsSubmitted() {
        Nightly task = new Nightly();
        TaskOptions tagged = TaskOptions.builder().tag("t").build();
        assertThat(List.of(
                        pool.submit((Callable<String>) task),
                        pool.submit((Runnable) task),
                        pool.submit((Callable<String>) task, tagged),
                        pool.submit((Runnable) task, tagged),
                        pool.submit("group", (Callable<String>) task)))
                .allSatisfy(handle -> {
                    assertThat(handle.taskId()).isEqualTo("PoolTaskTest$Nightly");
                    assertThat(resultOf(handle).taskId()).isEqualTo("PoolTaskTest$Nightly");
                });
    }

    @Test
    void lambdaIsNamedAfterTheClassThatContainsIt() {
        assertThat(List.of(
                        pool.submit(context -> "function"),
                        pool.submit(() -> "callable"),
                        pool.submit("group", context -> "of a group"),
                        pool.submit("group", () -> "of a group")))
                .allSatisfy(handle -> assertThat(handle.taskId()).isEqualTo("lambda in PoolTaskTest"));
    }

    @Test
    void tagDistinguishesTasksOfOneClass() {
        TaskHandle<String> handle = pool.submit(
                new Nightly()::call, TaskOptions.builder().tag("2026-11").build());
        assertThat(handle).asString().startsWith("task 'lambda in PoolTaskTest' of group 'p' [2026-11]");
    }

    @Test
    void objectOfTwoTypesIsCalledAsTheTypeItWasSubmittedAs() {
        class Both implements TaskFunction<String>, Callable<String> {
            @Override
            public String apply(TaskContext context) {
                return "function";
            }

            @Override
            public String call() {
                return "callable";
            }
        }
        Both both = new Both();
        assertThat(resultOf(pool.submit((TaskFunction<String>) both)).value()).isEqualTo("function");
        assertThat(resultOf(pool.submit((Callable<String>) both)).value()).isEqualTo("callable");
    }

    @Test
    void nullsAreRejectedByName() {
        assertThatNullPointerException()
                .isThrownBy(() -> pool.submit((Callable<?>) null))
                .withMessage("task");
        assertThatNullPointerException()
                .isThrownBy(() -> pool.submit(() -> 1, null))
                .withMessage("options");
        assertThatNullPointerException()
                .isThrownBy(() -> pool.submit((String) null, () -> 1))
                .withMessage("groupKey");
    }

    @Test
    void contextHasTheOptionsAndTheTimeLeft() {
        TaskOptions options = TaskOptions.builder()
                .priority(7)
                .tag("t")
                .timeout(Duration.ofMinutes(10))
                .build();
        Instant before = Instant.now();
        GroupResult<List<Object>> result = resultOf(pool.submit(
                context -> List.of(
                        context.priority(),
                        context.tag(),
                        context.groupKey(),
                        context.deadline().orElseThrow(),
                        context.timeLeft().orElseThrow(),
                        context.isCancelled()),
                options));
        List<Object> known = result.value();
        assertThat(known.subList(0, 3)).containsExactly(7, "t", "p");
        assertThat((Instant) known.get(3))
                .isBetween(before.plus(Duration.ofMinutes(9)), Instant.now().plus(Duration.ofMinutes(10)));
        assertThat((Duration) known.get(4)).isBetween(Duration.ofMinutes(9), Duration.ofMinutes(10));
        assertThat(known.get(5)).isEqualTo(false);
    }

    @Test
    void taskWithoutOptionsHasNoDeadline() {
        assertThat(resultOf(pool.submit(context -> context.deadline().isEmpty()
                                && context.timeLeft().isEmpty()
                                && context.priority() == 0
                                && context.tag().isEmpty()))
                        .value())
                .isTrue();
    }

    @Test
    void taskSeesThatItTimedOut() {
        AtomicReference<TaskContext> seen = new AtomicReference<>();
        CountDownLatch stopped = new CountDownLatch(1);
        TaskHandle<?> handle = pool.submit(
                context -> {
                    seen.set(context);
                    try {
                        while (true) {
                            context.throwIfCancelled();
                            Thread.onSpinWait();
                        }
                    } catch (CancellationException e) {
                        stopped.countDown();
                        throw e;
                    }
                },
                TaskOptions.builder().timeout(Duration.ofMillis(5)).build());
        assertThat(resultOf(handle).status()).isEqualTo(TaskStatus.FAILED);
        io.github.kobe.TestKit.await(stopped);
        assertThat(seen.get().isCancelled()).isTrue();
        assertThat(seen.get().timeLeft()).contains(Duration.ZERO);
        assertThat(pool.stats().timedOut()).isEqualTo(1);
    }

    @Test
    void exceptionsAreCaughtAndTheWorkerContinues() {
        Thread before = resultOf(pool.submit(Thread::currentThread)).value();
        TaskHandle<?> broken = pool.submit((Callable<?>) () -> {
            throw new StackOverflowError("deep");
        });
        assertThat(resultOf(broken).error()).isInstanceOf(StackOverflowError.class);
        assertThat(resultOf(pool.submit(Thread::currentThread)).value()).isSameAs(before);
        assertThat(pool.stats().failed()).isEqualTo(1);
    }

    @Test
    void recoveryOfTheTaskIsCalledElseThatOfThePool() {
        Callable<Object> fails = () -> {
            throw new AssertionError("boom");
        };
        resultOf(pool.submit(fails));
        resultOf(pool.submit(fails, TaskOptions.builder().tag("t").build()));
        resultOf(pool.submit("group", fails));
        assertThat(heard).containsExactly("default boom", "default boom", "default boom");
        heard.clear();
        resultOf(pool.submit(
                fails,
                TaskOptions.builder()
                        .recovery(e -> heard.add("own " + e.getMessage()))
                        .build()));
        assertThat(heard).containsExactly("own boom");
    }

    @Test
    void hooksAndLogSurroundEachAttempt() {
        TaskOptions options = TaskOptions.builder()
                .tag("t")
                .before(task -> heard.add("before " + task.tag()))
                .after((task, thrown) -> heard.add("after " + (thrown == null ? "" : thrown.getMessage())))
                .log(heard::add)
                .retry(RetryPolicy.attempts(2))
                .build();
        int[] attempts = {0};
        resultOf(pool.submit(
                () -> {
                    heard.add("works");
                    if (attempts[0]++ == 0) {
                        throw new IllegalStateException("once");
                    }
                    return 1;
                },
                options));
        assertThat(heard)
                .containsExactly(
                        "task 'lambda in PoolTaskTest' of group 'p' [t] begins",
                        "before t",
                        "works",
                        "default once",
                        "after once",
                        "task 'lambda in PoolTaskTest' of group 'p' [t] threw java.lang.IllegalStateException: once",
                        "task 'lambda in PoolTaskTest' of group 'p' [t] begins",
                        "before t",
                        "works",
                        "after ",
                        "task 'lambda in PoolTaskTest' of group 'p' [t] returned");
    }

    @Test
    void exceptionsOfHooksAreReportedOnceAndChangeNothing() {
        TaskOptions options = TaskOptions.builder()
                .before(task -> {
                    throw new IllegalStateException("broken hook");
                })
                .after((task, thrown) -> {
                    throw new IllegalStateException("broken hook");
                })
                .build();
        try (Log log = new Log()) {
            assertThat(resultOf(pool.submit(() -> 1, options)).value()).isEqualTo(1);
            assertThat(resultOf(pool.submit(() -> 2, options)).value()).isEqualTo(2);
            assertThat(log.lines("before hook")).hasSize(1);
            assertThat(log.lines("after hook")).hasSize(1);
        }
    }

    @Test
    void cancelledWhileQueuedNeverRuns() {
        BlockingTask blocker = BlockingTask.interruptible();
        pool.submit(blocker);
        TaskHandle<?> waiting = pool.submit((Runnable) () -> heard.add("ran"));
        assertThat(waiting.cancel(true)).isTrue();
        blocker.release();
        resultOf(pool.submit(() -> 1));
        assertThat(heard).isEmpty();
        assertThat(pool.stats().cancelled()).isEqualTo(1);
    }
}
