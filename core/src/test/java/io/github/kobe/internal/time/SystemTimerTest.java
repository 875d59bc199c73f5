package io.github.kobe.internal.time;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.TestKit.Log;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The system timer fires each entry that is started and not cancelled once, on one thread. */
@org.junit.jupiter.api.Timeout(120)
class SystemTimerTest {

    private static final String THREAD = "group-concurrency-timer";
    private static final long HOUR = TimeUnit.HOURS.toNanos(1);
    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

    private final Timer timer = SystemTimer.shared();

    /** Counts how often it fired, and records the thread and the time. */
    private static class Probe extends TimerEntry {
        final AtomicInteger fired = new AtomicInteger();
        final CountDownLatch first = new CountDownLatch(1);
        volatile Thread on;
        volatile long at;

        @Override
        public void fire() {
            at = System.nanoTime();
            on = Thread.currentThread();
            fired.incrementAndGet();
            first.countDown();
        }

        Probe await() throws InterruptedException {
            assertThat(first.await(30, TimeUnit.SECONDS)).as("fired").isTrue();
            return this;
        }
    }

    /** An entry that runs {@code action}. */
    private static TimerEntry doing(Runnable action) {
        return new TimerEntry() {
            @Override
            public void fire() {
                action.run();
            }
        };
    }

    private final List<Timer> hasty = new ArrayList<>();

    /** A timer whose thread exits as soon as nothing is pending. */
    private Timer hasty() {
        Timer one = new SystemTimer(MILLI / 10);
        hasty.add(one);
        return one;
    }

    @AfterEach
    void noThreadIsLeft() throws Exception {
        for (Timer each : hasty) {
            Probe probe = new Probe();
            each.start(probe, 0);
            awaitEnd(probe.await().on);
        }
    }

    private static void awaitEnd(Thread thread) throws InterruptedException {
        assertThat(thread.join(Duration.ofSeconds(30))).as("exited").isTrue();
    }

    @ParameterizedTest
    @ValueSource(longs = {Long.MIN_VALUE, 0, 1, 1_000_000, 100_000_000})
    void firesOnceAndNotBeforeItIsDue(long delay) throws Exception {
        Probe probe = new Probe();
        long before = timer.nanoTime();
        timer.start(probe, delay);
        probe.await();
        assertThat(probe.at - before).isGreaterThanOrEqualTo(Math.max(0, delay));
        assertThat(timer.cancel(probe)).as("cancelled too late").isFalse();
        assertThat(probe.fired).hasValue(1);
        assertThat(probe.on.isDaemon() && !probe.on.isVirtual()).isTrue();
        assertThat(probe.on.getName()).isEqualTo(THREAD);
    }

