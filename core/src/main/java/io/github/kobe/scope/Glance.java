package io.github.kobe.scope;

import io.github.kobe.internal.Timeout;
import io.github.kobe.internal.Timer;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.TimeUnit;

/**
 * The clock of a scope's tasks. Two looks at a clock take as long as all else that an empty task does; so while tasks come thick, more
 * than a million a second, one in sixteen looks at it for the others. Its own entry in the timer, which sees to it that nobody goes by
 * an old look for long.
 *
 * <pre>
 *   each looks  (shared is 0)                ──▶ shared   when 256 tasks have come thick; whoever finds out starts the timeout
 *   shared      (the last look, and a timeout) ──▶ shared   when the timeout fires and the last look is of just now
 *                                            ──▶ each looks when it fires and the last look is old: they come thick no longer
 * </pre>
 *
 * <p>So what it says is late by some microseconds while tasks come thick, by about {@link #LONGEST} at most when they have just
 * ceased to, and not at all at other times. It may go back by as much.
 */
final class Glance extends Timeout {

    private static final VarHandle SHARED;

    static {
        try {
            SHARED = MethodHandles.lookup().findVarHandle(Glance.class, "shared", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** One task in so many looks; a power of two. */
    static final int SHARERS = 16;

    /** If one in {@link #SHARERS} looks, and so many looks in a row were no more than {@link #THICK} apart, tasks come thick. */
    static final int ENOUGH = 16;

    static final long THICK = SHARERS * TimeUnit.MICROSECONDS.toNanos(1);

    /** For how long nobody asks whether they still do. */
    static final long LONGEST = TimeUnit.MILLISECONDS.toNanos(1);

    private final Timer timer;
    private volatile long shared;

    // Of the last look in the state in which each looks. Those who look write over each other's: then it takes a few
    // looks more or less
    // until tasks are found to come thick, which is a guess anyway; that one of them starts the timeout is the
    // compare-and-set's matter.
    private long last;
    private int inARow;

    Glance(Timer timer) {
        this.timer = timer;
    }

    /** What the clock says, or said a moment ago. */
    long time(long taskId) {
        if ((taskId & (SHARERS - 1)) == 0) {
            return look();
        }
        long known = shared;
        return known == 0 ? timer.nanoTime() : known;
    }

    private long look() {
        long now = timer.nanoTime();
        long known = shared;
        if (known == 0) {
            judge(now);
        } else {
            SHARED.compareAndSet(this, known, orOne(now)); // if it has been set to 0 meanwhile, it stays so
        }
        return now;
    }

    private void judge(long now) {
        inARow = now - last > THICK ? 0 : inARow + 1;
        last = now;
        if (inARow >= ENOUGH) {
            inARow = 0;
            if (SHARED.compareAndSet(this, 0L, orOne(now))) {
                timer.start(
                        this,
                        LONGEST); // not pending: it is 0 before the first start, and after a fire that did not start
                // again
            }
        }
    }

    private static long orOne(long now) {
        return now == 0 ? 1 : now;
    }

    @Override
    public void fire() {
        if (timer.nanoTime() - shared < LONGEST / 4) {
            timer.start(this, LONGEST);
        } else {
            shared = 0;
        }
    }
}
