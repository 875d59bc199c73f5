package io.github.kobe.internal.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.internal.fair.WeightedRoundRobin;
import io.github.kobe.internal.time.SystemTimer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

/**
 * The ten promises of the kernel, in order: {@code promiseNN} tests promise NN. {@link SimulationTest} checks promises 1 to 8
 * under thousands of random schedules.
 *
 * <ul>
 * <li>1, hard limits, with a global limit that is set late: {@link LateGlobalLimitTest}
 * <li>2, exactly once, with permit requests: {@link PermitRequestTest}
 * <li>3, truthful permits, with timeouts and retries: {@link AttemptStateTest}
 * <li>4, work conserving, with suspended submitters: {@link BlockedSubmitterTest}
 * <li>5, queued tasks hold nothing, between groups: {@link FairnessTest#taskThatNeverCompletesDelaysNoOtherGroup}
 * <li>6, order, with priorities: {@link PriorityAgeingTest}; between groups: {@link FairnessTest}, {@link WeightedRoundRobinTest}
 * <li>7, user code, in the timer: {@code SystemTimerTest}
 * <li>8, idle costs nothing, in the ready queue and the timer: {@link RetiredReadyGroupTest}, {@link DeadlineMonitorTest}, {@link
 * PeriodicSweepTest}
 * <li>9, pay for what you use, without time limits: {@link AttemptStateTest#withoutTimeLimitsAndRetriesTheTimerIsNotUsed}
 * </ul>
 */
class KernelPromisesTest {

    private static final int UNLIMITED = Integer.MAX_VALUE;
    private static final long FOR_EVER = Long.MAX_VALUE;
    private static final long TTL = TimeUnit.SECONDS.toNanos(1);

    @Test
    void promise01HardLimitsHoldWhileLimitsAreLowered() {
        StepDispatcher runner = new StepDispatcher(4, 6, TTL);
        for (int i = 0; i < 10; i++) {
            runner.submit("a");
            runner.submit("b");
        }
        assertThat(runner.running()).isEqualTo(6);
        runner.dispatcher.setGlobalLimit(3);
        runner.dispatcher.changeLimits("a", before -> new GroupLimits(1, 1, UNLIMITED));
        for (int left = 5; left >= 3; left--) {
            runner.finishOldest();
            assertThat(runner.running())
                    .as("nothing starts until the lowered limit is paid off")
                    .isEqualTo(left);
        }
        for (int i = 0; i < 8; i++) {
            runner.finishOldest();
            assertThat(runner.running()).isEqualTo(3);
            assertThat(runner.dispatcher.group("a").active()).isLessThanOrEqualTo(i < 2 ? 2 : 1);
        }
    }

    @Test
    void promise02EveryTaskCompletesExactlyOnceUnderRacingCancels() throws Exception {
        AtomicInteger told = new AtomicInteger();
        Dispatcher dispatcher = realThreads(2);
        List<CountingTask> tasks = new ArrayList<>();
        CountDownLatch go = new CountDownLatch(1);
        for (int i = 0; i < 500; i++) {
            CountingTask task = new CountingTask(told, go::getCount);
            tasks.add(task);
            dispatcher.submit("g", task);
        }
        Thread canceller =
                Thread.startVirtualThread(() -> tasks.forEach(t -> t.cancel(true, "by the first canceller")));
        Thread other = Thread.startVirtualThread(
                () -> tasks.reversed().forEach(t -> t.cancel(false, "by the second canceller")));
        go.countDown();
        dispatcher.stop();
        canceller.join();
        other.join();
        for (CountingTask task : tasks) {
            task.completion().get(10, TimeUnit.SECONDS);
        }
        assertThat(dispatcher.awaitTermination(TimeUnit.SECONDS.toNanos(10))).isTrue();
        assertThat(told).hasValue(500);
    }

