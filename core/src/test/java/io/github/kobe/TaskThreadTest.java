package io.github.kobe;

import static io.github.kobe.TestKit.executor;
import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.TestKit.BlockingTask;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** On which thread does a task run? */
@Timeout(60)
class TaskThreadTest {

    private final GroupExecutor executor = executor(b -> b);

    @AfterEach
    void close() {
        executor.close();
    }

    @Test
    void threadIsVirtualAndNamedAfterTheGroup() {
        Thread thread =
                resultOf(executor.submit("orders", "t", Thread::currentThread)).value();
        assertThat(thread.isVirtual()).isTrue();
        assertThat(thread.getName()).isEqualTo("orders");
    }

    @Test
    void threadIsFreshForEveryTask() {
        Set<Thread> threads = new HashSet<>();
        for (int i = 0; i < 100; i++) {
            threads.add(resultOf(executor.submit("g", "t" + i, Thread::currentThread))
                    .value());
        }
        BlockingTask blocker = BlockingTask.in(executor, "g");
        List<TaskHandle<Thread>> queued = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            queued.add(executor.submit("g", "q" + i, Thread::currentThread));
        }
        blocker.release();
        queued.forEach(h -> threads.add(resultOf(h).value()));
        assertThat(threads).hasSize(200);
    }

    @Test
    void nothingIsInheritedFromTheSubmitter() {
        InheritableThreadLocal<String> secret = new InheritableThreadLocal<>();
        secret.set("of the submitter");
        try {
            TaskHandle<String> handle = executor.submit("g", "t", () -> "sees " + secret.get());
            assertThat(resultOf(handle).value()).isEqualTo("sees null");
        } finally {
            secret.remove();
        }
    }

    @Test
    void nothingIsInheritedFromTheTaskThatReleasedThePermit() {
        InheritableThreadLocal<String> secret = new InheritableThreadLocal<>();
        BlockingTask blocker = BlockingTask.interruptible();
        TaskHandle<String> first = executor.submit("g", "first", () -> {
            secret.set("of the task before");
            return blocker.call();
        });
        TaskHandle<String> second = executor.submit("g", "second", () -> "sees " + secret.get());
        blocker.release();
        assertThat(resultOf(first).value()).isEqualTo("released");
        assertThat(resultOf(second).value()).isEqualTo("sees null");
    }

    @Test
    void contextComesOnlyThroughTheCarrierThatWasAskedFor() {
        Baggage asked = Baggage.installed();
        Baggage other = Baggage.installed();
        try (GroupExecutor carrying = executor(b -> b.contextCarrier(asked.carrier))) {
            asked.set("asked");
            other.set("other");
            TaskHandle<String> handle = carrying.submit("g", "t", () -> asked.get() + " " + other.get());
            assertThat(resultOf(handle).value()).isEqualTo("asked null");
            TaskHandle<String> without = executor.submit("g", "t", () -> asked.get() + " " + other.get());
            assertThat(resultOf(without).value()).isEqualTo("null null");
            asked.set(null);
            TaskHandle<String> next = carrying.submit("g", "t", () -> asked.get() + " " + other.get());
            assertThat(resultOf(next).value())
                    .as("nothing is left of the task before")
                    .isEqualTo("null null");
        } finally {
            asked.set(null);
            other.set(null);
        }
    }

    @Test
    void interruptFlagIsClearAtTheStart() {
        BlockingTask blocker = BlockingTask.interruptible();
        executor.submit("g", "first", () -> {
            blocker.call();
            Thread.currentThread().interrupt();
            return "leaves its flag set";
        });
        TaskHandle<Boolean> next =
                executor.submit("g", "next", () -> Thread.currentThread().isInterrupted());
        blocker.release();
        assertThat(resultOf(next).value()).isFalse();
        Thread.currentThread().interrupt();
        TaskHandle<Boolean> handle =
                executor.submit("g", "t", () -> Thread.currentThread().isInterrupted());
        assertThat(Thread.interrupted())
                .as("submit does not clear the interrupt flag")
                .isTrue();
        assertThat(resultOf(handle).value()).isFalse();
    }

    @Test
    void queuedTasksHoldNoThread() {
        BlockingTask blocker = BlockingTask.in(executor, "g");
        long threadsBefore = Thread.startVirtualThread(() -> {}).threadId();
        List<TaskHandle<String>> queued = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            queued.add(executor.submit("g", "q" + i, () -> "ran"));
        }
        assertThat(executor.groupStats("g").orElseThrow().queuedCount()).isEqualTo(20_000);
        assertThat(executor.groupStats("g").orElseThrow().activeCount()).isEqualTo(1);
        // Thread ids are consecutive in the JVM, so thousands of threads would show.
        assertThat(Thread.startVirtualThread(() -> {}).threadId() - threadsBefore)
                .isLessThan(1_000);
        blocker.release();
        assertThat(queued).allSatisfy(h -> assertThat(resultOf(h).value()).isEqualTo("ran"));
    }

    @Test
    void submissionHappensBeforeTheTaskAndTheTaskBeforeItsWaiter() {
        for (int i = 0; i < 1000; i++) {
            int[] plain = {i, 0};
            TaskHandle<Integer> handle = executor.submit("g", "t", () -> plain[1] = plain[0] + 1);
            assertThat(resultOf(handle).value()).isEqualTo(i + 1);
            assertThat(plain[1]).isEqualTo(i + 1);
        }
    }
}
