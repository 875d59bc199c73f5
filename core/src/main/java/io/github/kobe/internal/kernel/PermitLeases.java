package io.github.kobe.internal.kernel;

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

    /**
     * Called once, when the kernel is made, and before any other method.
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
     * Whether the lease on the permits of the group is valid at {@code now}, by the clock of the kernel's timer. The kernel asks right before
     * it starts a task, or grants a permit to a caller, with a clock that it has just read. If not, the task stays queued until
     * {@link LeaseControl#renewed}. If this throws, nothing starts.
     *
     * <p>If the answer changes from false to true, the owner writes what it depends on, and then calls {@link LeaseControl#renewed}. The answer depends
     * on volatile fields or the like, so that a call which comes after that write sees it.
     */
    boolean mayStart(String key, long now);
}
