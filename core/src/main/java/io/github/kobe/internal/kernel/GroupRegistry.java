package io.github.kobe.internal.kernel;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The registered groups, and the resolutions of limits that are in progress.
 *
 * <p>Limits are resolved by user code, under no lock, and before the group is registered. A resolution is listed here by its key until it
 * has ended, for two reasons.
 *
 * <p><b>No eviction is lost.</b> An eviction marks the listed resolutions of its key as outdated, and then looks the group up. A new group
 * is registered, and the mark read, in one step under this object's monitor. So the eviction finds the group, or the group is STALE from the
 * start. An event of another key concerns nobody here.
 *
 * <p><b>A resolver cannot use its own group.</b> Its answer is what such a call would wait for. The thread of a resolution is known, so the
 * call fails instead.
 */
final class GroupRegistry {

    private final ConcurrentHashMap<String, Group> groups = new ConcurrentHashMap<>(64);

    /** Written under the monitor. */
    private final Map<String, List<Resolution>> resolutions = new ConcurrentHashMap<>();

    /** One thread resolves the limits of one group. */
    static final class Resolution {
        private final String key;

        /** The thread while it resolves; {@code null} when it has the answer. Guarded by the registry. */
        private @Nullable Thread thread = Thread.currentThread();

        private volatile boolean outdated; // written under the monitor of the registry

        private Resolution(String key) {
            this.key = key;
        }

        /** Whether the limits were to be resolved again after this resolution had begun. */
        boolean isOutdated() {
            return outdated;
        }
    }

    @Nullable
    Group get(String key) {
        return groups.get(key);
    }

    Collection<Group> groups() {
        return groups.values();
    }

    boolean isEmpty() {
        return groups.isEmpty();
    }

    /** Returns whether this call has removed the group. */
    boolean remove(Group group) {
        return groups.remove(group.key(), group);
    }

    // ---- resolutions -----------------------------------------------------------------------------------------------

    /**
     * Lists a resolution. The caller calls {@link #end} in any case.
     *
     * @throws IllegalStateException if the calling thread is in a resolution of {@code key}
     */
    synchronized Resolution begin(String key) {
        requireNotResolving(key);
        Resolution resolution = new Resolution(key);
        resolutions.computeIfAbsent(key, k -> new ArrayList<>(1)).add(resolution);
        return resolution;
    }

    /** The user code of a resolution has returned. */
    synchronized void resolved(Resolution resolution) {
        resolution.thread = null;
    }

    synchronized void end(Resolution resolution) {
        List<Resolution> ofKey = resolutions.get(resolution.key);
        if (ofKey != null && ofKey.remove(resolution) && ofKey.isEmpty()) {
            resolutions.remove(resolution.key);
        }
    }

    /** Has every resolution of {@code key} that is in progress count as outdated. */
    synchronized void outdate(String key) {
        List<Resolution> ofKey = resolutions.get(key);
        if (ofKey != null) {
            requireNotResolving(key);
            ofKey.forEach(resolution -> resolution.outdated = true);
        }
    }

    /**
     * Registers a group with the limits of {@code resolution}, unless there is one with its key.
     *
     * @return the group that is registered
     */
    synchronized Group register(Group created, Resolution resolution) {
        Group known = groups.get(created.key());
        if (known != null) {
            return known;
        }
        if (resolution.outdated) {
            created.setStale();
        }
        groups.put(created.key(), created);
        return created;
    }

    /** @throws IllegalStateException if the calling thread resolves the limits of {@code key} */
    void requireNotResolving(String key) {
        if (resolutions.containsKey(key) && isResolvedByThisThread(key)) {
            throw new IllegalStateException(
                    "a resolver of group '" + key + "' uses its own group; the call has no effect");
        }
    }

    private synchronized boolean isResolvedByThisThread(String key) {
        Thread current = Thread.currentThread();
        return resolutions.getOrDefault(key, List.of()).stream()
                .anyMatch(resolution -> current.equals(resolution.thread));
    }
}
