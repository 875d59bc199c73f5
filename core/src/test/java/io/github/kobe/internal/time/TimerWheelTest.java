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

/** Each entry leaves the wheel when it is due. */
@org.junit.jupiter.api.Timeout(value = 60, threadMode = org.junit.jupiter.api.Timeout.ThreadMode.SEPARATE_THREAD)
class TimerWheelTest {

    private static final long TICK = 1L << TimerWheel.TICK_BITS;
    private static final int LEVELS = 8;

    /** An entry that knows its due time independently of the wheel. */
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

    /** A wheel with a clock of its own, checked against a sorted set. */
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
                    .as("next tick")
                    .isGreaterThanOrEqualTo(wheel.nextTick())
                    .isLessThanOrEqualTo(entry.elapsedWhenDue / TICK + 1);
        }

        void cancel(Entry entry) {
            assertThat(wheel.remove(entry)).as("%s was pending", entry).isEqualTo(pending.remove(entry));
        }

        /**
         * Advances the clock by {@code nanos} and polls. Polled entries must be due and in order, and no overdue entry may stay.
         */
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

        /** Advances to the next tick of the wheel, repeatedly, until an entry is polled. */
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
    void entryIsPolledWhenDueAndAtMostOneTickLater(long delay) {
        for (long began : new long[] {0, 1, TICK - 1, 63 * TICK, 4095 * TICK + 7}) {
            CheckedWheel checked = new CheckedWheel(0);
            checked.pass(began);
            Entry entry = checked.start(delay);
            assertThat(checked.passUntilNext()).containsExactly(entry);
            assertThat(checked.elapsed - began).isBetween(delay, delay + TICK - 1);
        }
    }

    @Test
    void earlierEntryIsPolledFirst() {
        CheckedWheel checked = new CheckedWheel(0);
        Entry late = checked.start(300 * TICK);
        Entry early = checked.start(3 * TICK);
        Entry middle = checked.start(70 * TICK);
        assertThat(checked.pass(1000 * TICK)).containsExactly(early, middle, late);
    }

    @Test
    void entriesOfOneTickArePolledInStartOrder() {
        CheckedWheel checked = new CheckedWheel(0);
        List<Entry> started = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            started.add(checked.start(5000 * TICK));
        }
        assertThat(checked.pass(5000 * TICK)).containsExactlyElementsOf(started);
    }

    @Test
    void entryMovesDownThroughAllLevels() {
        CheckedWheel checked = new CheckedWheel(0);
        List<Entry> started = new ArrayList<>();
        long digitsOfOne = 0;
        for (int level = 0; level < LEVELS - 1; level++) {
            digitsOfOne = digitsOfOne << 6 | 1;
            started.add(checked.start(digitsOfOne * TICK));
        }
        for (Entry entry : started) {
            assertThat(checked.passUntilNext()).containsExactly(entry);
            assertThat(checked.elapsed).isEqualTo(entry.elapsedWhenDue);
        }
    }

    @Test
    void manyEntriesThatMoveDownTogetherStayInOrder() {
        CheckedWheel checked = new CheckedWheel(0);
        for (int i = 0; i < 1000; i++) {
            checked.start((4096 + i * 37 % 4096) * TICK); // all in one slot
        }
        assertThat(checked.pass(10_000 * TICK)).hasSize(1000);
    }

    @Test
    void entryStartedWhileASlotIsBeingEmptiedStaysInOrder() {
        CheckedWheel checked = new CheckedWheel(0);
        for (int i = 0; i < 200; i++) {
            checked.start((4096 + 500 + i) * TICK);
        }
        checked.elapsed = 4096 * TICK;
        assertThat(checked.wheel.poll(checked.now()))
                .as("the slot holds too many entries for one poll")
                .isNull();
        assertThat(checked.wheel.nextTick()).isEqualTo(4096);
        checked.start(TICK);
        checked.start(600 * TICK);
        checked.start(10_000 * TICK);
        assertThat(checked.pass(20_000 * TICK)).hasSize(203);
    }

    @Test
    void entryStartedWhileOthersAreOverdueIsPolledAfterThem() {
        CheckedWheel checked = new CheckedWheel(0);
        Entry near = checked.start(70 * TICK);
        Entry far = checked.start(5000 * TICK);
        checked.elapsed = 9000 * TICK; // without a poll
        Entry late = checked.start(TICK);
        assertThat(checked.pass(TICK)).containsExactly(near, far, late);
    }

    @Test
    void entryCanBeCancelledInEveryState() {
        CheckedWheel checked = new CheckedWheel(0);
        Entry never = new Entry(-1);
        assertThat(checked.wheel.remove(never)).as("never started").isFalse();
        Entry entry = checked.start(5000 * TICK);
        checked.cancel(entry);
        assertThat(checked.wheel.isEmpty()).isTrue();
        assertThat(checked.wheel.nextTick()).isEqualTo(TimerWheel.NEVER);
        assertThat(checked.wheel.remove(entry)).as("cancelled before").isFalse();

        checked.start(entry, 5000 * TICK);
        checked.pass(4999 * TICK);
        checked.cancel(entry); // after it moved down

        checked.start(entry, TICK);
        checked.elapsed += 10 * TICK;
        checked.cancel(entry); // overdue, but not polled yet
        assertThat(checked.pass(10_000 * TICK)).isEmpty();

        checked.start(entry, 0);
        assertThat(checked.pass(TICK)).containsExactly(entry);
        assertThat(checked.wheel.remove(entry)).as("polled before").isFalse();
    }

    @Test
    void firstMiddleAndLastOfASlotAreCancelled() {
        for (int gone = 0; gone < 3; gone++) {
            CheckedWheel checked = new CheckedWheel(0);
            List<Entry> left = new ArrayList<>(List.of(checked.start(TICK), checked.start(TICK), checked.start(TICK)));
            checked.cancel(left.remove(gone));
            assertThat(checked.pass(TICK)).containsExactlyElementsOf(left);
        }
    }

    @Test
    void pendingEntryCannotBeStarted() {
        CheckedWheel checked = new CheckedWheel(0);
        Entry entry = checked.start(TICK);
        assertThatThrownBy(() -> checked.wheel.add(entry, checked.now(), TICK))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining(Entry.class.getName());
        assertThat(checked.pass(TICK)).containsExactly(entry);
    }

    @Test
    void farFutureEntryNeverFiresAndBlocksNoOther() {
        for (long began : new long[] {0, 1, 1_000 * TICK}) {
            CheckedWheel checked = new CheckedWheel(Long.MAX_VALUE - 5);
            checked.pass(began);
            Entry forever = checked.start(Long.MAX_VALUE);
            Entry almost = checked.start(Long.MAX_VALUE - began - 1);
            Entry soon = checked.start(TICK);
            assertThat(checked.passUntilNext()).containsExactly(soon);
            assertThat(checked.pass(Long.MAX_VALUE / 2)).isEmpty();
            assertThat(checked.wheel.nanosUntil(checked.wheel.nextTick(), checked.now()))
                    .isPositive();
            checked.cancel(forever);
            checked.cancel(almost);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {Long.MIN_VALUE, -1, -1_000_000, Long.MAX_VALUE, Long.MAX_VALUE - 10 * TICK})
    void clockMayBeNegativeAndWrapAround(long origin) {
        CheckedWheel checked = new CheckedWheel(origin);
        Entry late = checked.start(5000 * TICK);
        Entry early = checked.start(20 * TICK);
        assertThat(checked.passUntilNext()).containsExactly(early);
        assertThat(checked.passUntilNext()).containsExactly(late);
        assertThat(checked.elapsed).isEqualTo(5000 * TICK);
    }

    @Test
    void negativeDelayIsZero() {
        CheckedWheel checked = new CheckedWheel(0);
        Entry entry = checked.start(Long.MIN_VALUE);
        assertThat(checked.pass(0)).containsExactly(entry);
    }

    @Test
    void earlierClockReadingIsHarmless() {
        CheckedWheel checked = new CheckedWheel(0);
        checked.pass(100 * TICK);
        Entry entry = checked.start(TICK);
        assertThat(checked.wheel.poll(50 * TICK)).isNull();
        Entry stale = new Entry(1);
        checked.wheel.add(stale, 50 * TICK, TICK);
        assertThat(checked.wheel.poll(checked.now())).isSameAs(stale);
        assertThat(checked.pass(TICK)).containsExactly(entry);
    }

    @Test
    void behavesLikeASortedSet() {
        for (int seed = 0; seed < 3000; seed++) {
            Random random = new Random(seed);
            CheckedWheel checked = new CheckedWheel(random.nextLong());
            List<Entry> all = new ArrayList<>();
            for (int step = 0; step < 300; step++) {
                switch (random.nextInt(9)) {
                    case 0, 1, 2 -> all.add(checked.start(anyNanos(random)));
                    case 3 -> again(checked, all, random);
                    case 4, 5 -> cancelAny(checked, all, random);
                    case 6 -> checked.pass(anyNanos(random) >> 6); // the sum must not overflow the clock
                    case 7 -> checked.elapsed += anyNanos(random) >> 6; // without a poll
                    default -> checked.pass(soonestOr(checked, random));
                }
            }
        }
    }

    /** A random duration of any magnitude. */
    private static long anyNanos(Random random) {
        return random.nextLong() >>> (1 + random.nextInt(Long.SIZE - 1)) >>> random.nextInt(16);
    }

    private static void again(CheckedWheel checked, List<Entry> all, Random random) {
        Entry entry = all.isEmpty() ? checked.start(0) : all.get(random.nextInt(all.size()));
        if (!checked.pending.contains(entry)) {
            checked.start(entry, anyNanos(random));
        }
    }

    private static void cancelAny(CheckedWheel checked, List<Entry> all, Random random) {
        if (!all.isEmpty()) {
            checked.cancel(all.get(random.nextInt(all.size())));
        }
    }

    private static long soonestOr(CheckedWheel checked, Random random) {
        long tick = checked.wheel.nextTick();
        long nanos = tick == TimerWheel.NEVER ? 0 : checked.wheel.nanosUntil(tick, checked.now());
        return nanos > Long.MAX_VALUE >> 12 || nanos < 0 ? random.nextInt((int) TICK) : nanos;
    }
}
