package io.github.kobe.isolation;

import io.github.kobe.internal.Group;

/** A key got in line. */
final class Joined extends News.Item {

    private final TenantShare share;
    private final Group group;
    private final long since;

    /** Does not look at {@code share}: what is in there is at the one who takes this in. */
    Joined(TenantShare share, Group group, long since) {
        this.share = share;
        this.group = group;
        this.since = since;
    }

    @Override
    void takeIn(News.Reader reader) {
        reader.joined(share, group, since);
    }
}