    @Test
    void promise03PermitIsHeldExactlyWhileTheTaskIsOnItsThread() {
        StepDispatcher runner = new StepDispatcher(1, 1, TTL);
        SimulatedTask stubborn = runner.submit("g");
        SimulatedTask next = runner.submit("g");
        stubborn.cancel(true, "ignored by the task");
        assertThat(stubborn.isCompleted()).as("completed at once").isTrue();
        assertThat(runner.runs(next)).as("the permit is still in use").isFalse();
        assertThat(runner.dispatcher.globalInFlight()).isEqualTo(1);
        runner.finish(stubborn);
        assertThat(runner.runs(next)).isTrue();
        runner.finish(next);
        assertThat(runner.dispatcher.globalInFlight()).isZero();
        assertThat(runner.dispatcher.group("g").active()).isZero();
        Thread.interrupted();
    }

    @Test
    void promise04NoTaskIsQueuedWhileEveryLimitHasRoom() {
        StepDispatcher runner = new StepDispatcher(1, 2, TTL);
        runner.submit("a");
        SimulatedTask waitsForItsGroup = runner.submit("a");
        runner.submit("b");
        SimulatedTask waitsForThePlace = runner.submit("c");
        runner.finishOldest();
        assertThat(runner.runs(waitsForItsGroup) || runner.runs(waitsForThePlace))
                .isTrue();
        runner.dispatcher.setGlobalLimit(3);
        assertThat(runner.runs(waitsForItsGroup) && runner.runs(waitsForThePlace))
                .as("without another submit")
                .isTrue();
        SimulatedTask extra = runner.submit("c");
        runner.dispatcher.setGlobalLimit(4);
        runner.dispatcher.changeLimits("c", before -> new GroupLimits(2, 2, UNLIMITED));
        assertThat(runner.runs(extra)).isTrue();
    }

    @Test
    void promise05QueuedTaskHoldsNoThreadAndNoGlobalPermit() {
        StepDispatcher runner = new StepDispatcher(1, 4, TTL);
        for (int i = 0; i < 40; i++) {
            runner.submit("stuck");
        }
        assertThat(runner.running()).as("threads").isEqualTo(1);
        assertThat(runner.dispatcher.globalInFlight()).isEqualTo(1);
        for (String free : List.of("x", "y", "z")) {
            assertThat(runner.runs(runner.submit(free))).isTrue();
        }
    }

