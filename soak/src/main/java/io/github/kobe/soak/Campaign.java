package io.github.kobe.soak;

import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The whole run. It goes in rounds, each with executors of other settings; only the worker pool is the same from the first to the last. A
 * round goes in waves: actors do what they like, then everything comes to rest and is looked at, then a few drills show whether all is in
 * order. In the last wave of a round the executors are shut down under load.
 */
final class Campaign {

    private static final int WAVES = 4;
    private static final Duration SHORTEST_ROUND = Duration.ofMillis(1200);
    private static final Duration LONGEST_ROUND = Duration.ofSeconds(12);
    private static final int ROUNDS_AIMED_AT = 6;

    private final Options options;
    private final Book book;
    private final Patience patience;
    private final PrintStream out;
    private final Dice dice;
    private PoolFace pool;
    private int rounds;

    Campaign(Options options, Book book, PrintStream out) {
        this.options = options;
        this.book = book;
        this.out = out;
        this.patience = new Patience(book, options.patience(), out);
        this.dice = new Dice(options.seed());
        this.pool = newPool();
    }

    private PoolFace newPool() {
        return new PoolFace(new PoolRig(dice, book, patience));
    }

    /** What the JVM held before and after it. */
    record Outcome(Footprint before, Footprint after, int rounds, Duration time) {}

    Outcome run() throws InterruptedException {
        long since = System.nanoTime();
        round(SHORTEST_ROUND); // loads classes, and fills what is filled once
        endPool();
        Footprint before = Footprint.now();
        pool = newPool();
        Duration length = roundTime();
        do {
            round(length);
            progress(since);
        } while (System.nanoTime() - since < options.time().toNanos());
        endPool();
        Footprint after = settle(before);
        return new Outcome(before, after, rounds, Duration.ofNanos(System.nanoTime() - since));
    }

    private Duration roundTime() {
        Duration part = options.time().dividedBy(ROUNDS_AIMED_AT);
        Duration atMost = part.compareTo(LONGEST_ROUND) > 0 ? LONGEST_ROUND : part;
        return atMost.compareTo(SHORTEST_ROUND) < 0 ? SHORTEST_ROUND : atMost;
    }

    private void endPool() {
        pool.close();
        pool.checkAtRest();
    }

    /** Waits for the last threads to go, and compares. */
    private Footprint settle(Footprint before) {
        patience.await(
                Check.THREADS_GONE,
                "the end of all threads",
                () -> Footprint.countPlatformThreads() <= before.platformThreads(),
                () -> "before " + before + ", now " + Footprint.now());
        Footprint after = Footprint.now();
        book.check(Check.HEAP_BACK, after.hasHeapOf(before), 0, () -> "before " + before + ", after " + after);
        return after;
    }

