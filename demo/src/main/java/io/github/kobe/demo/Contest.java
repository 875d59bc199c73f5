package io.github.kobe.demo;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** Plays the same work on both sides of a scenario, at the same time. */
final class Contest {

    private static final long FRAME_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final int WARM_UP_PART = 10;
    private static final Duration LONGEST_WARM_UP = Duration.ofSeconds(1);

    private final Scenario scenario;
    private final Duration length;
    private final long seed;

    Contest(Scenario scenario, Duration length, long seed) {
        this.scenario = scenario;
        this.length = length;
        this.seed = seed;
    }

    /** Both sides are warmed up first, on executors that are thrown away, so that what they learn is learned in the open. */
    Outcome run(Screen screen) throws InterruptedException {
        screen.open(scenario, length, seed);
        Duration warmUp = length.dividedBy(WARM_UP_PART);
        play(warmUp.compareTo(LONGEST_WARM_UP) < 0 ? warmUp : LONGEST_WARM_UP, seed + 1, snapshot -> {});
        return play(length, seed, screen::show);
    }

    /** Told how things are, now and then. */
    private interface Watcher {
        void see(Snapshot snapshot);
    }

    private Outcome play(Duration time, long randomness, Watcher watcher) throws InterruptedException {
        List<Arrival> plan = Plan.of(scenario.traffic(), time, randomness);
        Ledger plain = new Ledger(scenario.roles(), System::nanoTime);
        Ledger ours = new Ledger(scenario.roles(), System::nanoTime);
        try (Side left = scenario.plain().opens().apply(plain);
                Side right = scenario.ours().opens().apply(ours)) {
            long start = System.nanoTime();
            Thread feeder =
                    Thread.ofPlatform().name("demo-feeder").daemon().start(() -> feed(plan, start, left, right));
            try {
                watch(start, time, plain, ours, watcher);
            } finally {
                feeder.interrupt();
                feeder.join(); // what the one side has got, the other has, too
            }
            return new Outcome(
                    plain.freeze(scenario.plain().title()),
                    ours.freeze(scenario.ours().title()));
        }
    }

    /** Takes turns in who gets its work first. */
    private static void feed(List<Arrival> plan, long start, Side left, Side right) {
        boolean leftFirst = true;
        for (Arrival arrival : plan) {
            if (!Nap.until(start + arrival.atNanos())) {
                return;
            }
            (leftFirst ? left : right).submit(arrival);
            (leftFirst ? right : left).submit(arrival);
            leftFirst = !leftFirst;
        }
    }

    private void watch(long start, Duration time, Ledger plain, Ledger ours, Watcher watcher)
            throws InterruptedException {
        long end = start + time.toNanos();
        for (long now = System.nanoTime(); now < end; now = System.nanoTime()) {
            watcher.see(snapshot(now - start, time, plain, ours));
            TimeUnit.NANOSECONDS.sleep(Math.min(FRAME_NANOS, end - now));
        }
        watcher.see(snapshot(time.toNanos(), time, plain, ours));
    }

    private Snapshot snapshot(long nanos, Duration time, Ledger plain, Ledger ours) {
        boolean leaks = scenario.showsLeaks();
        String focus = scenario.focus();
        return new Snapshot(
                TimeUnit.NANOSECONDS.toMillis(nanos),
                time.toMillis(),
                plain.view(scenario.plain().title(), focus, leaks),
                ours.view(scenario.ours().title(), focus, leaks),
                IntStream.of(plain.peakRunning(), ours.peakRunning()).max().getAsInt(),
                IntStream.of(plain.peakHeld(leaks), ours.peakHeld(leaks)).max().getAsInt());
    }
}