    @Test
    void actionsAreScheduled() throws Exception {
        CountDownLatch ran = new CountDownLatch(1);
        timer.schedule(ran::countDown, MILLI);
        assertThat(ran.await(30, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void cancelledEntryDoesNotFire() throws Exception {
        Probe cancelled = new Probe();
        timer.start(cancelled, 20 * MILLI);
        assertThat(timer.cancel(cancelled)).isTrue();
        assertThat(timer.cancel(cancelled)).as("a second time").isFalse();
        Probe after = new Probe();
        timer.start(after, 50 * MILLI);
        after.await();
        assertThat(cancelled.fired).hasValue(0);
    }

    @Test
    void entryThatWasNeverStartedIsNotPending() {
        assertThat(timer.cancel(new Probe())).isFalse();
    }

    @Test
    void startOfAPendingEntryIsRejectedAndChangesNothing() throws Exception {
        Probe probe = new Probe();
        timer.start(probe, HOUR);
        assertThatThrownBy(() -> timer.start(probe, 0)).isInstanceOf(IllegalStateException.class);
        assertThat(timer.cancel(probe)).isTrue();
        timer.start(probe, 0);
        probe.await();
        assertThat(probe.fired).hasValue(1);
    }

    @Test
    void entryCanRestartItself() throws Exception {
        CountDownLatch rounds = new CountDownLatch(5);
        timer.start(
                new TimerEntry() {
                    @Override
                    public void fire() {
                        rounds.countDown();
                        if (rounds.getCount() > 0) {
                            timer.start(this, MILLI);
                        }
                    }
                },
                MILLI);
        assertThat(rounds.await(30, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void exceptionIsLoggedOnceAndDoesNotAffectOtherEntries() throws Exception {
        Timer fresh = hasty();
        Probe stays = new Probe();
        fresh.start(stays, HOUR);
        try (Log log = new Log()) {
            Probe before = new Probe();
            fresh.start(before, 0);
            for (int i = 0; i < 3; i++) {
                fresh.schedule(
                        () -> {
                            throw new IllegalStateException("expected by the test");
                        },
                        0);
                fresh.schedule(
                        () -> {
                            throw new StackOverflowError("expected by the test");
                        },
                        0);
            }
            Probe after = new Probe();
            fresh.start(after, 10 * MILLI);
            assertThat(after.await().on).as("fired by the same thread").isSameAs(before.await().on);
            assertThat(log.lines("IllegalStateException: expected by the test")).hasSize(1);
            assertThat(log.lines("StackOverflowError: expected by the test")).hasSize(1);
        }
        fresh.cancel(stays);
    }

    @Test
    void interruptOfItsThreadIsCleared() throws Exception {
        Probe interrupting = new Probe() {
            @Override
            public void fire() {
                super.fire();
                Thread.currentThread().interrupt();
            }
        };
        timer.start(interrupting, 0);
        Thread thread = interrupting.await().on;
        CountDownLatch clean = new CountDownLatch(1);
        timer.schedule(
                () -> {
                    if (Thread.currentThread() == thread && !thread.isInterrupted()) {
                        clean.countDown();
                    }
                },
                20 * MILLI);
        assertThat(clean.await(30, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void earlierEntryStartedLaterFiresFirst() throws Exception {
        Queue<String> order = new ConcurrentLinkedQueue<>();
        CountDownLatch all = new CountDownLatch(3);
        for (String name : List.of("300", "150", "1")) {
            timer.schedule(
                    () -> {
                        order.add(name);
                        all.countDown();
                    },
                    Long.parseLong(name) * MILLI);
        }
        assertThat(all.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(order).containsExactly("1", "150", "300");
    }

    @Test
    void wakesForAnEarlierEntry() throws Exception {
        Timer patient = new SystemTimer(HOUR);
        Probe first = new Probe();
        patient.start(first, 0);
        Probe late = new Probe();
        patient.start(late, HOUR);
        Thread thread = first.await().on;
        for (int i = 0; i < 3; i++) {
            Awaitility.await().until(() -> thread.getState() == Thread.State.TIMED_WAITING);
            Probe soon = new Probe();
            Thread.ofVirtual().start(() -> patient.start(soon, 5 * MILLI)).join();
            assertThat(soon.await().on).isSameAs(thread);
        }
        assertThat(patient.cancel(late)).isTrue();
    }

    @Test
    void startWhileTheThreadParksIsNotLost() throws Exception {
        Timer patient = new SystemTimer(HOUR); // no later wake-up would find a lost entry
        List<Probe> probes = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            probes.add(new Probe());
        }
        SplittableRandom random = new SplittableRandom(1);
        for (int round = 1; round <= 100; round++) {
            for (Probe probe : probes) {
                patient.start(probe, 0);
                long giveUp = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
                while (probe.fired.get() < round && System.nanoTime() - giveUp < 0) {
                    Thread.onSpinWait(); // parking would be too slow
                }
                assertThat(probe.fired).hasValue(round);
                for (int spins = random.nextInt(100); spins > 0; spins--) {
                    Thread.onSpinWait();
                }
            }
        }
    }

    @Test
    void millionPendingEntriesUseOneThread() throws Exception {
        int count = 1_000_000;
        Set<Thread> before = timerThreads(); // other tests have timers of their own
        List<TimerEntry> pending = new ArrayList<>(count);
        SplittableRandom random = new SplittableRandom(1);
        Runnable unexpected = () -> {
            throw new AssertionError("an hour has not passed");
        };
        for (int i = 0; i < count; i++) {
            TimerEntry timeout = doing(unexpected);
            pending.add(timeout);
            timer.start(timeout, HOUR + random.nextLong(HOUR));
        }
        Probe probe = new Probe();
        timer.start(probe, MILLI);
        probe.await();
        Set<Thread> after = timerThreads();
        after.removeAll(before);
        assertThat(after).isSubsetOf(probe.on);
        assertThat(pending).allMatch(timer::cancel);
    }

    private static Set<Thread> timerThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals(THREAD))
                .collect(Collectors.toSet());
    }

    @Test
    void eachEntryFiresOnceOrIsCancelled() throws Exception {
        hammer(timer, true);
        hammer(timer, false);
    }

    @Test
    void eachEntryFiresOnceOrIsCancelledWhileTheThreadKeepsExiting() throws Exception {
        Timer hasty = hasty();
        hammer(hasty, true);
        hammer(hasty, false);
    }

    private static void hammer(Timer timer, boolean virtual) throws Exception {
        List<Race> races = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            Race race = new Race(timer, i);
            races.add(race);
            Thread.Builder builder = virtual ? Thread.ofVirtual() : Thread.ofPlatform();
            threads.add(builder.start(race::startAll));
            threads.add(builder.start(race::cancelAll));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        for (Race race : races) {
            race.check();
        }
    }

    /** One thread starts entries and another cancels them at about the time that they are due. */
    private static final class Race {
        private static final int ROUNDS = 5_000;

        private final Timer timer;
        private final SplittableRandom random;
        private final Probe[] probes = new Probe[ROUNDS];
        private final boolean[] cancelled = new boolean[ROUNDS];
        private final BlockingQueue<Probe> started = new LinkedBlockingQueue<>();

        Race(Timer timer, long seed) {
            this.timer = timer;
            this.random = new SplittableRandom(seed);
        }

        void startAll() {
            for (int i = 0; i < ROUNDS; i++) {
                probes[i] = new Probe();
                timer.start(probes[i], random.nextLong(3 * MILLI));
                started.add(probes[i]);
            }
        }

        void cancelAll() {
            try {
                for (int i = 0; i < ROUNDS; i++) {
                    cancelled[i] = timer.cancel(started.take());
                }
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }

        void check() throws InterruptedException {
            for (int i = 0; i < ROUNDS; i++) {
                if (!cancelled[i]) {
                    probes[i].await();
                }
            }
            Probe last = new Probe();
            timer.start(last, 10 * MILLI); // cancelled entries would have fired by then
            last.await();
            for (int i = 0; i < ROUNDS; i++) {
                assertThat(probes[i].fired).as("cancelled: %s", cancelled[i]).hasValue(cancelled[i] ? 0 : 1);
            }
        }
    }

    @Test
    void threadExitsWhenNothingIsPendingAndIsReplaced() throws Exception {
        Timer hasty = hasty();
        Probe first = new Probe();
        hasty.start(first, 0);
        Thread thread = first.await().on;
        awaitEnd(thread);
        Probe second = new Probe();
        hasty.start(second, 0);
        assertThat(second.await().on).isNotSameAs(thread);
    }

    @Test
    void threadStaysWhileAnEntryIsPending() throws Exception {
        Timer hasty = hasty();
        Probe late = new Probe();
        hasty.start(late, HOUR);
        Probe soon = new Probe();
        hasty.start(soon, 0);
        Thread thread = soon.await().on;
        Probe later = new Probe();
        hasty.start(later, 20 * MILLI);
        assertThat(later.await().on).isSameAs(thread);
        assertThat(hasty.cancel(late)).isTrue();
        awaitEnd(thread);
    }

    @Test
    void exitingThreadLosesNoEntry() throws Exception {
        Timer hasty = hasty();
        for (int i = 0; i < 1_000; i++) {
            Probe probe = new Probe();
            hasty.start(probe, 0);
            probe.await();
        }
    }
}
