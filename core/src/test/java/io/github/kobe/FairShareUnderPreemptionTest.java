package io.github.kobe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.internal.fair.Competitor;
import io.github.kobe.internal.fair.FairnessState;
import io.github.kobe.internal.fair.ReadyQueue;
import io.github.kobe.internal.fair.ServiceTimeQueue;
import io.github.kobe.internal.fair.WeightedRoundRobin;
import io.github.kobe.internal.group.ExecutorName;
import io.github.kobe.internal.group.GroupEngine;
import io.github.kobe.internal.kernel.TaskRunner;
import io.github.kobe.internal.time.SystemTimer;
import io.github.kobe.internal.util.Faults;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Does a group keep its share if a worker is preempted while it returns the group to the ready queue? */
@Timeout(60)
class FairShareUnderPreemptionTest {

    private static final int TASKS = 100;

    /** Holds up one {@code add} of the group "three", like a scheduler that preempts the calling thread there. */
    private static final class PreemptingQueue implements ReadyQueue {

        private final ReadyQueue target;
        private final AtomicBoolean armed = new AtomicBoolean();
        private final CountDownLatch preempted = new CountDownLatch(1);
        private final CountDownLatch resumed = new CountDownLatch(1);

        PreemptingQueue(ReadyQueue target) {
            this.target = target;
        }

        @Override
        public FairnessState newState() {
            return target.newState();
        }

        @Override
        public void add(Competitor group) {
            if (group.key().equals("three") && armed.compareAndSet(true, false)) {
                preempted.countDown();
                TestKit.await(resumed);
            }
            target.add(group);
        }

        @Override
        public @Nullable Competitor poll() {
            return target.poll();
        }

        @Override
        public void endPoll() {
            target.endPoll();
        }

        @Override
        public boolean beginAdd() {
            return target.beginAdd();
        }

        @Override
        public void endAdd() {
            target.endAdd();
        }

        @Override
        public boolean isEmpty() {
            return target.isEmpty();
        }

        @Override
        public void removeIf(Predicate<Competitor> leaves) {
            target.removeIf(leaves);
        }

        @Override
        public void started(Competitor group, long now) {
            target.started(group, now);
        }

        @Override
        public void left(Competitor group, boolean idle) {
            target.left(group, idle);
        }

        @Override
        public boolean chargesTime() {
            return target.chargesTime();
        }

        @Override
        public boolean startedDirectly(Competitor group, long now) {
            return target.startedDirectly(group, now);
        }

        @Override
        public void completed(Competitor group, long start, long now) {
            target.completed(group, start, now);
        }
    }

    @Test
    void groupKeepsItsShareIfItsReturnToTheReadyQueueIsDelayed() {
        GroupPolicy policy = GroupPolicy.builder()
                .globalMaxInFlight(4)
                .defaultMaxConcurrencyPerGroup(4)
                .perGroupWeight(Map.of("three", 3))
                .build();
        PreemptingQueue queue = new PreemptingQueue(new WeightedRoundRobin());
        List<String> starts = Collections.synchronizedList(new ArrayList<>());
        try (GroupExecutor executor = new GroupExecutor(new GroupEngine(
                ExecutorName.of("group executor", "groups", policy.name()),
                policy,
                queue,
                TaskRunner.freshVirtualThreads(),
                SystemTimer.shared(),
                new Faults(System::nanoTime),
                null))) {
            List<BlockingTask> blockers = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                blockers.add(BlockingTask.in(executor, "three"));
            }
            for (int i = 0; i < TASKS; i++) {
                executor.submit("three", "t", () -> starts.add("three"));
                executor.submit("one", "t", () -> starts.add("one"));
            }
            queue.armed.set(true);
            blockers.get(0).release();
            TestKit.await(queue.preempted);
            blockers.forEach(BlockingTask::release);
            TestKit.letOthersRun();
            queue.resumed.countDown();
            TestKit.eventually(() -> assertThat(starts).hasSizeGreaterThanOrEqualTo(TASKS));
        }
        List<String> first;
        synchronized (starts) {
            first = List.copyOf(starts.subList(0, TASKS));
        }
        assertThat((double) Collections.frequency(first, "three")).isCloseTo(0.75 * TASKS, within(4.0));
    }

    @Test
    void noGroupOvertakesAGroupWhoseAddIsDelayedIfTimeIsShared() {
        GroupPolicy policy = GroupPolicy.builder()
                .globalMaxInFlight(4)
                .defaultMaxConcurrencyPerGroup(4)
                .build();
        PreemptingQueue queue = new PreemptingQueue(new ServiceTimeQueue(System::nanoTime));
        List<String> starts = Collections.synchronizedList(new ArrayList<>());
        try (GroupExecutor executor = new GroupExecutor(new GroupEngine(
                ExecutorName.of("group executor", "groups", policy.name()),
                policy,
                queue,
                TaskRunner.freshVirtualThreads(),
                SystemTimer.shared(),
                new Faults(System::nanoTime),
                null))) {
            List<BlockingTask> blockers = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                blockers.add(BlockingTask.in(executor, "three"));
            }
            for (int i = 0; i < TASKS; i++) {
                executor.submit("three", "t", () -> starts.add("three"));
                executor.submit("one", "t", () -> starts.add("one"));
            }
            queue.armed.set(true);
            blockers.get(0).release();
            TestKit.await(queue.preempted);
            blockers.forEach(BlockingTask::release);
            blockers.forEach(blocker -> TestKit.await(blocker.ended));
            TestKit.letOthersRun();
            assertThat(starts).as("while a ready group is not in the queue yet").isEmpty();
            queue.resumed.countDown();
            TestKit.eventually(() -> assertThat(starts).hasSize(2 * TASKS));
        }
    }
}
