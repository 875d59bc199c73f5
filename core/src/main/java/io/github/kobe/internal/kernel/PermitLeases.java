package io.github.kobe.internal.kernel;

import java.util.concurrent.TimeUnit;

/**
 * The port to an owner of limits that this JVM shares with others. The owner holds permits of each group on lease. The kernel starts tasks with
 * the permits that are held now, and tells the owner when more or fewer are of use.
 *
 * <p>The methods are called by any thread, several at a time, outside every critical section of the kernel except where it says otherwise. They
 * may be called while a method of {@link LeaseControl} is in progress, on the same thread. They must be short, must not block, and must not call
 * user code. What they throw is reported, and has no other effect than what it says below.
 */
public interface PermitLeases {

    /** The owner has not answered for a group yet: it holds no permit, and it is not known whether there is one. */
    int UNKNOWN = -1;

    /** See {@link #maxFirstAnswerNanos}. A round trip to a store takes much less. */
    long DEFAULT_FIRST_ANSWER_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /**
     * Called once, when the kernel is made, and before any other method but {@link #maxFirstAnswerNanos}, {@link #leasedInTotal} and
     * {@link #totalLimit}.
     *
     * @param control the methods for the owner; it may call them from then on
     */
    default void attached(LeaseControl control) {}

    /**
     * How many permits of the group are held; {@link #UNKNOWN}, which counts as none, before the first answer. The kernel calls this when it
     * opens the group, whenever the limits of the group change, and in {@link LeaseControl#leasedChanged}. What the owner had written before it
     * called that method is visible.
     *
     * <p>Called under the monitor of the group. So this must neither take a lock that is held while the kernel is called, nor call the kernel. If it
     * throws, no permit is held.
     */
    int leased(String key);

    /**
     * How many permits of the group all JVMs together may use. Read when {@link #leased} is, under the same conditions; never less than 1.
     *
     * @param configured what the policy of this executor says
     */
    default int limit(String key, int configured) {
        return configured;
    }

    /**
     * For how long a caller that would be rejected waits at most while {@link #leased} is {@link #UNKNOWN}. An owner that expects no answer soon does
     * not let callers wait for it: it says that it holds 0 permits. Read once.
     */
    default long maxFirstAnswerNanos() {
        return DEFAULT_FIRST_ANSWER_NANOS;
    }

    /** The limit over all groups in all JVMs together; {@link GroupLimits#NOT_LEASED} if there is none. As {@link #leased}. */
    default int totalLimit() {
        return GroupLimits.NOT_LEASED;
    }

    /**
     * As {@link #leased}, of the limit over all groups; {@link GroupLimits#NOT_LEASED} if there is none. The kernel applies it in
     * {@link LeaseControl#totalLeasedChanged}.
     */
    default int leasedInTotal() {
        return GroupLimits.NOT_LEASED;
    }

    /**
     * Whether two leases are valid at {@code now}: that on the permits of the group, and that on the permits of the limit over all groups.
     * The clock is that of the kernel's timer. The kernel asks right before it starts a task, or grants a permit to a caller, with a clock
     * that it has just read. If the answer is false, the task stays queued until {@link LeaseControl#renewed}. If this throws, nothing
     * starts.
     *
     * <p>If the answer changes from false to true, the owner writes what it depends on, and then calls {@link LeaseControl#renewed}. The answer
     * depends on volatile fields or the like, so that a call which comes after that write sees it.
     */
    boolean mayStart(String key, long now);

    /** As {@link #leased}, of a value of a shared limit that is leased ({@link SharedMembership#leased}). Read under the monitor of its limiter. */
    default int leased(SharedKey key) {
        return 0;
    }

    /** As {@link #limit(String, int)}, of a value of a shared limit. */
    default int limit(SharedKey key, int configured) {
        return configured;
    }

    /** As {@link #mayStart(String, long)}, of the lease on the permits of a value of a shared limit. Asked for each such limit of a task. */
    default boolean mayStart(SharedKey key, long now) {
        return false;
    }

    /** Whether the calling thread is one that the owner needs to keep its leases, so that it must not run code of users. */
    default boolean isOwnerThread() {
        return false;
    }

    // ---- hints ---------------------------------------------------------------------------------------------------
    // They say that it is worth to read a group by LeaseControl.visitDemand. Hints of one group that different threads
    // give may come in any order: that a group has retired may come after a hint of one with the same key that has
    // opened since.

    /**
     * Tasks or calling threads of the group wait, or one was rejected, because too few permits are leased. Called for each that comes while that
     * is so, and when it has become so because tasks have started or a setting was changed. An owner that has lowered the number reads the demand
     * itself. This may be called while {@link LeaseControl#leasedChanged} is in progress, so an owner that got fewer permits than it wanted does not
     * ask again at once because of it.
     */
    default void wanted(String key) {}

    /**
     * As {@link #wanted}, for a task or a caller that was rejected. It is not counted in the demand of the group, and the group may retire before the
     * owner reads it.
     *
     * @param limit how many permits of the group all JVMs together may use, as it is configured
     * @param more how many permits beyond those in use would have helped; at least 1
     */
    default void rejected(String key, int limit, int more) {
        wanted(key);
    }

    /** A permit was returned while more were in use than are leased. Not called for other permits that are returned, but see {@link #unused}. */
    default void released(String key) {}

    /**
     * A permit was returned, and none is in use any more. Groups with short tasks say this again and again, so it must cost next to nothing
     * if it is no news.
     */
    default void unused(String key) {
        released(key);
    }

    /** The configured limit of an open group has changed. */
    default void limitChanged(String key) {}

    /** A group has retired: it has no task, and no permit is in use. */
    default void retired(String key) {}

    /** As {@link #wanted}, of the limit over all groups. */
    default void wantedInTotal() {}

    /** As {@link #rejected}, of the limit over all groups. */
    default void rejectedInTotal() {
        wantedInTotal();
    }

    /** As {@link #released}, of the limit over all groups. */
    default void releasedInTotal() {}

    /** A value of a shared limit has its first group. Its configured limit is known, and it has read {@link #leased(SharedKey)}. No task of the thread that created the group was admitted. */
    default void opened(SharedKey key) {}

    /** As {@link #wanted(String)}: tasks have a permit of their group, and wait for this limit, which has too few leased permits. */
    default void wanted(SharedKey key) {}

    /** As {@link #rejected(String, int, int)}, while {@link #leased(SharedKey)} is {@link #UNKNOWN}: one permit would help. */
    default void rejected(SharedKey key, int limit) {
        wanted(key);
    }

    /** As {@link #released(String)}, of a value of a shared limit. */
    default void released(SharedKey key) {}

    /** As {@link #limitChanged(String)}, of a value of a shared limit. */
    default void limitChanged(SharedKey key) {}

    /** As {@link #retired(String)}: the last group of a value of a shared limit has retired. */
    default void retired(SharedKey key) {}

    /** The executor was shut down, and no permit is in use any more. Nothing will start. May be called more than once. */
    default void terminated() {}
}
