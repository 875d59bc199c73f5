package io.github.kobe.console;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/** Keeps the first few of very many rows in order, without sorting all of them. Not thread-safe. */
final class TopRows<T> {

    private final int limit;
    private final Comparator<? super T> order;

    /** The last of the kept rows is at the head. */
    private final PriorityQueue<T> kept;

    private int offered;

    TopRows(int limit, Comparator<? super T> order) {
        this.limit = limit;
        this.order = order;
        this.kept = new PriorityQueue<>(order.reversed());
    }

    void offer(T row) {
        offered++;
        if (kept.size() < limit) {
            kept.add(row);
        } else if (order.compare(row, kept.element()) < 0) {
            kept.remove();
            kept.add(row);
        }
    }

    /** Returns how many rows were offered. */
    int offered() {
        return offered;
    }

    /** Returns the kept rows in order, without the first {@code skipped} ones. */
    List<T> from(int skipped) {
        List<T> rows = new ArrayList<>(kept);
        rows.sort(order);
        return skipped >= rows.size() ? List.of() : rows.subList(skipped, rows.size());
    }
}
