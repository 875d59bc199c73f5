package io.github.kobe.scope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.github.kobe.internal.time.FakeTimer;
import io.github.kobe.internal.time.Timer;
import io.github.kobe.internal.time.TimerEntry;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** When is the clock's time shared, and how old may be what is shared? */
class GlanceTest {

    private static final long THICK = Glance.THICK / Glance.SHARERS; // from one task to the next
    private static final int ENOUGH_TASKS = Glance.SHARERS * Glance.ENOUGH;

    private final FakeTimer time = new FakeTimer();
    private Runnable afterLook = () -> {};
    private Runnable insteadOfStart = () -> {};
    private boolean startsTimeouts = true;

    /** The fake one, with something that happens between a look and what is made of it, or in place of a start. */
    private final Timer timer = new Timer() {
        @Override
        public long nanoTime() {
            long now = time.nanoTime();
            Runnable meanwhile = afterLook;
            afterLook = () -> {};
            meanwhile.run();
            return now;
        }

        @Override
        public void start(TimerEntry timeout, long delayNanos) {
            insteadOfStart.run();
            if (startsTimeouts) {
                time.start(timeout, delayNanos);
            }
        }

        @Override
        public boolean cancel(TimerEntry timeout) {
            return time.cancel(timeout);
        }
    };

    private final Glance glance = new Glance(timer);
    private long lastId;

    GlanceTest() {
        time.advance(1_000_000); // as if nothing had been submitted for long
    }

    /** The next {@code tasks} are submitted, {@code apart} from each other. */
    private void submit(int tasks, long apart) {
        for (int i = 0; i < tasks; i++) {
            time.advance(apart);
            glance.submitted(++lastId);
        }
    }

    /** So many that the next will be the first of sixteen. */
    private void comeThick() {
        submit(ENOUGH_TASKS + Glance.SHARERS, THICK);
        assertThat(isShared()).isTrue();
    }

    private boolean isShared() {
        return glance.last() != 0;
    }

    // ---- when it is shared ---------------------------------------------------------------------------------------

    @Test
    void eachLooksUntilTasksHaveComeThickForAWhile() {
        submit(ENOUGH_TASKS + Glance.SHARERS - 1, THICK);
        assertThat(isShared()).isFalse();
        assertThat(time.pending()).isZero();
        submit(1, THICK);
        assertThat(isShared()).isTrue();
        assertThat(time.pending()).isOne();
    }

    @Test
    void whereTheyDoNotComeThickEachLooks() {
        submit(10 * ENOUGH_TASKS, THICK + 1);
        assertThat(isShared()).isFalse();
        assertThat(time.pending()).isZero();
    }

    @Test
    void pauseOnTheWayThereAndItBeginsAnew() {
        submit(ENOUGH_TASKS, THICK);
        time.advance(Glance.THICK);
        submit(ENOUGH_TASKS, THICK);
        assertThat(isShared()).isFalse();
        submit(Glance.SHARERS, THICK);
        assertThat(isShared()).isTrue();
    }

    @Test
    void itIsSharedForAsLongAsTheyComeThick() {
        comeThick();
        for (long i = 0; i < 20 * Glance.LONGEST / THICK; i++) {
            submit(1, THICK);
            assertThat(time.nanoTime() - glance.last()).isLessThan(Glance.THICK);
        }
        assertThat(time.pending()).isOne();
    }

    @Test
    void itIsOverWithTheFirstSixteenThatDoNotComeThick() {
        comeThick();
        submit(Glance.SHARERS, THICK + 1);
        assertThat(isShared()).isFalse();
    }

    @Test
    void itIsOverWhenNobodyComesAndNothingIsLeftInTheTimer() {
        comeThick();
        time.advance(2 * Glance.LONGEST);
        assertThat(isShared()).isFalse();
        assertThat(time.pending()).isZero();
    }

    @Test
    void itGoesOnWhileTasksAreAtWorkThatLook() {
        comeThick();
        for (int i = 0; i < 100; i++) {
            time.advance(Glance.LONGEST / 20);
            assertThat(glance.look()).isEqualTo(glance.last()).isEqualTo(time.nanoTime());
        }
        time.advance(2 * Glance.LONGEST);
        assertThat(isShared()).isFalse();
    }

    @Test
    void itMayComeThickAgainWhetherOrNotTheTimeoutHasFired() {
        for (long pause : new long[] {Glance.THICK, 2 * Glance.LONGEST, Glance.THICK + 1, 3 * Glance.LONGEST}) {
            comeThick();
            time.advance(pause);
            submit(Glance.SHARERS, THICK);
            assertThat(isShared()).as("after %d", pause).isFalse();
        }
        comeThick();
        assertThat(time.pending()).isOne();
    }

