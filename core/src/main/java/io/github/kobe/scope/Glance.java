package io.github.kobe.scope;

import io.github.kobe.internal.time.Timer;
import io.github.kobe.internal.time.TimerEntry;
import io.github.kobe.internal.util.BitMixer;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The clock of a scope's tasks. Two looks at a clock take more than half as long as all else that an empty task does. So while tasks come
 * thick, more than two million a second, only one in sixteen is timed, and stands for the others; these compare what was seen last when
 * they begin and when they end, which tells whether they took long, and look for themselves if they did. Its own entry in the timer.
 *
 * <pre>
 *   each looks  (last is 0)   ──▶ shared      256 submissions have come thick; a timeout is started first
 *   shared      (last is not) ──▶ each looks  sixteen submissions did not come thick, or the timeout fires and the last look is old
 * </pre>
 *
 * <p>Who looks: one submission in sixteen, and one task in sixteen when it begins and when it ends. What they see only goes forward: it
 * takes the place of something that was there before they looked. When nobody comes any more the timeout sees to it that what was
 * seen last does not pass for the time for much longer than {@link #LONGEST}, unless the timer, or whoever starts it, is held up.
 *
 * <p>It is never shared without a timeout to end that, started or just being started: whoever makes it shared does so with a timeout {@code armed}, and looks whether
 * it still is; a timeout that fires is not armed any more, and then looks whether it is shared. One of the two sees the other.
 */
final class Glance extends TimerEntry {

    /** One in so many looks; a power of two. */
    static final int SHARERS = 16;

    private static final int SHARERS_BITS = Integer.numberOfTrailingZeros(SHARERS);

    /** If so many submissions take no longer than this, they come thick. */
    static final long THICK = SHARERS * 500;

    /** So many times in a row, and it is shared. */
    static final int ENOUGH = 16;

    /** Tasks that take as long as this are always timed, each for itself. */
    static final long LONG = TimeUnit.MICROSECONDS.toNanos(100);

    /** If what was seen last when they began and when they end is as far apart, they may have: neither is older than {@link #THICK}. */
    private static final long MAYBE_LONG = LONG - 2 * THICK;

    /** For how long nobody asks whether what was seen last is new. */
    static final long LONGEST = TimeUnit.MILLISECONDS.toNanos(1);

    private static final VarHandle LAST;

    static {
        try {
            LAST = MethodHandles.lookup().findVarHandle(Glance.class, "last", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Timer timer;
    private final AtomicBoolean armed = new AtomicBoolean();
    private volatile long last;

    // Of submissions. Those who submit at once write over each other's: then it takes a few more or less until tasks
    // are found to come
    // thick, or not to, which is a guess anyway.
    private long judgedAt;
    private int inARow;

    Glance(Timer timer) {
        this.timer = timer;
    }

    /**
     * Whether the task is one of those that are always timed: one of each sixteen, and which one is anybody's guess, so that no rhythm in
     * which tasks come is favoured.
     */
    static boolean isTimed(long taskId) {
        return BitMixer.mix(taskId >>> SHARERS_BITS) >>> (Long.SIZE - SHARERS_BITS) == (taskId & (SHARERS - 1));
    }

    /** What a task that took {@code nanos} while tasks came thick adds to what all took: one that is not timed adds nothing. */
    static long weighted(long nanos, boolean timed) {
        if (nanos >= LONG) {
            return nanos;
        }
        return timed ? SHARERS * nanos : 0;
    }

    /** What was seen last; 0 if each is to look. */
    long last() {
        return last;
    }

    /** What the clock says; for others too if it is shared. */
    long look() {
        long before = last;
        long now = timer.nanoTime();
        if (before != 0) {
            LAST.compareAndSet(
                    this, before, orOne(now)); // if others have looked since, or it is not shared now, so be it
        }
        return now;
    }

    /** What the clock says, of one that has begun at what was seen last then; {@code start} if it cannot have taken long. */
    long lookIfLong(long start) {
        long now = last;
        return now == 0 || now - start >= MAYBE_LONG ? timer.nanoTime() : start;
    }

    private static long orOne(long now) {
        return now == 0 ? 1 : now;
    }

    /** A task is submitted. */
    void submitted(long taskId) {
        if ((taskId & (SHARERS - 1)) == 0) {
            judge(look());
        }
    }

    private void judge(long now) {
        boolean thick = now - judgedAt <= THICK;
        judgedAt = now;
        inARow = thick ? Math.min(ENOUGH, inARow + 1) : 0;
        if (!thick && last != 0) {
            last = 0;
        } else if (inARow == ENOUGH && last == 0) {
            share(now);
        }
    }

    private void share(long now) {
        arm();
        LAST.compareAndSet(this, 0L, orOne(now)); // if another has shared it, that one may have seen more
        if (!armed.get()) {
            last = 0;
        }
    }

    /** Starts the timeout if it is not pending. If that cannot be done each goes on looking, and some time later it is tried again. */
    private void arm() {
        if (!armed.compareAndSet(false, true)) {
            return;
        }
        try {
            timer.start(this, LONGEST);
        } catch (Throwable fault) {
            armed.set(false);
            last = 0;
            inARow = 0;
            ScopeTasks.FAULTS.report("timer", "the clock of a scope", fault);
        }
    }

    @Override
    public void fire() {
        armed.set(false);
        long seen = last;
        if (seen == 0) {
            return;
        }
        if (timer.nanoTime() - seen < LONG) {
            arm();
        } else {
            last = 0;
        }
    }
}
