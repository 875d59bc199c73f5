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

/** The ten points that always hold, one test for each; {@link SimulationTest} has them under thousands of schedules. */
class KernelPromisesTest {

    private static final int NO_CAP = Integer.MAX_VALUE;
    private static final long FOR_EVER = Long.MAX_VALUE;
    private static final long TTL = TimeUnit.SECONDS.toNanos(1);

    @Test
    void promise01HardLimitsHoldWhileCapsAreLowered() {
        StepRunner crank = new StepRunner(4, 6, TTL);
        for (int i = 0; i < 10; i++) {
            crank.submit("a");
            crank.submit("b");
        }
        assertThat(crank.running()).isEqualTo(6);
        crank.dispatcher.setGlobalLimit(3);
        crank.dispatcher.changeLimits("a", before -> new GroupLimits(1, 1, NO_CAP));
        for (int left = 5; left >= 3; left--) {
            crank.finishOldest();
            assertThat(crank.running())
                    .as("nothing starts until the lowered cap is paid off")
                    .isEqualTo(left);
        }
        for (int i = 0; i < 8; i++) {
            crank.finishOldest();
            assertThat(crank.running()).isEqualTo(3);
            assertThat(crank.dispatcher.group("a").active()).isLessThanOrEqualTo(i < 2 ? 2 : 1);
        }
    }

    @Test
    void promise02EveryTicketEndsExactlyOnceHoweverManyRaceToEndIt() throws Exception {
        AtomicInteger told = new AtomicInteger();
        Dispatcher dispatcher = realThreads(2);
        List<CountingTask> tickets = new ArrayList<>();
        CountDownLatch go = new CountDownLatch(1);
        for (int i = 0; i < 500; i++) {
            CountingTask ticket = new CountingTask(told, go::getCount);
            tickets.add(ticket);
            dispatcher.submit("g", ticket);
        }
        Thread canceller = Thread.startVirtualThread(() -> tickets.forEach(t -> t.cancel(true, "by one")));
        Thread other = Thread.startVirtualThread(() -> tickets.reversed().forEach(t -> t.cancel(false, "by another")));
        go.countDown();
        dispatcher.stop();
        canceller.join();
        other.join();
        for (CountingTask ticket : tickets) {
            ticket.completion().get(10, TimeUnit.SECONDS);
        }
        assertThat(dispatcher.awaitTermination(TimeUnit.SECONDS.toNanos(10))).isTrue();
        assertThat(told).hasValue(500);
    }

    @Test
    void promise03PlaceIsHeldWhileTheWorkIsOnItsThreadAndNoLonger() {
        StepRunner crank = new StepRunner(1, 1, TTL);
        SimulatedTask stubborn = crank.submit("g");
        SimulatedTask next = crank.submit("g");
        stubborn.cancel(true, "ignored by the work");
        assertThat(stubborn.isCompleted()).as("the handle is done at once").isTrue();
        assertThat(crank.runs(next)).as("the place is still taken").isFalse();
        assertThat(crank.dispatcher.globalInFlight()).isEqualTo(1);
        crank.finish(stubborn);
        assertThat(crank.runs(next)).isTrue();
        crank.finish(next);
        assertThat(crank.dispatcher.globalInFlight()).isZero();
        assertThat(crank.dispatcher.group("g").active()).isZero();
        Thread.interrupted();
    }

    @Test
    void promise04NoTicketWaitsWhileEveryCapItNeedsHasRoom() {
        StepRunner crank = new StepRunner(1, 2, TTL);
        crank.submit("a");
        SimulatedTask waitsForItsGroup = crank.submit("a");
        crank.submit("b");
        SimulatedTask waitsForThePlace = crank.submit("c");
        crank.finishOldest();
        assertThat(crank.runs(waitsForItsGroup) || crank.runs(waitsForThePlace)).isTrue();
        crank.dispatcher.setGlobalLimit(3);
        assertThat(crank.runs(waitsForItsGroup) && crank.runs(waitsForThePlace))
                .as("without another submit")
                .isTrue();
        SimulatedTask extra = crank.submit("c");
        crank.dispatcher.setGlobalLimit(4);
        crank.dispatcher.changeLimits("c", before -> new GroupLimits(2, 2, NO_CAP));
        assertThat(crank.runs(extra)).isTrue();
    }

    @Test
    void promise05WaitingHoldsNoThreadNoGlobalPlaceAndNobodyElsesTurn() {
        StepRunner crank = new StepRunner(1, 4, TTL);
        for (int i = 0; i < 40; i++) {
            crank.submit("stuck");
        }
        assertThat(crank.running()).as("threads").isEqualTo(1);
        assertThat(crank.dispatcher.globalInFlight()).isEqualTo(1);
        for (String free : List.of("x", "y", "z")) {
            assertThat(crank.runs(crank.submit(free))).isTrue();
        }
    }

