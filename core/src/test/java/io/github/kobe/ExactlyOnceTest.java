package io.github.kobe;

import static io.github.kobe.TestKit.await;
import static io.github.kobe.TestKit.executor;
import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.TestKit.Caller;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Does every task have exactly one outcome, whatever happens to it concurrently? */
@Timeout(60)
class ExactlyOnceTest {

    /** Counts the outcomes of a task and keeps the last. */
    private static final class OutcomeRecorder implements TaskLifecycleListener {
        final Map<String, AtomicInteger> counts = new ConcurrentHashMap<>();
        final Map<String, TaskStatus> statuses = new ConcurrentHashMap<>();

        private void ended(String taskId, TaskStatus status) {
            counts.computeIfAbsent(taskId, id -> new AtomicInteger()).incrementAndGet();
            statuses.put(taskId, status);
        }

        @Override
        public void onCompleted(String groupKey, String taskId, GroupResult<?> result) {
            ended(taskId, result.status());
        }

        @Override
        public void onRejected(String groupKey, String taskId, String reason) {
            ended(taskId, TaskStatus.REJECTED);
        }
    }

    @Test
    void withoutAGlobalLimit() throws Exception {
        assertOneEndEach(b -> b.defaultMaxConcurrencyPerGroup(2));
    }

    @Test
    void underAGlobalLimit() throws Exception {
        assertOneEndEach(b -> b.defaultMaxConcurrencyPerGroup(2).globalMaxInFlight(3));
    }

    @Test
    void withFullQueuesAndRetiredGroups() throws Exception {
        assertOneEndEach(b -> b.globalMaxInFlight(3)
                .globalQueueThreshold(20)
                .defaultQueueThresholdPerGroup(8)
                .idleGroupTtl(Duration.ZERO));
    }

    /** A task that is rejected at the last moment is still linked in its group's queue, where a shutdown finds it. */
    @Test
    void rejectedWhileOthersTakeTheLastSlotOfTheQueue() throws Exception {
        for (int round = 0; round < 600; round++) {
            OutcomeRecorder outcomes = new OutcomeRecorder();
            GroupExecutor executor = executor(b -> b.defaultQueueThresholdPerGroup(1)
                    .rejectionPolicy(RejectionPolicy.DISCARD)
                    .taskLifecycleListener(outcomes));
            List<Caller<TaskHandle<String>>> submitters = new ArrayList<>();
            CountDownLatch go = new CountDownLatch(1);
            for (int s = 0; s < 4; s++) {
                String id = "t" + s;
                submitters.add(Caller.of(() -> {
                    go.await();
                    return executor.submit("g", id, () -> {
                        new CountDownLatch(1).await();
                        return "";
                    });
                }));
            }
            go.countDown();
            for (Caller<TaskHandle<String>> submitter : submitters) {
                submitter.result();
            }
            executor.shutdown();
            for (Caller<TaskHandle<String>> submitter : submitters) {
                submitter.result().join();
            }
            assertThat(outcomes.counts.values()).hasSize(4).allMatch(count -> count.get() == 1);
        }
    }

    private static void assertOneEndEach(UnaryOperator<GroupPolicy.Builder> settings) throws Exception {
        OutcomeRecorder outcomes = new OutcomeRecorder();
        Map<String, AtomicInteger> runs = new ConcurrentHashMap<>();
        GroupExecutor executor = executor(
                b -> settings.apply(b).rejectionPolicy(RejectionPolicy.DISCARD).taskLifecycleListener(outcomes));
        CountDownLatch half = new CountDownLatch(2);
        List<Caller<List<TaskHandle<String>>>> submitters = new ArrayList<>();
        for (int s = 0; s < 2; s++) {
            String name = "s" + s + "-";
            submitters.add(Caller.of(() -> submitAndMeddle(executor, name, runs, half)));
        }
        await(half);
        executor.shutdownGroup("g1");
        executor.evictGroup("g2");
        List<TaskHandle<String>> handles = new ArrayList<>();
        for (Caller<List<TaskHandle<String>>> submitter : submitters) {
            handles.addAll(submitter.result());
        }
        executor.shutdown();
        for (TaskHandle<String> handle : handles) {
            TaskStatus status = resultOf(handle).status();
            assertThat(outcomes.counts.get(handle.taskId()))
                    .as("outcomes of %s", handle)
                    .hasValue(1);
            assertThat(outcomes.statuses.get(handle.taskId())).isEqualTo(status);
            int ran = runs.getOrDefault(handle.taskId(), new AtomicInteger()).get();
            assertThat(ran).isBetween(status == TaskStatus.SUCCESS ? 1 : 0, status == TaskStatus.REJECTED ? 0 : 1);
        }
        assertThat(outcomes.counts).hasSameSizeAs(handles);
    }

    private static List<TaskHandle<String>> submitAndMeddle(
            GroupExecutor executor, String name, Map<String, AtomicInteger> runs, CountDownLatch half) {
        List<TaskHandle<String>> handles = new ArrayList<>();
        for (int i = 0; i < 1500; i++) {
            String id = name + i;
            handles.add(executor.submit("g" + i % 4, id, () -> {
                runs.computeIfAbsent(id, k -> new AtomicInteger()).incrementAndGet();
                return "ran";
            }));
            if (i % 3 == 0) {
                handles.get(i / 2).cancel(i % 2 == 0);
            }
            if (i % 5 == 0) {
                handles.get(i).cancel(true);
            }
            if (i == 750) {
                half.countDown();
            }
        }
        return handles;
    }
}
