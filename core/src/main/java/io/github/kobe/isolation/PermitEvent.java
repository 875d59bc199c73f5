package io.github.kobe.isolation;

/** A task got a place, or gave it back. */
final class PermitEvent extends EventInbox.Event {

    private final KeyState share;
    private final long start;
    private final long end;
    private final boolean completed;

    private PermitEvent(KeyState share, long start, long end, boolean over) {
        this.share = share;
        this.start = start;
        this.end = end;
        this.completed = over;
    }

    static PermitEvent started(KeyState share, long start) {
        return new PermitEvent(share, start, start, false);
    }

    /** It had its place from {@code start} on. */
    static PermitEvent completed(KeyState share, long start, long end) {
        return new PermitEvent(share, start, end, true);
    }

    @Override
    void deliverTo(EventInbox.Handler reader) {
        if (completed) {
            reader.onCompleted(share, start, end);
        } else {
            reader.onStarted(share, start);
        }
    }
}