    private void progress(long since) {
        out.printf(
                "  round %d, %d of %d s: %,d operations, %,d checks, %d violations%n",
                rounds,
                TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - since),
                options.time().toSeconds(),
                Summary.sum(book.operations()),
                Summary.checks(book),
                book.violationCount());
        out.flush();
    }

    // ---- rounds --------------------------------------------------------------------------------------------------

    private void round(Duration length) throws InterruptedException {
        rounds++;
        GroupRig gated = new GroupRig("groups under a global limit", true, dice, book, patience);
        GroupRig free = new GroupRig("groups without one", false, dice, book, patience);
        List<Face> groups = List.of(new GroupFace(gated, dice), new GroupFace(free, dice));
        Face scopes = new ScopeFace(book, List.of(gated, free));
        Face isolation = new IsolationFace(new IsolationRig(dice, book, patience));
        Stageplay cast = new Stageplay(groups, scopes, pool, isolation, book, patience);
        for (int wave = 1; wave <= WAVES; wave++) {
            book.turnTo("seed " + options.seed() + ", round " + rounds + ", wave " + wave);
            boolean last = wave == WAVES;
            if (!cast.wave(length.dividedBy(WAVES), dice, last)) {
                abandon(cast);
                return;
            }
            if (!last) {
                cast.faces().forEach(face -> face.drill(dice));
            }
        }
    }

    /** What does not come to rest is left where it is, and the next round begins anew. */
    private void abandon(Stageplay cast) {
        for (Face face : cast.faces()) {
            if (face != pool && !face.isOver()) {
                face.shutDown(dice);
            }
        }
        pool = newPool();
    }

    /** The cast of a round, and its waves. */
    static final class Stageplay {

        /** What may come on top of the threads that there were: actors, workers, and the pools that scopes are given. */
        private static final int MOST_THREADS = 200;

        private final List<Face> groups;
        private final Face scopes;
        private final Face pool;
        private final Face isolation;
        private final Book book;
        private final Patience patience;
        private volatile boolean over;

        Stageplay(List<Face> groups, Face scopes, Face pool, Face isolation, Book book, Patience patience) {
            this.groups = groups;
            this.scopes = scopes;
            this.pool = pool;
            this.isolation = isolation;
            this.book = book;
            this.patience = patience;
        }

        List<Face> faces() {
            List<Face> all = new ArrayList<>(groups);
            all.add(scopes);
            all.add(pool);
            all.add(isolation);
            return all;
        }

        /** Returns whether it came to rest. */
        boolean wave(Duration time, Dice dice, boolean last) throws InterruptedException {
            over = false;
            List<Thread> actors = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                actors.add(actor("" + i, groups, dice));
                actors.add(actor("scope-" + i, List.of(scopes), dice));
            }
            actors.add(actor("pool", List.of(pool), dice));
            actors.add(actor("isolation", List.of(isolation), dice));
            Thread turmoil = turmoil(dice.split(), last ? time.dividedBy(2) : Duration.ofDays(1));
            disturbUntil(System.nanoTime() + time.toNanos(), actors, dice);
            over = true;
            return comesToRest(turmoil, actors);
        }

        private Thread actor(String name, List<Face> faces, Dice dice) {
            return new Actor(name, faces, Face::load, dice.split(), book, () -> over).start();
        }

        /** One thread does all that is done to the faces, in the end their shutdown. */
        private Thread turmoil(Dice dice, Duration untilShutDown) {
            long since = System.nanoTime();
            Dice last = dice.split();
            Actor actor = new Actor("turmoil", faces(), Face::turmoil, dice, book, () -> {
                LockSupport.parkNanos(50_000);
                return over || System.nanoTime() - since > untilShutDown.toNanos();
            });
            return Thread.ofPlatform().name("actor-turmoil").daemon().start(() -> {
                actor.run();
                if (untilShutDown.toDays() == 0) {
                    faces().forEach(face -> face.shutDown(last));
                }
            });
        }

        /** Interrupts actors now and then, wherever they are. */
        private void disturbUntil(long end, List<Thread> actors, Dice dice) throws InterruptedException {
            boolean counted = false;
            while (System.nanoTime() - end < 0) {
                TimeUnit.MICROSECONDS.sleep(dice.between(100, 4000));
                dice.oneOf(actors).interrupt();
                book.operation("interrupt of an actor");
                if (!counted) {
                    counted = true;
                    checkThreads(book, Footprint.countPlatformThreads());
                }
            }
        }

        static void checkThreads(Book book, int threads) {
            book.check(
                    Check.THREADS_BOUNDED,
                    threads < MOST_THREADS,
                    0,
                    () -> threads + " platform threads:\n" + Footprint.dumpOfThreads());
        }

        private boolean comesToRest(Thread turmoil, List<Thread> actors) {
            boolean quiet = ended(List.of(turmoil));
            faces().forEach(Face::appease);
            quiet &= ended(actors);
            for (Face face : faces()) {
                boolean rests =
                        patience.await(Check.COMES_TO_REST, face.name() + " at rest", face::isAtRest, face::state);
                if (rests) {
                    face.checkAtRest();
                }
                quiet &= rests;
            }
            return quiet
                    && patience.await(
                            Check.THREADS_GONE,
                            "the end of the threads of tasks",
                            () -> book.roster().alive() == 0,
                            () -> book.roster().alive() + " are alive:"
                                    + book.roster().stacks());
        }

        private boolean ended(List<Thread> threads) {
            return patience.await(
                    Check.COMES_TO_REST,
                    "the end of actors",
                    () -> threads.stream().noneMatch(Thread::isAlive),
                    () -> threads.stream().filter(Thread::isAlive).toList() + " are at work; "
                            + faces().stream().map(Face::state).toList());
        }
    }
}
