package io.github.kobe.pool;

/**
 * How many workers there were and how many of them were busy, over the last minute: for each second, the two numbers integrated over time. The
 * caller reports each change of a number. Nothing has to happen in between, so an idle pool costs nothing. Not thread-safe.
 */
final class UtilizationWindow {

    private static final long SECOND = 1_000_000_000;
    private static final int SECONDS = 60;

    private final long[] busyNanos = new long[SECONDS];
    private final long[] aliveNanos = new long[SECONDS];
    private final long start;
    private long countedUntil; // in nanoseconds since the start
    private int busy;
    private int alive;

    UtilizationWindow(long now) {
        start = now;
    }

    /** Sets the numbers from {@code now} on. */
    void set(long now, int busyNow, int aliveNow) {
        advance(now);
        busy = busyNow;
        alive = aliveNow;
    }

    private void advance(long now) {
        long until = Math.max(countedUntil, now - start);
        if (until - countedUntil > SECONDS * SECOND) {
            countedUntil = until - SECONDS * SECOND; // older time is outside of the window
        }
        while (countedUntil < until) {
            int second = (int) (countedUntil / SECOND % SECONDS);
            if (countedUntil % SECOND == 0) {
                busyNanos[second] = 0;
                aliveNanos[second] = 0;
            }
            long part = Math.min(until, (countedUntil / SECOND + 1) * SECOND) - countedUntil;
            busyNanos[second] += part * busy;
            aliveNanos[second] += part * alive;
            countedUntil += part;
        }
    }

    /** The fraction of their time that workers were busy, over the last {@code seconds}, at most 60, and the current one; 0 without workers. */
    double busyShare(long now, int seconds) {
        long busySum = sum(busyNanos, now, seconds);
        long aliveSum = sum(aliveNanos, now, seconds);
        return aliveSum == 0 ? 0 : (double) busySum / aliveSum;
    }

    private long sum(long[] nanos, long now, int seconds) {
        advance(now);
        long current = countedUntil / SECOND;
        long sum = 0;
        for (long second = Math.max(0, current - Math.min(seconds, SECONDS - 1)); second <= current; second++) {
            sum += nanos[(int) (second % SECONDS)];
        }
        return sum;
    }
}
