package io.github.kobe.internal.time;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Does each timeout come out of the wheel when it is due? */
@org.junit.jupiter.api.Timeout(value = 60, threadMode = org.junit.jupiter.api.Timeout.ThreadMode.SEPARATE_THREAD)
class TimerWheelTest {

    private static final long TICK = 1L << TimerWheel.TICK_BITS;
    private static final int LEVELS = 8;

    /** Knows when it is due; the wheel is not asked. */
    private static final class Entry extends TimerEntry {
        private final int number;
        private long elapsedWhenDue;

        Entry(int number) {
            this.number = number;
        }

        @Override
        public void fire() {
            throw new AssertionError("a wheel fires nothing");
        }

        @Override
        public String toString() {
            return "#" + number + " due at " + elapsedWhenDue;
        }
    }

    /** A wheel with a clock of its own, and the sorted set that it is to behave like. */
    private static final class CheckedWheel {
        private final long origin;
        private final TimerWheel wheel;
        private final TreeSet<Entry> pending = new TreeSet<>(
                Comparator.<Entry>comparingLong(e -> e.elapsedWhenDue).thenComparingInt(e -> e.number));
        private long elapsed;
        private int entries;

        CheckedWheel(long origin) {
            this.origin = origin;
            this.wheel = new TimerWheel(origin);
        }

        long now() {
            return origin + elapsed;
        }

        Entry start(long delay) {
            Entry entry = new Entry(entries++);
            start(entry, delay);
            return entry;
        }

        void start(Entry entry, long delay) {
            long due = elapsed + Math.max(0, delay);
            entry.elapsedWhenDue = due < 0 ? Long.MAX_VALUE : due;
            long tick = wheel.add(entry, now(), delay);
            pending.add(entry);
            assertThat(tick)
                    .as("when to look, at the latest")
                    .isGreaterThanOrEqualTo(wheel.nextTick())
                    .isLessThanOrEqualTo(entry.elapsedWhenDue / TICK + 1);
        }

        void cancel(Entry entry) {
            assertThat(wheel.remove(entry)).as("%s was pending", entry).isEqualTo(pending.remove(entry));
        }

        /** Lets {@code nanos} pass at once; what comes out must be due, in order, and nothing overdue may stay. */
        List<Entry> pass(long nanos) {
            elapsed += nanos;
            List<Entry> out = new ArrayList<>();
            do {
                for (TimerEntry next = wheel.poll(now()); next != null; next = wheel.poll(now())) {
                    Entry entry = (Entry) next;
                    assertThat(pending.remove(entry)).as("%s is pending", entry).isTrue();
                    assertThat(entry.elapsedWhenDue).as("not early").isLessThanOrEqualTo(elapsed);
                    out.add(entry);
                }
            } while (wheel.nextTick() <= wheel.tickAt(now()));
            assertThat(out).isSortedAccordingTo(Comparator.comparingLong(CheckedWheel::tickWhenDue));
            if (!pending.isEmpty()) {
                assertThat(pending.first().elapsedWhenDue)
                        .as("at most a tick late")
                        .isGreaterThan(elapsed - TICK);
            }
            assertThat(wheel.isEmpty()).isEqualTo(pending.isEmpty());
            return out;
        }

        private static long tickWhenDue(Entry entry) {
            return (entry.elapsedWhenDue + TICK - 1) / TICK;
        }

        /** Sleeps for as long as the wheel says, again and again, until something comes out. */
        List<Entry> passUntilNext() {
            List<Entry> out = List.of();
            for (int naps = 0; out.isEmpty(); naps++) {
                assertThat(naps).as("naps").isLessThan(LEVELS);
                out = pass(Math.max(0, wheel.nanosUntil(wheel.nextTick(), now())));
            }
            return out;
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, TICK - 1, TICK, TICK + 1, 63 * TICK, 64 * TICK, 1_000_000_000, 86_400_000_000_000L})
    void comesWhenItIsDueAndAtMostATickLater(long delay) {
        for (long began : new long[] {0, 1, TICK - 1, 63 * TICK, 4095 * TICK + 7}) {
            CheckedWheel rig = new CheckedWheel(0);
            rig.pass(began);
            Entry entry = rig.start(delay);
            assertThat(rig.passUntilNext()).containsExactly(entry);
            assertThat(rig.elapsed - began).isBetween(delay, delay + TICK - 1);
        }
    }

