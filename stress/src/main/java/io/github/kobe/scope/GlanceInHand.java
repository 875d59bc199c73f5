package io.github.kobe.scope;

import io.github.kobe.internal.time.Timer;
import io.github.kobe.internal.time.TimerEntry;
import io.github.kobe.stress.rig.SharedClock;
import java.util.concurrent.atomic.AtomicReference;

/** The clock of a scope's tasks, for races that are played to it; here, since nobody else is to see it. */
public final class GlanceInHand implements SharedClock, Timer {

    private final AtomicReference<TimerEntry> pending = new AtomicReference<>();
    private final Glance glance = new Glance(this);
    private volatile long now = 2 * Glance.LONGEST;
    private long lastId;

    /** One that was shared, is not now, and will be with the next submission; its timeout has not fired yet. */
    public GlanceInHand() {
        submitThick();
        submit();
        now = 2 * now;
        submitThick();
    }

    private void submitThick() {
        for (int i = 0; i <= Glance.SHARERS * Glance.ENOUGH; i++) {
            glance.submitted(++lastId);
        }
        lastId += Glance.SHARERS - 1 - (lastId & (Glance.SHARERS - 1)); // so that the next one looks
    }

    private void submit() {
        glance.submitted(++lastId);
    }

    @Override
    public void share() {
        submit();
    }

    @Override
    public void fire() {
        TimerEntry due = pending.getAndSet(null);
        if (due != null) {
            due.fire();
        }
    }

    @Override
    public boolean isShared() {
        return glance.last() != 0;
    }

    @Override
    public boolean isWatched() {
        return pending.get() != null;
    }

    @Override
    public long nanoTime() {
        return now;
    }

    @Override
    public void start(TimerEntry timeout, long delayNanos) {
        if (!pending.compareAndSet(null, timeout)) {
            throw new IllegalStateException("started while pending");
        }
    }

    @Override
    public boolean cancel(TimerEntry timeout) {
        return pending.compareAndSet(timeout, null);
    }
}
