package io.github.kobe;

import static io.github.kobe.TestKit.await;
import static io.github.kobe.TestKit.eventually;
import static io.github.kobe.TestKit.executor;
import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.isolation.IsolationExecutor;
import io.github.kobe.isolation.IsolationPolicy;
import io.github.kobe.pool.WorkerPool;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which tasks does the list of running tasks have, and what does it say about them? */
@Timeout(60)
class RunningTaskListTest {

    private static List<String> ids(List<RunningTask> tasks) {
        return tasks.stream().map(RunningTask::taskId).toList();
    }

    @Test
    void taskOnAThreadIsInItWithItsThreadAndTheOldestIsFirst() {
        try (GroupExecutor executor = executor(b -> b.defaultMaxConcurrencyPerGroup(2))) {
            AtomicReference<Thread> thread = new AtomicReference<>();
            BlockingTask first = BlockingTask.interruptible();
            TaskHandle<String> handle = executor.submit(
                    "g",
                    "first",
                    () -> {
                        thread.set(Thread.currentThread());
                        return first.call();
                    },
                    TaskOptions.builder().tag("mail").build());
            await(first.started);
            BlockingTask second = BlockingTask.interruptible();
            executor.submit("g", "second", second);
            await(second.started);
            executor.submit("g", "queued", () -> "ran");
            executor.submit("other", "of another group", BlockingTask.interruptible());

            List<RunningTask> running = executor.runningTasks("g");
            assertThat(ids(running)).containsExactly("first", "second");
            RunningTask oldest = running.get(0);
            assertThat(oldest.groupKey()).isEqualTo("g");
            assertThat(oldest.tag()).isEqualTo("mail");
            assertThat(oldest.threadId()).isEqualTo(thread.get().threadId());
            assertThat(oldest.threadName()).isEqualTo(thread.get().getName());
            assertThat(oldest.running()).isGreaterThanOrEqualTo(running.get(1).running());
            assertThat(running.get(1).tag()).isEmpty();
            first.release();
            resultOf(handle);
            eventually(() -> assertThat(ids(executor.runningTasks("g"))).containsExactly("second"));
            second.release();
        }
    }

    @Test
    void unknownGroupHasNone() {
        try (GroupExecutor executor = executor(b -> b)) {
            assertThat(executor.runningTasks("unknown")).isEmpty();
        }
    }

    @Test
    void permitOfACallerIsNotInIt() throws InterruptedException {
        try (GroupExecutor executor = executor(b -> b);
                Permit permit = executor.acquire("g")) {
            assertThat(executor.groupStats("g").orElseThrow().activeCount()).isEqualTo(1);
            assertThat(executor.runningTasks("g")).isEmpty();
        }
    }

    @Test
    void taskThatIgnoresAShutdownIsInItUntilItReturns() {
        GroupExecutor executor = executor(b -> b);
        BlockingTask stubborn = BlockingTask.uninterruptible();
        executor.submit("g", "stubborn", stubborn);
        await(stubborn.started);
        executor.shutdown();
        assertThat(ids(executor.runningTasks("g"))).containsExactly("stubborn");
        stubborn.release();
        eventually(() -> assertThat(executor.runningTasks("g")).isEmpty());
    }

    @Test
    void listCannotBeChangedAndPrintsReadably() {
        RunningTask task = new RunningTask("vip", "import", "mail", Duration.ofSeconds(2), "vip", 35);
        assertThat(task).hasToString("task 'import' of group 'vip' [mail], running for 2 s on thread #35 'vip'");
    }

    @Test
    void isolationExecutorListsThemByKey() {
        try (IsolationExecutor executor =
                IsolationExecutor.create(IsolationPolicy.builder().build())) {
            BlockingTask task = BlockingTask.interruptible();
            executor.submit("k", task);
            await(task.started);
            assertThat(executor.runningTasks("k")).singleElement().satisfies(running -> {
                assertThat(running.groupKey()).isEqualTo("k");
                assertThat(running.taskId()).isEqualTo("TestKit$BlockingTask");
            });
            assertThat(executor.runningTasks("other")).isEmpty();
            task.release();
        }
    }

    @Test
    void poolListsThoseOfAllGroups() {
        try (WorkerPool pool = WorkerPool.builder().name("jobs").maxWorkers(2).build()) {
            BlockingTask ofPool = BlockingTask.interruptible();
            BlockingTask ofGroup = BlockingTask.interruptible();
            pool.submit(ofPool);
            pool.submit("g", "t", ofGroup);
            await(ofPool.started);
            await(ofGroup.started);
            assertThat(pool.runningTasks()).extracting(RunningTask::groupKey).containsExactlyInAnyOrder("jobs", "g");
            assertThat(pool.runningTasks()).allMatch(task -> task.threadName().startsWith("jobs-"));
            ofPool.release();
            ofGroup.release();
        }
    }
}
