package io.github.kobe;

import static io.github.kobe.TestKit.eventually;
import static io.github.kobe.TestKit.executor;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.TestKit.Caller;
import io.github.kobe.TestKit.CurrentStats;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Do the options of a request for a permit apply to acquire, tryAcquire and call? */
@Timeout(60)
class PermitWithOptionsTest {

    private static final PermitOptions SHORT =
            PermitOptions.builder().maxWait(Duration.ofMillis(10)).build();
    private static final PermitOptions NAMED =
            PermitOptions.builder().taskId("checkout").tag("web").build();

    private static Permit get(GroupExecutor executor, String how, PermitOptions options) throws Exception {
        return switch (how) {
            case "acquire" -> executor.acquire("g", options);
            case "tryAcquire" -> executor.tryAcquire("g", options).permit();
            case "call" -> executor.call("g", () -> (Permit) null, options);
            default -> {
                executor.call("g", () -> {}, options);
                yield null;
            }
        };
    }

    // ---- maximum wait --------------------------------------------------------------------------------------------

    @ParameterizedTest
    @ValueSource(strings = {"acquire", "tryAcquire", "call", "call a runnable"})
    void requestIsRejectedAsExpiredAfterItsMaxWait(String how) {
        try (GroupExecutor executor = executor(b -> b)) {
            BlockingTask.in(executor, "g");
            RejectedTaskException e =
                    catchThrowableOfType(RejectedTaskException.class, () -> get(executor, how, SHORT));
            assertThat(e.rejection().waited()).isPositive();
            assertThat(TestKit.withoutEstimate(e.rejection()))
                    .isEqualTo(new Rejection(
                            RejectionReason.EXPIRED,
                            1,
                            0,
                            1,
                            Integer.MAX_VALUE,
                            e.rejection().waited()));
            assertThat(CurrentStats.of(executor).queued()).isZero();
            assertThat(executor.stats().counts())
                    .isEqualTo(new TaskCounts(2, 0, 0, 0, 0, 0, Map.of(RejectionReason.EXPIRED, 1L)));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"acquire", "tryAcquire", "call", "call a runnable"})
    void requestWithAMaxWaitOfZeroTakesAFreePermitOnly(String how) throws Exception {
        PermitOptions options = PermitOptions.builder().maxWait(Duration.ZERO).build();
        try (GroupExecutor executor = executor(b -> b)) {
            Permit permit = get(executor, how, options);
            assertThat(executor.stats().counts().submitted()).isEqualTo(1);
            if (permit == null) {
                permit = executor.acquire("g");
            }
            permit.detach(); // a thread that holds a permit shares it
            RejectedTaskException e =
                    catchThrowableOfType(RejectedTaskException.class, () -> get(executor, how, options));
            assertThat(TestKit.withoutEstimate(e.rejection()))
                    .isEqualTo(new Rejection(RejectionReason.EXPIRED, 1, 0, 1, Integer.MAX_VALUE, Duration.ZERO));
            permit.close();
        }
    }

    @Test
    void tryAcquireWithoutAMaxWaitDoesNotWait() throws Exception {
        try (GroupExecutor executor = executor(b -> b)) {
            try (PermitResult first = executor.tryAcquire("g", NAMED)) {
                assertThat(first.isGranted()).isTrue();
                first.permit().detach(); // a thread that holds a permit shares it
                PermitResult second = executor.tryAcquire("g", NAMED);
                assertThat(second.rejection().reason()).isEqualTo(RejectionReason.EXPIRED);
            }
        }
    }

    @Test
    void expiredCallDoesNotRunUnderCallerRuns() throws Exception {
        AtomicBoolean ran = new AtomicBoolean();
        try (GroupExecutor executor = executor(b -> b.rejectionPolicy(RejectionPolicy.CALLER_RUNS))) {
            BlockingTask.in(executor, "g");
            assertThatExceptionOfType(RejectedTaskException.class)
                    .isThrownBy(() -> executor.call("g", () -> ran.set(true), SHORT));
        }
        assertThat(ran).isFalse();
    }

    @Test
    void permitReleasedInTimeIsGranted() throws Exception {
        PermitOptions patient =
                PermitOptions.builder().maxWait(TestKit.PATIENCE).build();
        try (GroupExecutor executor = executor(b -> b)) {
            BlockingTask blocker = BlockingTask.in(executor, "g");
            Caller<Permit> caller = Caller.of(() -> executor.acquire("g", patient));
            caller.awaitWaiting();
            blocker.release();
            caller.result().close();
        }
    }

    // ---- priority ------------------------------------------------------------------------------------------------

    @Test
    void requestsAndTasksGetTheirPermitsByPriority() throws Exception {
        Queue<String> order = new ConcurrentLinkedQueue<>();
        List<Caller<Boolean>> callers = new ArrayList<>();
        List<TaskHandle<Boolean>> tasks = new ArrayList<>();
        try (GroupExecutor executor = executor(b -> b)) {
            BlockingTask blocker = BlockingTask.in(executor, "g");
            for (int priority : new int[] {0, 4, 2, -2}) {
                PermitOptions options =
                        PermitOptions.builder().priority(priority).build();
                callers.add(Caller.of(() -> executor.call("g", () -> order.add("permit " + priority), options)));
                int queued = callers.size() + tasks.size();
                eventually(() -> assertThat(CurrentStats.of(executor).queued()).isEqualTo(queued));
                tasks.add(executor.submit(
                        "g",
                        "t",
                        () -> order.add("task " + (priority + 1)),
                        TaskOptions.builder().priority(priority + 1).build()));
            }
            blocker.release();
            for (Caller<Boolean> caller : callers) {
                assertThat(caller.result()).isTrue();
            }
            tasks.forEach(TestKit::resultOf);
        }
        assertThat(order)
                .containsExactly(
                        "task 5", "permit 4", "task 3", "permit 2", "task 1", "permit 0", "task -1", "permit -2");
    }

