package io.github.kobe.internal;

import org.jspecify.annotations.Nullable;

/**
 * Which group is served next when a place under the global cap is free.
 *
 * <p>The kernel adds a group when it has both work and room of its own, never while it is in here already. Implementations
 * are safe for use by many threads and never block on user code. An {@code add} that happened before a {@code poll} or
 * {@code isEmpty} is seen by it: the dispatcher's argument that no wake-up is lost rests on that.
 */
public interface ReadyQueue {

    /** Puts a group in line. */
    void add(Group group);

    /** Takes out the group that is next, or {@code null} if there is none. */
    @Nullable
    Group poll();

    /** Whether no group is in line. */
    boolean isEmpty();
}
