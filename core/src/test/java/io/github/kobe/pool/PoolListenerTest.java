package io.github.kobe.pool;

import static io.github.kobe.TestKit.await;
import static io.github.kobe.TestKit.eventually;
import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.Flaky;
import io.github.kobe.GroupResult;
import io.github.kobe.Registration;
import io.github.kobe.RejectionPolicy;
import io.github.kobe.RetryPolicy;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskIdentity;
import io.github.kobe.TaskLifecycleListener;
import io.github.kobe.TaskOptions;
import io.github.kobe.TestKit;
import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.TestKit.Events;
import io.github.kobe.TestKit.Log;
import java.time.Duration;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Does the listener of a pool hear what that of a group executor hears, and does it hold no worker up? */
@Timeout(60)
class PoolListenerTest {

    private final Events events = new Events();

    @Test
    void hearsOfEachStepOnce() {
        Queue<Integer> retries = new ConcurrentLinkedQueue<>();
        TaskLifecycleListener counting = new TaskLifecycleListener() {
            @Override
            public void onRetry(TaskIdentity task, int failedAttempts, Throwable fault, Duration delay) {
                retries.add(failedAttempts);
            }
        };
        try (WorkerPool pool = WorkerPool.builder()
                .queueCapacity(1)
                .rejectionPolicy(RejectionPolicy.DISCARD)
                .taskLifecycleListener(events.andThen(counting))
                .build()) {
            TaskOptions retried =
                    TaskOptions.builder().retry(RetryPolicy.attempts(3)).build();
            resultOf(pool.submit("g", "flaky", Flaky.failing(2), retried));
            BlockingTask blocker = BlockingTask.interruptible();
            TaskHandle<?> running = pool.submit("g", "running", blocker);
            await(blocker.started);
            TaskHandle<?> queued = pool.submit("g", "queued", () -> "ran");
            resultOf(pool.submit("g", "rejected", () -> "ran"));
            assertThat(queued.cancel(true)).isTrue();
            blocker.release();
            resultOf(running);
            assertThat(events.of("g/flaky")).containsExactly("submitted", "started", "completed SUCCESS");
            assertThat(retries).containsExactly(1, 2);
            assertThat(events.of("g/running")).containsExactly("submitted", "started", "completed SUCCESS");
            assertThat(events.of("g/queued")).containsExactly("submitted", "completed CANCELLED");
            assertThat(events.of("g/rejected")).containsExactly("submitted", "rejected");
        }
    }

    @Test
    void isCalledOnTheWorker() {
        Map<String, Thread> threads = new ConcurrentHashMap<>();
        TaskLifecycleListener listener = new TaskLifecycleListener() {
            @Override
            public void onStarted(TaskIdentity task) {
                threads.put("started", Thread.currentThread());
            }

            @Override
            public void onCompleted(TaskIdentity task, GroupResult<?> result) {
                threads.put("completed", Thread.currentThread());
            }
        };
        try (WorkerPool pool =
                WorkerPool.builder().taskLifecycleListener(listener).build()) {
            Thread worker = resultOf(pool.submit(Thread::currentThread)).value();
            assertThat(threads).containsEntry("started", worker).containsEntry("completed", worker);
        }
    }

    @Test
    void waiterFindsTheWorkerFree() {
        try (WorkerPool pool = WorkerPool.builder()
                .queueCapacity(0)
                .rejectionPolicy(RejectionPolicy.DISCARD)
                .taskLifecycleListener(events)
                .build()) {
            for (int i = 0; i < 1_000; i++) {
                assertThat(resultOf(pool.submit(() -> "ran")).value()).isEqualTo("ran");
            }
        }
    }

    @Test
    void listenerMayWaitForATaskThatItSubmits() {
        Queue<String> values = new ConcurrentLinkedQueue<>();
        WorkerPool[] self = new WorkerPool[1];
        TaskLifecycleListener listener = new TaskLifecycleListener() {
            @Override
            public void onCompleted(TaskIdentity task, GroupResult<?> result) {
                if (task.taskId().equals("outer")) {
                    values.add(
                            resultOf(self[0].submit("g", "inner", () -> "ran")).value());
                }
            }
        };
        try (WorkerPool pool = WorkerPool.builder()
                .maxWorkers(2)
                .taskLifecycleListener(listener)
                .build()) {
            self[0] = pool;
            resultOf(pool.submit("g", "outer", () -> "ran"));
            assertThat(values).containsExactly("ran");
        }
    }

    @Test
    void workerIsReplacedIfOnStartedHangs() {
        BlockingTask stuck = BlockingTask.uninterruptible();
        assertWorkerReplaced(stuck, new TaskLifecycleListener() {
            @Override
            public void onStarted(TaskIdentity task) {
                hang(task, stuck);
            }
        });
    }

    @Test
    void workerIsReplacedIfOnCompletedHangs() {
        BlockingTask stuck = BlockingTask.uninterruptible();
        assertWorkerReplaced(stuck, new TaskLifecycleListener() {
            @Override
            public void onCompleted(TaskIdentity task, GroupResult<?> result) {
                hang(task, stuck);
            }
        });
    }

    private static void hang(TaskIdentity task, BlockingTask stuck) {
        if (task.taskId().equals("stuck")) {
            try {
                stuck.call();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    private void assertWorkerReplaced(BlockingTask stuck, TaskLifecycleListener hanging) {
        try (Log log = new Log();
                WorkerPool pool = WorkerPool.builder()
                        .grace(Duration.ofMillis(5))
                        .taskLifecycleListener(events.andThen(hanging))
                        .build()) {
            TaskHandle<String> handle = pool.submit("g", "stuck", () -> "ran");
            TaskHandle<String> behind = pool.submit("g", "behind", () -> "ran too");
            assertThat(resultOf(handle).value()).isEqualTo("ran");
            assertThat(resultOf(behind).value()).isEqualTo("ran too");
            assertThat(stuck.hasEnded()).isFalse();
            assertThat(events.of("g/stuck")).containsExactly("submitted", "started", "completed SUCCESS");
            assertThat(pool.stats().zombies()).isEqualTo(1);
            assertThat(log.lines("has not returned after a second")).hasSize(1);
            stuck.release();
            eventually(() -> {
                assertThat(pool.stats().zombies()).isZero();
                assertThat(pool.stats().workers()).isEqualTo(1);
            });
            assertThat(resultOf(pool.submit("g", "after", () -> "ran")).value()).isEqualTo("ran");
            TestKit.letOthersRun();
            assertThat(events.of("g/stuck")).hasSize(3);
        }
    }

    @Test
    void listenersStayInARestart() {
        Events added = new Events();
        Events replacing = new Events();
        try (WorkerPool pool =
                WorkerPool.builder().taskLifecycleListener(events).build()) {
            Registration registration = pool.addListener(added);
            pool.shutdown();
            pool.restart();
            resultOf(pool.submit("g", "second", () -> "ran"));
            assertThat(events.of("g/second")).containsExactly("submitted", "started", "completed SUCCESS");
            assertThat(added.of("g/second")).containsExactly("submitted", "started", "completed SUCCESS");
            registration.close();
            pool.shutdown();
            pool.restart(b -> b.taskLifecycleListener(replacing));
            resultOf(pool.submit("g", "third", () -> "ran"));
            assertThat(events.of("g/third")).isEmpty();
            assertThat(added.of("g/third")).isEmpty();
            assertThat(replacing.of("g/third")).containsExactly("submitted", "started", "completed SUCCESS");
        }
    }
}
