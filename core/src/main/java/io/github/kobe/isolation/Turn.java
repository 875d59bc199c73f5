package io.github.kobe.isolation;

/** A task got a place, or gave it back. */
final class Turn extends News.Item {

    private final TenantShare share;
    private final long start;
    private final long end;
    private final boolean over;

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
    void takeIn(News.Reader reader) {
        if (over) {
            reader.ended(share, start, end);
        } else {
            reader.began(share, start);
        }
    }
}