    @Test
    void clockThatStandsStillAtZeroIsAClock() {
        Glance atZero = new Glance(new FakeTimer());
        for (int id = 1; id <= 2 * ENOUGH_TASKS; id++) {
            atZero.submitted(id);
        }
        assertThat(atZero.last()).isNotZero();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void whatIsSharedIsNeverOlderThanTheTimeoutAndABitHoweverTheyCome(long seed) {
        Random random = new Random(seed);
        long oldest = 0;
        for (int i = 0; i < 500; i++) {
            submit(random.nextInt(4 * ENOUGH_TASKS), THICK / 2);
            long until = time.nanoTime() + random.nextLong(3 * Glance.LONGEST);
            while (time.nanoTime() < until) {
                time.advance(random.nextLong(Glance.LONG));
                oldest = Math.max(oldest, isShared() ? time.nanoTime() - glance.last() : 0);
                if (random.nextInt(4) == 0) {
                    glance.look();
                }
            }
        }
        assertThat(oldest).isBetween(Glance.LONG, Glance.LONGEST + Glance.LONG);
    }

    // ---- races, played ---------------------------------------------------------------------------------------------

    @Test
    void lookThatIsHeldUpDoesNotTakeThePlaceOfANewerOne() {
        comeThick();
        afterLook = () -> {
            time.advance(100);
            glance.look();
        };
        long old = glance.look();
        assertThat(glance.last()).isEqualTo(old + 100);
    }

    @Test
    void lookThatIsHeldUpDoesNotBringBackWhatIsOver() {
        comeThick();
        afterLook = () -> time.advance(2 * Glance.LONGEST);
        glance.look();
        assertThat(isShared()).isFalse();
    }

    @Test
    void timeoutThatFiresBeforeItIsSharedIsNotReliedOn() {
        startsTimeouts = false;
        insteadOfStart = glance::fire;
        submit(2 * ENOUGH_TASKS, THICK);
        assertThat(isShared()).isFalse();
    }

    @Test
    void ifNoTimeoutCanBeStartedEachGoesOnLookingAndItIsTriedAgain() {
        AtomicInteger tries = new AtomicInteger();
        insteadOfStart = () -> {
            tries.incrementAndGet();
            throw new IllegalStateException("no timer, in a test");
        };
        submit(4 * ENOUGH_TASKS, THICK);
        assertThat(isShared()).isFalse();
        assertThat(tries.get()).isBetween(2, 4);
        insteadOfStart = () -> {};
        comeThick();
    }

    @Test
    void ifTheTimeoutCannotBeStartedAgainItIsOver() {
        comeThick();
        insteadOfStart = () -> {
            throw new IllegalStateException("no timer, in a test");
        };
        time.advance(Glance.LONGEST - Glance.LONG);
        glance.look();
        time.advance(Glance.LONG);
        assertThat(isShared()).isFalse();
    }

    /** Two submitters find that tasks come thick; the one that was held up saw less. */
    @Test
    void whoSharesItSecondDoesNotTakeThePlaceOfWhatIsNewer() {
        submit(ENOUGH_TASKS + Glance.SHARERS - 1, THICK);
        insteadOfStart = () -> {
            insteadOfStart = () -> {};
            time.advance(100);
            glance.submitted(lastId);
        };
        submit(1, THICK);
        assertThat(glance.last()).isEqualTo(time.nanoTime());
    }

    // ---- who is timed --------------------------------------------------------------------------------------------

    @Test
    void taskThatDidNotTakeLongNeedNotLook() {
        comeThick();
        long start = glance.last();
        time.advance(Glance.LONG / 2);
        assertThat(glance.lookIfLong(start)).isEqualTo(start);
        glance.look();
        assertThat(glance.lookIfLong(start)).isEqualTo(start);
    }

    /** However old what it finds at its start and at its end is, as long as tasks come thick. */
    @Test
    void taskThatTookLongLooks() {
        comeThick();
        for (long before = 0; before < Glance.THICK; before += 1_000) {
            for (long after = 0; after < Glance.THICK; after += 1_000) {
                long start = glance.look();
                time.advance(before);
                time.advance(Glance.LONG - after);
                glance.look();
                time.advance(after);
                assertThat(glance.lookIfLong(start)).isEqualTo(start + before + Glance.LONG);
            }
        }
    }

    @Test
    void taskThatFindsItNotSharedAnyMoreLooks() {
        comeThick();
        long start = glance.last();
        submit(Glance.SHARERS, 10 * THICK);
        assertThat(glance.lookIfLong(start)).isEqualTo(time.nanoTime());
    }

    /** Where every fifth task is of one kind, or every 89th, those are timed as often as others: as often as chance would have it. */
    @Test
    void oneInSixteenIsTimedWhateverRhythmTheyComeIn() {
        int tasks = 10_000;
        double share = 1.0 / Glance.SHARERS;
        for (int rhythm = 1; rhythm <= 250; rhythm++) {
            for (int beat = 0; beat < rhythm; beat++) {
                int all = 0;
                int timed = 0;
                for (int id = 1 + beat; id <= tasks; id += rhythm) {
                    all++;
                    timed += Glance.isTimed(id) ? 1 : 0;
                }
                double deviation = Math.sqrt(all * share * (1 - share));
                assertThat((double) timed)
                        .as("%d of %d", beat, rhythm)
                        .isCloseTo(all * share, within(3 + 5 * deviation));
            }
        }
    }
}