    @Test
    void theEarlierComesFirstWhateverTheOrderOfStarts() {
        CheckedWheel rig = new CheckedWheel(0);
        Entry late = rig.start(300 * TICK);
        Entry early = rig.start(3 * TICK);
        Entry middle = rig.start(70 * TICK);
        assertThat(rig.pass(1000 * TICK)).containsExactly(early, middle, late);
    }

    @Test
    void ofTheSameTickTheFirstStartedComesFirst() {
        CheckedWheel rig = new CheckedWheel(0);
        List<Entry> started = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            started.add(rig.start(5000 * TICK));
        }
        assertThat(rig.pass(5000 * TICK)).containsExactlyElementsOf(started);
    }

    @Test
    void movesDownThroughAllLevels() {
        CheckedWheel rig = new CheckedWheel(0);
        List<Entry> started = new ArrayList<>();
        long digitsOfOne = 0;
        for (int level = 0; level < LEVELS - 1; level++) {
            digitsOfOne = digitsOfOne << 6 | 1;
            started.add(rig.start(digitsOfOne * TICK));
        }
        for (Entry entry : started) {
            assertThat(rig.passUntilNext()).containsExactly(entry);
            assertThat(rig.elapsed).isEqualTo(entry.elapsedWhenDue);
        }
    }

    @Test
    void manyThatMoveDownAtOnceComeOutInOrder() {
        CheckedWheel rig = new CheckedWheel(0);
        for (int i = 0; i < 1000; i++) {
            rig.start((4096 + i * 37 % 4096) * TICK); // all in one slot
        }
        assertThat(rig.pass(10_000 * TICK)).hasSize(1000);
    }

    @Test
    void oneStartedWhileASlotIsBeingEmptiedTakesItsTurn() {
        CheckedWheel rig = new CheckedWheel(0);
        for (int i = 0; i < 200; i++) {
            rig.start((4096 + 500 + i) * TICK);
        }
        rig.elapsed = 4096 * TICK;
        assertThat(rig.wheel.poll(rig.now()))
                .as("the slot is too full for one go")
                .isNull();
        assertThat(rig.wheel.nextTick()).isEqualTo(4096);
        rig.start(TICK);
        rig.start(600 * TICK);
        rig.start(10_000 * TICK);
        assertThat(rig.pass(20_000 * TICK)).hasSize(203);
    }

    @Test
    void oneStartedWhileOthersAreOverdueComesAfterThem() {
        CheckedWheel rig = new CheckedWheel(0);
        Entry near = rig.start(70 * TICK);
        Entry far = rig.start(5000 * TICK);
        rig.elapsed = 9000 * TICK; // and nobody looks
        Entry late = rig.start(TICK);
        assertThat(rig.pass(TICK)).containsExactly(near, far, late);
    }

    @Test
    void isCancelledInEveryState() {
        CheckedWheel rig = new CheckedWheel(0);
        Entry never = new Entry(-1);
        assertThat(rig.wheel.remove(never)).as("never started").isFalse();
        Entry entry = rig.start(5000 * TICK);
        rig.cancel(entry);
        assertThat(rig.wheel.isEmpty()).isTrue();
        assertThat(rig.wheel.nextTick()).isEqualTo(TimerWheel.NEVER);
        assertThat(rig.wheel.remove(entry)).as("cancelled before").isFalse();

        rig.start(entry, 5000 * TICK);
        rig.pass(4999 * TICK);
        rig.cancel(entry); // after it moved down

        rig.start(entry, TICK);
        rig.elapsed += 10 * TICK;
        rig.cancel(entry); // overdue, but not out yet
        assertThat(rig.pass(10_000 * TICK)).isEmpty();

        rig.start(entry, 0);
        assertThat(rig.pass(TICK)).containsExactly(entry);
        assertThat(rig.wheel.remove(entry)).as("came out").isFalse();
    }

    @Test
    void firstMiddleAndLastOfASlotAreCancelled() {
        for (int gone = 0; gone < 3; gone++) {
            CheckedWheel rig = new CheckedWheel(0);
            List<Entry> left = new ArrayList<>(List.of(rig.start(TICK), rig.start(TICK), rig.start(TICK)));
            rig.cancel(left.remove(gone));
            assertThat(rig.pass(TICK)).containsExactlyElementsOf(left);
        }
    }

    @Test
    void isNotStartedWhilePending() {
        CheckedWheel rig = new CheckedWheel(0);
        Entry entry = rig.start(TICK);
        assertThatThrownBy(() -> rig.wheel.add(entry, rig.now(), TICK))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining(Entry.class.getName());
        assertThat(rig.pass(TICK)).containsExactly(entry);
    }

    @Test
    void farFutureIsNeverReachedAndNeverInTheWay() {
        for (long began : new long[] {0, 1, 1_000 * TICK}) {
            CheckedWheel rig = new CheckedWheel(Long.MAX_VALUE - 5);
            rig.pass(began);
            Entry forever = rig.start(Long.MAX_VALUE);
            Entry almost = rig.start(Long.MAX_VALUE - began - 1);
            Entry soon = rig.start(TICK);
            assertThat(rig.passUntilNext()).containsExactly(soon);
            assertThat(rig.pass(Long.MAX_VALUE / 2)).isEmpty();
            assertThat(rig.wheel.nanosUntil(rig.wheel.nextTick(), rig.now())).isPositive();
            rig.cancel(forever);
            rig.cancel(almost);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {Long.MIN_VALUE, -1, -1_000_000, Long.MAX_VALUE, Long.MAX_VALUE - 10 * TICK})
    void theClockMayBeNegativeAndWrapAround(long origin) {
        CheckedWheel rig = new CheckedWheel(origin);
        Entry late = rig.start(5000 * TICK);
        Entry early = rig.start(20 * TICK);
        assertThat(rig.passUntilNext()).containsExactly(early);
        assertThat(rig.passUntilNext()).containsExactly(late);
        assertThat(rig.elapsed).isEqualTo(5000 * TICK);
    }

    @Test
    void aDelayBelowZeroIsNone() {
        CheckedWheel rig = new CheckedWheel(0);
        Entry entry = rig.start(Long.MIN_VALUE);
        assertThat(rig.pass(0)).containsExactly(entry);
    }

    @Test
    void aClockReadingOfBeforeHarmsNothing() {
        CheckedWheel rig = new CheckedWheel(0);
        rig.pass(100 * TICK);
        Entry entry = rig.start(TICK);
        assertThat(rig.wheel.poll(50 * TICK)).isNull();
        Entry stale = new Entry(1);
        rig.wheel.add(stale, 50 * TICK, TICK);
        assertThat(rig.wheel.poll(rig.now())).isSameAs(stale);
        assertThat(rig.pass(TICK)).containsExactly(entry);
    }

    @Test
    void behavesLikeASortedSet() {
        for (int seed = 0; seed < 3000; seed++) {
            Random random = new Random(seed);
            CheckedWheel rig = new CheckedWheel(random.nextLong());
            List<Entry> all = new ArrayList<>();
            for (int step = 0; step < 300; step++) {
                switch (random.nextInt(9)) {
                    case 0, 1, 2 -> all.add(rig.start(anyNanos(random)));
                    case 3 -> again(rig, all, random);
                    case 4, 5 -> cancelAny(rig, all, random);
                    case 6 -> rig.pass(anyNanos(random) >> 6); // the sum stays below the clock's end
                    case 7 -> rig.elapsed += anyNanos(random) >> 6; // and nobody looks
                    default -> rig.pass(soonestOr(rig, random));
                }
            }
        }
    }

    /** Of any magnitude. */
    private static long anyNanos(Random random) {
        return random.nextLong() >>> (1 + random.nextInt(Long.SIZE - 1)) >>> random.nextInt(16);
    }

    private static void again(CheckedWheel rig, List<Entry> all, Random random) {
        Entry entry = all.isEmpty() ? rig.start(0) : all.get(random.nextInt(all.size()));
        if (!rig.pending.contains(entry)) {
            rig.start(entry, anyNanos(random));
        }
    }

    private static void cancelAny(CheckedWheel rig, List<Entry> all, Random random) {
        if (!all.isEmpty()) {
            rig.cancel(all.get(random.nextInt(all.size())));
        }
    }

    private static long soonestOr(CheckedWheel rig, Random random) {
        long tick = rig.wheel.nextTick();
        long nanos = tick == TimerWheel.NEVER ? 0 : rig.wheel.nanosUntil(tick, rig.now());
        return nanos > Long.MAX_VALUE >> 12 || nanos < 0 ? random.nextInt((int) TICK) : nanos;
    }
}
