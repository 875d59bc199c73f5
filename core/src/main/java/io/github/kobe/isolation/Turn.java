package io.github.kobe.isolation;

import org.jspecify.annotations.Nullable;

/** A task got a place, or gave it back. */
final class Turn implements News.Item {

    private final TenantShare share;
    private final long start;
    private final long end;
    private final boolean over;
    private News.@Nullable Item next;

    private Turn(TenantShare share, long start, long end, boolean over) {
        this.share = share;
        this.start = start;
        this.end = end;
        this.over = over;
    }

    static Turn begun(TenantShare share, long start) {
        return new Turn(share, start, start, false);
    }

    /** It had its place from {@code start} on. */
    static Turn over(TenantShare share, long start, long end) {
        return new Turn(share, start, end, true);
    }

    @Override
    public News.@Nullable Item next() {
        return next;
    }

    @Override
    public void setNext(News.@Nullable Item item) {
        next = item;
    }

    @Override
    public void takeIn(News.Reader reader) {
        if (over) {
            reader.ended(share, start, end);
        } else {
            reader.began(share, start);
        }
    }
}
