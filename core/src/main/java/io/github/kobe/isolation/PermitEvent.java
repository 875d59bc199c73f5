package io.github.kobe.isolation;

/** A task got a place, or gave it back. */
final class PermitEvent extends EventInbox.Event {

    private final KeyState share;
    private final long start;
    private final long end;
    private final boolean over;

    private PermitEvent(KeyState share, long start, long end, boolean over) {
        this.share = share;
        this.start = start;
        this.end = end;
        this.over = over;
    }

    static PermitEvent begun(KeyState share, long start) {
        return new PermitEvent(share, start, start, false);
    }

    /** It had its place from {@code start} on. */
    static PermitEvent over(KeyState share, long start, long end) {
        return new PermitEvent(share, start, end, true);
    }

    @Override
    void takeIn(EventInbox.Reader reader) {
        if (over) {
            reader.ended(share, start, end);
        } else {
            reader.began(share, start);
        }
    }
}
