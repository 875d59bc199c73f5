package io.github.kobe.internal;

import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/** One start for each group in turn, in O(1). A served group goes to the end, so no backlog delays another by more than a round. */
public final class RoundRobin implements ReadyQueue {

    private final ConcurrentLinkedQueue<Group> ring = new ConcurrentLinkedQueue<>();

    @Override
    public void add(Group group) {
        ring.add(group);
    }

    @Override
    public @Nullable Group poll() {
        return ring.poll();
    }

    @Override
    public boolean isEmpty() {
        return ring.isEmpty();
    }
}