    // ---- name and tag --------------------------------------------------------------------------------------------

    @ParameterizedTest
    @ValueSource(strings = {"acquire", "tryAcquire", "call", "call a runnable"})
    void rejectionHasTheNameAndTheTag(String how) {
        try (GroupExecutor executor = executor(b -> b.defaultQueueThresholdPerGroup(0))) {
            BlockingTask.in(executor, "g");
            RejectedTaskException e =
                    catchThrowableOfType(RejectedTaskException.class, () -> get(executor, how, NAMED));
            assertThat(e.taskId()).isEqualTo("checkout");
            assertThat(e.tag()).isEqualTo("web");
            assertThat(e).hasMessageContaining("task 'checkout' of group 'g' [web] rejected: group queue full");
        }
    }

    @Test
    void permitShowsItsNameAndTag() throws Exception {
        try (GroupExecutor executor = executor(b -> b);
                Permit permit = executor.acquire("g", NAMED)) {
            assertThat(permit).hasToString("permit 'checkout' of group 'g' [web]");
        }
    }

    @Test
    void everyOutcomeIsCountedUnderTheTagOnce() throws Exception {
        try (GroupExecutor executor = executor(b -> b)) {
            executor.acquire("g", NAMED).close();
            executor.call("g", () -> {}, NAMED);
            assertThatExceptionOfType(IllegalStateException.class)
                    .isThrownBy(() -> executor.call(
                            "g",
                            () -> {
                                throw new IllegalStateException("on purpose");
                            },
                            NAMED));
            try (Permit permit = executor.acquire("g").detach()) {
                assertThat(executor.tryAcquire("g", NAMED).isGranted()).isFalse();
                executor.setQueueThreshold("g", 0);
                assertThat(executor.tryAcquire("g", NAMED).isGranted()).isFalse();
                assertThat(permit.groupKey()).isEqualTo("g");
            }
            GroupStats stats = executor.groupStats("g").orElseThrow();
            assertThat(stats.completedByTag()).isEqualTo(Map.of("web", 5L));
            assertThat(stats.counts())
                    .isEqualTo(new TaskCounts(
                            6,
                            3,
                            1,
                            0,
                            0,
                            0,
                            Map.of(RejectionReason.EXPIRED, 1L, RejectionReason.GROUP_QUEUE_FULL, 1L)));
        }
    }

    // ---- call without a result -----------------------------------------------------------------------------------

    @Test
    void callRunsARunnableOnTheCallingThreadWithAPermit() throws Exception {
        try (GroupExecutor executor = executor(b -> b)) {
            List<Object> seen = new ArrayList<>();
            executor.call("g", () -> {
                seen.add(Thread.currentThread());
                seen.add(CurrentStats.of(executor).active());
            });
            assertThat(seen).containsExactly(Thread.currentThread(), 1);
            assertThat(CurrentStats.of(executor).active()).isZero();
        }
    }

    @Test
    void callRethrowsWhatARunnableThrewAndCountsIt() {
        RuntimeException fault = new IllegalStateException("on purpose");
        Runnable failing = () -> {
            throw fault;
        };
        try (GroupExecutor executor = executor(b -> b)) {
            assertThatExceptionOfType(IllegalStateException.class)
                    .isThrownBy(() -> executor.call("g", failing))
                    .isSameAs(fault);
            assertThat(CurrentStats.of(executor).active()).isZero();
            assertThat(executor.stats().counts().failed()).isEqualTo(1);
        }
    }

    /** This compiles only if no call is ambiguous. */
    @Test
    void overloadsOfCallAreNotAmbiguous() throws Exception {
        List<String> list = new ArrayList<>();
        try (GroupExecutor executor = executor(b -> b)) {
            boolean added = executor.call("g", () -> list.add("value"));
            executor.call("g", () -> list.clear());
            executor.call("g", list::clear);
            String text = executor.call("g", list::toString);
            assertThat(added).isTrue();
            assertThat(text).isEqualTo("[]");
            assertThatExceptionOfType(IOException.class)
                    .isThrownBy(() -> executor.call("g", () -> {
                        throw new IOException("on purpose");
                    }));
        }
    }

    @Test
    void nullArgumentsThrowWithTheirNames() {
        try (GroupExecutor executor = executor(b -> b)) {
            assertThatNullPointerException()
                    .isThrownBy(() -> executor.acquire("g", null))
                    .withMessage("options");
            assertThatNullPointerException()
                    .isThrownBy(() -> executor.tryAcquire("g", (PermitOptions) null))
                    .withMessage("options");
            assertThatNullPointerException()
                    .isThrownBy(() -> executor.call("g", () -> 1, null))
                    .withMessage("options");
            assertThatNullPointerException()
                    .isThrownBy(() -> executor.call("g", (Callable<String>) null, NAMED))
                    .withMessage("task");
            assertThatNullPointerException()
                    .isThrownBy(() -> executor.call("g", (Runnable) null, NAMED))
                    .withMessage("task");
        }
    }
}
