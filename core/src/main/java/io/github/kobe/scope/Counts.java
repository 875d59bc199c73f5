package io.github.kobe.scope;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * What the threads of a scope's tasks count. Tasks that follow each other are counted in different cells, each in lines of the cache of
 * its own: mostly they run at the same time, and two cores that write to one line wait for each other. The sums never run ahead
 * of what has happened.
 */
final class Counts {

    private static final VarHandle CELL = MethodHandles.arrayElementVarHandle(long[].class);

    private static final int CELLS = 8; // a power of two
    private static final int CELL_BITS = 4; // two lines of 64 bytes each, wherever the array begins

    /** As long as a scope has no more tasks, fetching all those lines for the first time would cost more than waiting for one. */
    private static final int FEW = 256;

    private static final int BEGUN = 0;
    private static final int KNOWN = 1;
    private static final int TOTAL_NANOS = 2;
    private static final int MAX_NANOS = 3;

    /** The first one is for whatever is in front of the array. */
    private final long[] cells = new long[(CELLS + 1) << CELL_BITS];

    private static int cellOf(long taskId) {
        return cell(taskId < FEW ? 0 : (int) taskId & (CELLS - 1));
    }

    private static int cell(int number) {
        return (number + 1) << CELL_BITS;
    }

    void began(long taskId) {
        CELL.getAndAdd(cells, cellOf(taskId) + BEGUN, 1L);
    }

    void known(long taskId) {
        CELL.getAndAdd(cells, cellOf(taskId) + KNOWN, 1L);
    }

    /** {@code total} more in all, and {@code longest} at a time; of tasks that come thick mostly nothing. */
    void took(long taskId, long total, long longest) {
        if (total == 0) {
            return;
        }
        CELL.getAndAdd(cells, cellOf(taskId) + TOTAL_NANOS, total);
        int max = cellOf(taskId) + MAX_NANOS;
        for (long most = get(max); longest > most; most = get(max)) {
            CELL.compareAndSet(cells, max, most, longest);
        }
    }

    private long get(int index) {
        return (long) CELL.getVolatile(cells, index);
    }

    long begunSoFar() {
        return sum(BEGUN);
    }

    long knownSoFar() {
        return sum(KNOWN);
    }

    long totalNanos() {
        return sum(TOTAL_NANOS);
    }

    private long sum(int what) {
        long sum = 0;
        for (int cell = 0; cell < CELLS; cell++) {
            sum += get(cell(cell) + what);
        }
        return sum;
    }

    long maxNanos() {
        long most = 0;
        for (int cell = 0; cell < CELLS; cell++) {
            most = Math.max(most, get(cell(cell) + MAX_NANOS));
        }
        return most;
    }
}
