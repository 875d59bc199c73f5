package io.github.kobe.internal.kernel;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The registered groups, the resolutions of limits that are in progress, and the bound on the number of groups.
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
 *
 * <p><b>The bound holds exactly.</b> A key takes a slot before its limits are resolved, so that too many keys cost no call of a resolver.
 * Threads that create the same group share the slot. It passes to the group when that is registered, and is free again when the group has
 * left the map, or when no thread creates it any more. Slots are taken under this object's monitor. A group that is being removed counts
 * until it is gone, so the number is never too low.
 */
final class GroupRegistry {

    private final int maxGroups;
    private final ConcurrentHashMap<String, Group> groups = new ConcurrentHashMap<>(64);

    /** Written under the monitor. */
    private final Map<String, List<Resolution>> resolutions = new ConcurrentHashMap<>();

    // Guarded by the monitor.
    private final Set<String> reserved = new HashSet<>(); // keys with a slot whose group is not registered
    private Iterator<Group> round = Collections.emptyIterator(); // where the last call of nextInRound stopped

    /** One thread resolves the limits of one group. */
    static final class Resolution {
        private final String key;

        /** The thread while it resolves; {@code null} when it has the answer. Of interest to this thread alone. */
        private volatile @Nullable Thread thread = Thread.currentThread();

        private volatile boolean outdated; // written under the monitor of the registry

        private Resolution(String key) {
            this.key = key;
        }

        /** The user code has returned. */
        void resolved() {
            thread = null;
        }

        /** Whether the limits were to be resolved again after this resolution had begun. */
        boolean isOutdated() {
            return outdated;
        }
    }

    GroupRegistry(int maxGroups) {
        this.maxGroups = maxGroups;
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

    int size() {
        return groups.size();
    }

    /** How many groups are registered, or are being created. */
    synchronized int slotsTaken() {
        return groups.size() + reserved.size();
    }

    /** The next groups in a round over all of them, without those that are being created; all if there are no more than {@code number}. */
    synchronized List<Group> nextInRound(int number) {
        int size = groups.size();
        if (size <= number) {
            round = groups.values().iterator(); // one that was begun earlier does not show all that are there now
        }
        List<Group> next = new ArrayList<>();
        for (int i = Math.min(number, size); i > 0; i--) {
            if (!round.hasNext()) {
                round = groups.values().iterator();
            }
            if (round.hasNext()) {
                Group group = round.next();
                if (!resolutions.containsKey(group.key())) {
                    next.add(group);
                }
            }
        }
        return next;
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

    /**
     * As {@link #begin}, for a group that is not registered.
     *
     * @return {@code null} if there are as many groups as there may be
     */
    synchronized @Nullable Resolution beginCreation(String key) {
        requireNotResolving(key);
        return groups.containsKey(key) || reserve(key) ? begin(key) : null;
    }

    private boolean reserve(String key) {
        if (maxGroups == Integer.MAX_VALUE || reserved.contains(key)) {
            return true;
        }
        return slotsTaken() < maxGroups && reserved.add(key);
    }

    synchronized void end(Resolution resolution) {
        List<Resolution> ofKey = resolutions.get(resolution.key);
        if (ofKey != null && ofKey.remove(resolution) && ofKey.isEmpty()) {
            resolutions.remove(resolution.key);
            reserved.remove(resolution.key);
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
     * @return the group that is registered; {@code null} if there are as many groups as there may be
     */
    synchronized @Nullable Group register(Group created, Resolution resolution) {
        Group known = groups.get(created.key());
        if (known != null) {
            return known;
        }
        if (!reserve(created.key())) {
            return null; // there was one with its key at the beginning, and its slot has been taken by another group
        }
        if (resolution.outdated) {
            created.setStale();
        }
        groups.put(created.key(), created);
        reserved.remove(created.key());
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
