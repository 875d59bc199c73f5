package io.github.kobe.internal.kernel;

import io.github.kobe.internal.fair.Competitor;
import io.github.kobe.internal.fair.ReadyQueue;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One limit over several groups: the global one, or one value of a shared limit. It has permits, a ready queue of the groups that wait for them, and a
 * slot for one group that it saves permits for.
 *
 * <p><b>Saving.</b> A group whose turn it is, and whose next task costs more permits than are free, goes to that slot. From then on no other group gets a
 * permit of this limit, until the group has as many as it needs, or cannot start a task any more.
 */
public final class Limit {

    /** See {@link #tryAwait}. */
    static final int RELEASES_BETWEEN_WAITS = 16;

    private final @Nullable SharedKey key;
    final ReadyQueue readyQueue;
    final Limiter limiter;
    private final AtomicReference<@Nullable Competitor> saver = new AtomicReference<>();

    /** 1 if a group that keeps permits waits for this limit; if negative, how many groups keep permits of it. Never both, see {@link KeptPermits}. */
    private final AtomicInteger keepers = new AtomicInteger();

    private final AtomicInteger kept = new AtomicInteger();
    private final @Nullable LeaseControl leases; // null if it is a limit of this JVM alone
    private final Set<Group> members; // of a leased limit
    private volatile int resolved;

    private volatile boolean paused; // here. Written under the monitor of the limiter

    /** What the settings of this JVM say, also while it is paused. Likewise. */
    private volatile int configured;

    private volatile int max; // likewise: the limit over all JVMs, also while it is paused
    private volatile int leased = PermitLeases.UNKNOWN; // likewise, of a leased limit
    private volatile int groups; // written in a step of the map of all shared limits

    /** The number of releases from which on a group may wait for it with permits that are idle meanwhile. */
    private volatile long nextCostlyAwait;

    /** The global limit. */
    Limit(ReadyQueue readyQueue, Limiter limiter) {
        this.key = null;
        this.readyQueue = readyQueue;
        this.limiter = limiter;
        this.resolved = Integer.MAX_VALUE;
        this.leases = null;
        this.members = Set.of();
    }

    /**
     * One value of a shared limit. It has no permits until {@link #resize}.
     *
     * @param leases {@code null} if it is a limit of this JVM alone
     */
    Limit(SharedKey key, ReadyQueue readyQueue, int resolved, @Nullable LeaseControl leases) {
        this.key = key;
        this.readyQueue = readyQueue;
        this.resolved = resolved;
        this.leases = leases;
        this.limiter = new Limiter(0, Integer.MAX_VALUE, leases == null ? null : () -> leases.released(key));
        this.members = leases == null ? Set.of() : ConcurrentHashMap.newKeySet();
    }

    /** Which value of a shared limit this is; {@code null} for the global limit. */
    public @Nullable SharedKey key() {
        return key;
    }

    boolean isGlobal() {
        return key == null;
    }

    /** How many permits the policy allows, without the settings that were made since. */
    public int resolved() {
        return resolved;
    }

    /** How many groups belong to it. */
    public int groups() {
        return groups;
    }

    /** Permits in use. */
    public int inFlight() {
        return limiter.inFlight();
    }

    /** How many groups wait for it. An upper bound: some may have no queued task any more. Of a shared limit. */
    public int waitingGroups() {
        return limiter.queued() + (saver.get() == null ? 0 : 1);
    }

    /** The limit that is in force; 0 if it is paused. If it is shared with other JVMs, fewer permits may be held here. Of a shared limit. */
    public int limit() {
        return leases == null ? limiter.limit() : paused ? 0 : max;
    }

    /** As {@link #limit}, also while it is paused. */
    public int max() {
        return max;
    }

    /** Whether it is paused in this JVM. */
    public boolean isPaused() {
        return paused;
    }

    // ---- a limit that is shared with other JVMs ------------------------------------------------------------------

    boolean isLeased() {
        return leases != null;
    }

    /** How many permits this JVM holds; {@link GroupLimits#NOT_LEASED} if it is a limit of this JVM alone. */
    public int leasedPermits() {
        return leases == null ? GroupLimits.NOT_LEASED : Math.max(0, leased);
    }

    /** Whether the owner of leases has not answered yet. */
    boolean isUnknown() {
        return leases != null && leased == PermitLeases.UNKNOWN;
    }

    /** Whether there would be more permits if more were leased. */
    boolean isShortOfLeased() {
        return leases != null && leased < limit();
    }

    /** What the settings of this JVM say, whether it is paused or not. */
    int configured() {
        return configured;
    }

    /** The groups that belong to it, of a leased limit. One that is about to be registered may be missing. */
    Set<Group> members() {
        return members;
    }

