package io.github.kobe.pool;

/**
 * How many workers there were and how many of them were busy, over the last minute: a ring of seconds, each with two areas under a
 * curve. Whoever changes one of the numbers says so; nothing has to happen in between, so an idle pool costs nothing. Not safe for use
 * by many threads.
 */
final class UtilizationWindow {

    private static final long SECOND = 1_000_000_000;
    private static final int SECONDS = 60;

    private final long[] busyNanos = new long[SECONDS];
    private final long[] aliveNanos = new long[SECONDS];
    private final long start;
    private long last; // since the start
    private int busy;
    private int alive;

    UtilizationWindow(long now) {
        start = now;
    }

    /** From {@code now} on it is that many. */
    void set(long now, int busyNow, int aliveNow) {
        advance(now);
        busy = busyNow;
        alive = aliveNow;
    }

    private void advance(long now) {
        long until = Math.max(last, now - start);
        if (until - last > SECONDS * SECOND) {
            last = until - SECONDS * SECOND; // what is older is not asked for
        }
        while (last < until) {
            int second = (int) (last / SECOND % SECONDS);
            if (last % SECOND == 0) {
                busyNanos[second] = 0;
                aliveNanos[second] = 0;
            }
            long part = Math.min(until, (last / SECOND + 1) * SECOND) - last;
            busyNanos[second] += part * busy;
            aliveNanos[second] += part * alive;
            last += part;
        }
    }

    /** The part of their time that workers were busy, over the last {@code seconds}, at most 60, and the running one; 0 if there were none. */
    double share(long now, int seconds) {
        long busySum = sum(busyNanos, now, seconds);
        long aliveSum = sum(aliveNanos, now, seconds);
        return aliveSum == 0 ? 0 : (double) busySum / aliveSum;
    }

    private long sum(long[] ring, long now, int seconds) {
        advance(now);
        long current = last / SECOND;
        long sum = 0;
        for (long second = Math.max(0, current - Math.min(seconds, SECONDS - 1)); second <= current; second++) {
            sum += ring[(int) (second % SECONDS)];
        }
        return sum;
    }
}
