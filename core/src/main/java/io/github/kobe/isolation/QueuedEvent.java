package io.github.kobe.isolation;

import io.github.kobe.internal.fair.Competitor;

/** A key got in line. */
final class QueuedEvent extends EventInbox.Event {

    private final KeyState share;
    private final Competitor group;
    private final long since;

    /** Does not look at {@code share}: what is in there is at the one who takes this in. */
    QueuedEvent(KeyState share, Competitor group, long since) {
        this.share = share;
        this.group = group;
        this.since = since;
    }

    @Override
    void deliverTo(EventInbox.Handler reader) {
        reader.onQueued(share, group, since);
    }
}
