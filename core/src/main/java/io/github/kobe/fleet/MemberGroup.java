package io.github.kobe.fleet;

import io.github.kobe.internal.kernel.PermitLeases;
import io.github.kobe.internal.kernel.SharedKey;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * What the kernel and the thread of the fleet share about a group, a value of a shared limit, or the limit over all groups. It is of one executor.
 * The kernel reads how many permits are leased, and says that it is worth to review the group. The thread of the fleet does the rest.
 *
 * <p>Each field has one writer, the thread of the fleet, except for those about rejections: the kernel writes them too.
 */
final class MemberGroup {

    final String key; // of a group; empty for the limit over all groups
    final @Nullable SharedKey shared; // null unless it is a value of a shared limit
    final String name; // in the store
    final ShardSession session;

    /** Whether the group waits in the inbox of the fleet. Cleared before the group is read, so what comes later is read by the next look. */
    private final AtomicBoolean announced = new AtomicBoolean();

    private volatile int leased = PermitLeases.UNKNOWN;
    private volatile int limitInForce; // 0: not known
    private volatile int policyLimit; // that the limit in force belongs to

    /**
     * Whether the store knows that permits are wanted. Then the thread of the fleet reads the demand every 30 ms at the latest, and tasks that are
     * queued meanwhile are no news. That thread clears this before it reads the demand for the last time. A thread that queues a task counts the task
     * before it reads this. So one of the two sees the other.
     */
    private volatile boolean awaits;

    /** Whether permits are returned as soon as none is in use. */
    private volatile boolean returnsUnused;

    /** A caller was rejected: so many permits would have helped. Racy: of several, one is enough. */
    private volatile int rejectedMore;

    private volatile int rejectedLimit; // written before

    // ---- only the thread of the fleet

    private boolean answered;
    private int askedTotal; // permits in use and wanted when a caller was rejected
    private long askedUntil; // until then they count as wanted

    MemberGroup(String key, @Nullable SharedKey shared, String name, ShardSession session) {
        this.key = key;
        this.shared = shared;
        this.name = name;
        this.session = session;
    }

    /** Returns whether the caller has to put the group into the inbox. */
    boolean announce() {
        return !announced.get() && announced.compareAndSet(false, true);
    }

    void taken() {
        announced.set(false);
    }

    boolean awaits() {
        return awaits;
    }

    void setAwaits(boolean permits) {
        if (awaits != permits) {
            awaits = permits;
        }
    }

    boolean returnsUnused() {
        return returnsUnused;
    }

    void setReturnsUnused(boolean atOnce) {
        returnsUnused = atOnce;
    }

    // ---- what the kernel reads -------------------------------------------------------------------------------------

    int leased() {
        return leased;
    }

    /** Returns the limit in force. If the policy has changed since it was stated to the store, not more than the policy says. */
    int limitInForce(int configured) {
        int limit = limitInForce;
        return limit == 0 ? configured : configured == policyLimit ? limit : Math.min(configured, limit);
    }

    // ---- rejections ------------------------------------------------------------------------------------------------

    void rejected(int limit, int more) {
        rejectedLimit = limit;
        rejectedMore = more;
    }

    /** Another object of the same group was forgotten after a caller had read it, and before that caller was rejected. */
    void takeRejectionOf(MemberGroup forgotten) {
        int more = forgotten.rejectedMore;
        if (more > 0) {
            rejected(forgotten.rejectedLimit, more);
        }
    }

    int rejectedLimit() {
        return rejectedLimit;
    }

    /** Has the permits that a rejected caller would have used count as wanted for a while. Returns whether there was such a caller. */
    boolean takeRejected(int used, long until) {
        int more = rejectedMore;
        if (more == 0) {
            return false;
        }
        rejectedMore = 0;
        askedTotal = used + more;
        askedUntil = until;
        return true;
    }

    boolean isAsked(long now) {
        return askedTotal > 0 && now - askedUntil < 0;
    }

    long askedUntil() {
        return askedUntil;
    }

    /** Returns the permits that rejected callers would use, beyond those in use. */
    int askedBeyond(int used, long now) {
        return isAsked(now) ? Math.max(0, askedTotal - used) : 0;
    }

    // ---- answers ---------------------------------------------------------------------------------------------------

    /**
     * Sets how many permits are leased. The caller has the kernel read the number. Before the first answer, 0 changes nothing: it is not
     * known how many permits there are. Only if a push came before the answer, the kernel has permits already, and 0 takes them.
     */
    void bind(int permits) {
        if (permits > 0 || answered || leased != PermitLeases.UNKNOWN) {
            leased = permits;
        }
    }

    /** The store has answered, or will not soon. Returns whether the kernel has to read it. */
    boolean answered() {
        answered = true;
        if (leased != PermitLeases.UNKNOWN) {
            return false;
        }
        leased = 0;
        return true;
    }

    /** Returns whether the kernel has to read it. */
    boolean setLimit(int policy, int inForce) {
        if (policy == policyLimit && inForce == limitInForce) {
            return false;
        }
        policyLimit = policy;
        limitInForce = inForce;
        return true;
    }

    /** The group has retired. If it is opened again, its first caller waits for an answer. */
    void closed() {
        answered = false;
        awaits = false;
        leased = PermitLeases.UNKNOWN;
        askedTotal = 0;
    }
}