    @Test
    void promise06SubmissionOrderWithinAGroupAndRoundRobinBetweenGroups() {
        StepDispatcher runner = new StepDispatcher(8, 1, TTL);
        List<SimulatedTask> backlog = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            backlog.add(runner.submit("heavy"));
        }
        SimulatedTask light = runner.submit("light");
        List<SimulatedTask> order = new ArrayList<>();
        while (runner.running() > 0) {
            order.add(runner.finishOldest());
        }
        assertThat(order.indexOf(light)).as("one round behind the backlog").isBetween(1, 2);
        order.remove(light);
        assertThat(order).isEqualTo(backlog);
    }

    @Test
    void promise07UserCodeRunsOutsideEveryLock() {
        AtomicBoolean nested = new AtomicBoolean();
        StepDispatcher[] runner = new StepDispatcher[1];
        List<SimulatedTask> fromInside = new ArrayList<>();
        runner[0] = new StepDispatcher(
                key -> {
                    if (nested.compareAndSet(false, true)) {
                        OtherThread.run(
                                () -> fromInside.add(runner[0].submit(key))); // would deadlock under a lock of the map
                    }
                    return new GroupLimits(1, 1, UNLIMITED);
                },
                UNLIMITED,
                TTL);
        SimulatedTask first = runner[0].submit("g");
        assertThat(fromInside).hasSize(1);
        assertThat(runner[0].running()).isEqualTo(1);
        runner[0].finishOldest();
        assertThat(runner[0].newest()).isIn(first, fromInside.getFirst());
    }

    @Test
    void promise07ErrorOfATaskAffectsOnlyItsResult() throws Exception {
        Dispatcher dispatcher = realThreads(1);
        CountingTask failing = new CountingTask(new AtomicInteger(), () -> {
            throw new StackOverflowError("thrown by the task");
        });
        CountingTask next = new CountingTask(new AtomicInteger(), () -> 1);
        dispatcher.submit("g", failing);
        dispatcher.submit("g", next);
        assertThat(failing.completion().get(10, TimeUnit.SECONDS)).contains("failed", "StackOverflowError");
        assertThat(next.completion().get(10, TimeUnit.SECONDS)).isEqualTo("ran 1");
        dispatcher.stop();
    }

    @Test
    void promise08IdleGroupLeavesNothingBehind() {
        StepDispatcher runner = new StepDispatcher(1, 2, TTL);
        SimulatedTask cancelled = null;
        for (int i = 0; i < 100; i++) {
            runner.submit("g" + i);
            cancelled = runner.submit("g" + i);
            cancelled.cancel(false, "leaves its group in the ready queue");
        }
        while (runner.running() > 0) {
            runner.finishOldest();
        }
        runner.timer.advance(TTL / 2);
        assertThat(runner.dispatcher.groups()).as("not before the idle TTL").hasSize(100);
        runner.submit("g7");
        runner.timer.advance(TTL);
        assertThat(runner.dispatcher.groups()).extracting(Group::key).containsExactly("g7");
        runner.finishOldest();
        runner.timer.advance(2 * TTL);
        assertThat(runner.dispatcher.groups()).isEmpty();
        assertThat(runner.timer.pending()).as("no timer entry left").isZero();
        assertThat(runner.runs(runner.submit("g7"))).as("starts again").isTrue();
    }

    @Test
    void promise09UnusedFeaturesCostNothing() {
        StepDispatcher runner = new StepDispatcher(1, UNLIMITED, FOR_EVER);
        SimulatedTask task = runner.submit("g");
        runner.submit("g");
        runner.finishOldest();
        runner.finishOldest();
        assertThat(runner.timer.pending()).as("no timer entry").isZero();
        assertThat(runner.dispatcher.globalInFlight()).as("no global limiter").isEqualTo(-1);
        assertThat(task.isCompleted()).isTrue();
    }

    @Test
    void promise10TaskStartsOnAFreshThreadThatInheritsNothing() throws Exception {
        InheritableThreadLocal<String> inherited = new InheritableThreadLocal<>();
        inherited.set("of the submitter");
        Dispatcher dispatcher = realThreads(1);
        Set<Thread> threads = ConcurrentHashMap.newKeySet();
        List<String> seen = new ArrayList<>(); // tasks run one at a time
        Thread.currentThread().interrupt();
        List<CountingTask> tasks = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            CountingTask task = new CountingTask(new AtomicInteger(), () -> {
                threads.add(Thread.currentThread());
                seen.add(inherited.get() + " " + Thread.currentThread().isInterrupted());
                Thread.currentThread().interrupt(); // must not reach another task
                inherited.set("of another task");
                return 0;
            });
            tasks.add(task);
            dispatcher.submit("g", task);
        }
        assertThat(Thread.interrupted()).isTrue();
        for (CountingTask task : tasks) {
            task.completion().get(10, TimeUnit.SECONDS);
            task.cancel(true, "late"); // must not reach the thread of the next task
        }
        assertThat(threads).hasSize(50).allMatch(Thread::isVirtual);
        assertThat(seen).hasSize(50).containsOnly("null false");
        dispatcher.stop();
    }

    private static Dispatcher realThreads(int limit) {
        return new Dispatcher(
                key -> new GroupLimits(limit, limit, UNLIMITED),
                UNLIMITED,
                UNLIMITED,
                TTL,
                new WeightedRoundRobin(),
                TaskRunner.freshVirtualThreads(),
                SystemTimer.shared());
    }

    private static final class CountingTask extends KernelTask<String> {
        private final AtomicInteger told;
        private final LongSupplier work;

        CountingTask(AtomicInteger told, LongSupplier work) {
            this.told = told;
            this.work = work;
        }

        @Override
        protected String execute() {
            return "ran " + work.getAsLong();
        }

        @Override
        protected String failed(Throwable fault) {
            return "failed " + fault;
        }

        @Override
        protected String cancelled(String why) {
            return "cancelled " + why;
        }

        @Override
        protected boolean hasListeners() {
            return true;
        }

        @Override
        protected void notifyCompleted(String result) {
            told.incrementAndGet();
            publishResult(result);
        }
    }
}