    /** A group waits for it. The owner of leases is told, if more leased permits would help. */
    void wantIfShort() {
        if (leases != null && isShortOfLeased()) {
            leases.want(this);
        }
    }

    void setResolved(int max) {
        resolved = max;
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // one writer at a time
    Limit joined() {
        groups++;
        return this;
    }

    /** {@code null} if it was the last group. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // likewise
    @Nullable
    Limit left() {
        groups--;
        return groups == 0 ? null : this;
    }

    /** Has it read its settings, and what is leased. Returns how many permits are in use, read after the change. */
    int resize(LimitSource source) {
        SharedKey value = Objects.requireNonNull(key);
        return limiter.resize(() -> {
            int own = source.sharedInForce(value, resolved);
            paused = own == 0;
            configured = source.sharedMax(value, resolved);
            max = leases == null ? configured : leases.limitInForce(value, configured);
            if (leases == null) {
                return own;
            }
            leased = leases.leased(value);
            return Math.min(limit(), Math.max(0, leased));
        });
    }

    // ---- permits -------------------------------------------------------------------------------------------------

    /** Takes permits for a task that is not queued here: none that are saved, and none that a group in the ready queue waits for. */
    boolean tryTake(int n) {
        return saver.get() == null && (isGlobal() ? limiter.tryAcquire(n) : limiter.tryAcquireBeyondQueued(n));
    }

    /** As {@link #tryTake}, for a queued task of a group that waits at another limit. The global limit counts the task. */
    boolean tryTakeForQueued(int n) {
        return isGlobal() ? saver.get() == null && limiter.tryTakeCounted(n) : tryTake(n);
    }

    /** Undoes {@link #tryTakeForQueued}. The caller dispatches next. */
    void putBackForQueued(int n) {
        if (isGlobal()) {
            limiter.putBack(n);
        } else {
            limiter.release(n);
        }
    }

    /** Whether {@link #tryTake} would succeed now. */
    boolean hasRoom(int n) {
        return saver.get() == null && (isGlobal() ? limiter.hasFree(n) : limiter.hasRoomBeyondQueued(n));
    }

    /**
     * Tasks have released {@code n} permits. The caller dispatches next. A thread that took permits for a direct start, and lost the race for those of the group, gives them back here too. That makes
     * the limit look faster by one release, to {@link GroupShares#turnInVain} of a group that waits elsewhere; at worst it keeps a permit once that it would have given back, for a second.
     */
    void release(int n) {
        limiter.release(n);
        limiter.countRelease();
    }

    /** Whether a group waits for it. Of a shared limit. */
    boolean hasWaiting() {
        return limiter.queued() > 0 || saver.get() != null;
    }

    /** Whether a permit of it may pass from a task to the next one of the same group: no group waits for it, and it is not being paid off. Of a shared limit. */
    boolean mayPassOn() {
        return saver.get() == null && limiter.isUncontended();
    }

    long releases() {
        return limiter.releases();
    }

    // ---- kept permits --------------------------------------------------------------------------------------------

    /** A group wants to keep {@code n} permits of it while it waits for another limit. False while a group that keeps permits waits for this one. */
    boolean tryKeep(int n) {
        for (; ; ) {
            int now = keepers.get();
            if (now > 0) {
                return false;
            }
            if (keepers.compareAndSet(now, now - 1)) {
                kept.addAndGet(n);
                return true;
            }
        }
    }

    void endKeep(int n) {
        kept.addAndGet(-n);
        keepers.incrementAndGet();
    }

    /**
     * A group that keeps permits of other limits wants to wait for this one. False while permits of this one are kept, or another such group waits for it.
     *
     * @param costly whether the kept permits may be idle for a while: then this is also false until some permits of this limit were released since the last
     *     such wait, so that most of the time no permits are idle because of it
     */
    boolean tryAwait(boolean costly) {
        long now = releases();
        if ((costly && now - nextCostlyAwait < 0) || !keepers.compareAndSet(0, 1)) {
            return false;
        }
        if (costly) {
            nextCostlyAwait = now + RELEASES_BETWEEN_WAITS;
        }
        return true;
    }

    void endAwait() {
        keepers.decrementAndGet();
    }

    /** How many of its permits groups keep while they wait for another limit. */
    int keptPermits() {
        return kept.get();
    }

    // ---- saving --------------------------------------------------------------------------------------------------

    /** The group that permits are saved for; {@code null} if there is none. */
    @Nullable
    Competitor saver() {
        return saver.get();
    }

    /** False if permits are saved for another group. The caller looks for free permits next. */
    boolean trySave(Competitor group) {
        return saver.compareAndSet(null, group);
    }

    /** False if another thread has taken it out. */
    boolean tryEndSaving(Competitor group) {
        return saver.compareAndSet(group, null);
    }
}