    @Test
    void promise06SubmissionOrderWithinAGroupAndTurnsBetweenGroups() {
        StepRunner crank = new StepRunner(8, 1, TTL);
        List<SimulatedTask> backlog = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            backlog.add(crank.submit("heavy"));
        }
        SimulatedTask light = crank.submit("light");
        List<SimulatedTask> order = new ArrayList<>();
        while (crank.running() > 0) {
            order.add(crank.finishOldest());
        }
        assertThat(order.indexOf(light)).as("one round behind the backlog").isBetween(1, 2);
        order.remove(light);
        assertThat(order).isEqualTo(backlog);
    }

    @Test
    void promise07UserCodeRunsOutsideEveryLock() {
        AtomicBoolean nested = new AtomicBoolean();
        StepRunner[] crank = new StepRunner[1];
        List<SimulatedTask> fromInside = new ArrayList<>();
        crank[0] = new StepRunner(
                key -> {
                    if (nested.compareAndSet(false, true)) {
                        fromInside.add(crank[0].submit(key)); // would never return under a lock of the map
                    }
                    return new GroupLimits(1, 1, NO_CAP);
                },
                NO_CAP,
                TTL);
        SimulatedTask first = crank[0].submit("g");
        assertThat(fromInside).hasSize(1);
        assertThat(crank[0].running()).isEqualTo(1);
        crank[0].finishOldest();
        assertThat(crank[0].newest()).isIn(first, fromInside.getFirst());
    }

    @Test
    void promise07ErrorsOfTheWorkEndUpInItsResultAndNowhereElse() throws Exception {
        Dispatcher dispatcher = realThreads(1);
        CountingTask failing = new CountingTask(new AtomicInteger(), () -> {
            throw new StackOverflowError("of the work");
        });
        CountingTask next = new CountingTask(new AtomicInteger(), () -> 1);
        dispatcher.submit("g", failing);
        dispatcher.submit("g", next);
        assertThat(failing.completion().get(10, TimeUnit.SECONDS)).contains("failed", "StackOverflowError");
        assertThat(next.completion().get(10, TimeUnit.SECONDS)).isEqualTo("ran 1");
        dispatcher.stop();
    }

    @Test
    void promise08QuietGroupLeavesNothingBehind() {
        StepRunner crank = new StepRunner(1, 2, TTL);
        SimulatedTask cancelled = null;
        for (int i = 0; i < 100; i++) {
            crank.submit("g" + i);
            cancelled = crank.submit("g" + i);
            cancelled.cancel(false, "so that it leaves its group in line");
        }
        while (crank.running() > 0) {
            crank.finishOldest();
        }
        crank.timer.advance(TTL / 2);
        assertThat(crank.dispatcher.groups()).as("not before its time").hasSize(100);
        crank.submit("g7");
        crank.timer.advance(TTL);
        assertThat(crank.dispatcher.groups()).extracting(Group::key).containsExactly("g7");
        crank.finishOldest();
        crank.timer.advance(2 * TTL);
        assertThat(crank.dispatcher.groups()).isEmpty();
        assertThat(crank.timer.pending()).as("nothing left to wake up for").isZero();
        assertThat(crank.runs(crank.submit("g7"))).as("and it is welcome again").isTrue();
    }

    @Test
    void promise09NothingIsPaidForWhatIsNotUsed() {
        StepRunner crank = new StepRunner(1, NO_CAP, FOR_EVER);
        SimulatedTask ticket = crank.submit("g");
        crank.submit("g");
        crank.finishOldest();
        crank.finishOldest();
        assertThat(crank.timer.pending()).as("no timer entry").isZero();
        assertThat(crank.dispatcher.globalInFlight()).as("no gate").isEqualTo(-1);
        assertThat(ticket.isCompleted()).isTrue();
    }

    @Test
    void promise10WorkStartsOnAFreshThreadThatInheritsNothing() throws Exception {
        InheritableThreadLocal<String> inherited = new InheritableThreadLocal<>();
        inherited.set("of the submitter");
        Dispatcher dispatcher = realThreads(1);
        Set<Thread> threads = ConcurrentHashMap.newKeySet();
        List<String> seen = new ArrayList<>(); // one at a time
        Thread.currentThread().interrupt();
        List<CountingTask> tickets = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            CountingTask ticket = new CountingTask(new AtomicInteger(), () -> {
                threads.add(Thread.currentThread());
                seen.add(inherited.get() + " " + Thread.currentThread().isInterrupted());
                Thread.currentThread().interrupt(); // left behind for whoever came next on this thread
                inherited.set("of another task");
                return 0;
            });
            tickets.add(ticket);
            dispatcher.submit("g", ticket);
        }
        assertThat(Thread.interrupted()).isTrue();
        for (CountingTask ticket : tickets) {
            ticket.completion().get(10, TimeUnit.SECONDS);
            ticket.cancel(true, "late"); // must not reach the next one's thread
        }
        assertThat(threads).hasSize(50).allMatch(Thread::isVirtual);
        assertThat(seen).hasSize(50).containsOnly("null false");
        dispatcher.stop();
    }

    private static Dispatcher realThreads(int cap) {
        return new Dispatcher(
                key -> new GroupLimits(cap, cap, NO_CAP),
                NO_CAP,
                NO_CAP,
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
