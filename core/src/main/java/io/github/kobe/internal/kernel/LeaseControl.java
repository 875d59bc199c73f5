package io.github.kobe.internal.kernel;

import io.github.kobe.internal.util.Faults;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Everything that happens only if limits are leased: the kernel's side of {@link PermitLeases}. A dispatcher without leases has none, and does
 * not pay more than the check for that.
 *
 * <p>The public methods are for the owner of the leases. They are safe for use by several threads.
 *
 * <p><b>No wake-up is lost.</b> A thread that finds a lease invalid sets {@link #doubtful}, and looks again. If it finds it invalid again, it
 * first shows what it leaves behind, a queued task and a free permit, and then looks once more. The owner writes the new lease, clears
 * {@code doubtful}, and goes through the groups. So the thread sees the new lease, or the owner sees {@code doubtful}, the task and the permit.
 */
public final class LeaseControl {

    private static final String SOURCE = "lease owner"; // in reports
    private static final String TOTAL = "the limit over all groups"; // likewise

    private final PermitLeases leases;
    private final Faults faults;
    private final long maxFirstAnswerNanos;

    /** What the owner threw under a monitor, where it must not be reported. */
    private final AtomicReference<@Nullable Unreported> unreported = new AtomicReference<>();

    /** Whether a lease was found invalid, or has ended, since the owner went through the groups. */
    private volatile boolean doubtful;

    /**
     * Threads that wait for a first answer, or are about to. There is no lock: first in its queue could be a virtual thread that has no carrier, and the owner would have
     * to wait for that.
     */
    private final Set<Thread> awaiting = ConcurrentHashMap.newKeySet();

    private volatile boolean totalUnknown; // whether no answer for the limit over all groups was applied

    private @Nullable Dispatcher attached; // written once, before the owner knows of this object

    private record Unreported(Object subject, Throwable fault) {}

    /**
     * For one dispatcher.
     *
     * @param faults where faults of the owner are reported
     */
    public LeaseControl(PermitLeases leases, Faults faults) {
        this.leases = leases;
        this.faults = faults;
        this.maxFirstAnswerNanos = leases.maxFirstAnswerNanos();
    }

    /** For the last step of the constructor of {@code dispatcher}. */
    void attach(Dispatcher dispatcher) {
        attached = dispatcher;
        totalUnknown = leasedInTotal() == PermitLeases.UNKNOWN;
        leases.attached(this);
    }

    private Dispatcher dispatcher() {
        return Objects.requireNonNull(attached, "not attached");
    }

    // ---- for the owner -------------------------------------------------------------------------------------------

    /**
     * Has the group read {@link PermitLeases#leased} again. If there are more permits, queued tasks start. If there are fewer, nothing starts until
     * so many are free; running tasks are not disturbed. If the group is not open, it reads the number when it opens.
     *
     * @return how many permits of the group are in use, read after the change. From then on no more are in use than these and no more than are
     *     leased, whichever is higher, until the owner raises the number. So an owner that gives permits back writes the lower number, calls this,
     *     and keeps the higher one of the two. 0 if the group is not open
     */
    public int leasedChanged(String key) {
        Group group = dispatcher().groupInUse(key);
        int inUse = group == null ? 0 : group.leasedChanged();
        wakeAwaiting();
        return inUse;
    }

    /**
     * As {@link #leasedChanged}, of the limit over all groups: reads {@link PermitLeases#leasedInTotal} again. If there was no such limit before, all
     * groups are under it when this returns.
     *
     * @return how many permits are in use in all groups together, as of {@link #leasedChanged}; 0 if there is no such limit
     */
    public int totalLeasedChanged() {
        int inUse = dispatcher().totalLeasedChanged();
        totalUnknown = leasedInTotal() == PermitLeases.UNKNOWN;
        wakeAwaiting();
        return inUse;
    }

    /** As {@link #leasedChanged(String)}, of a value of a shared limit: reads {@link PermitLeases#leased(SharedKey)} again. */
    public int leasedChanged(SharedKey key) {
        Limit limit = dispatcher().sharedLimitInUse(key);
        int inUse = limit == null ? 0 : dispatcher().sharedLeasedChanged(limit);
        wakeAwaiting();
        return inUse;
    }

    /**
     * A lease is valid for longer than before, or again: starts the tasks that are queued because it was not. If no lease was found invalid since the
     * last call, this reads one field. So the owner may call it after each renewal.
     */
    public void renewed() {
        if (!doubtful) {
            return;
        }
        doubtful = false;
        Dispatcher kernel = dispatcher();
        kernel.groupsInUse().forEach(Group::leaseRenewed);
        Lending lending = kernel.lendingOrNull();
        if (lending != null) {
            lending.lendAgain();
        }
    }

    /** A lease has ended. Without this call, the next task of each group gets a thread, which finds that out and has the task queued. */
    public void lapsed() {
        doubtful = true;
    }

    /**
     * Cancels the tasks of the group that are on a thread now, and interrupts them. For an owner whose lease was lost, and whose permits another JVM
     * may get. Each keeps its permit until its code returns. Queued tasks and those that await a retry stay, and permits of calling threads are not
     * affected. A task that has a permit and no thread yet is missed; a second call finds it.
     *
     * @param reason the reason in the results of the tasks
     * @return how many tasks this call has cancelled
     */
    public int cancelRunning(String key, String reason) {
        Group group = dispatcher().groupInUse(key);
        return group == null ? 0 : group.cancelRunning(reason);
    }

    /** As {@link #cancelRunning(String, String)}, of all groups that belong to a value of a shared limit. */
    public int cancelRunning(SharedKey key, String reason) {
        Limit limit = dispatcher().sharedLimitInUse(key);
        return limit == null
                ? 0
                : limit.members().stream()
                        .mapToInt(group -> group.cancelRunning(reason))
                        .sum();
    }

    /** As {@link #cancelRunning(String, String)}, of all groups: for the lease on the limit over all groups. */
    public int cancelRunningOfAllGroups(String reason) {
        return dispatcher().groupsInUse().stream()
                .mapToInt(group -> group.cancelRunning(reason))
                .sum();
    }

    /** How many permits of the limit over all groups are in use here; 0 if there is no such limit. */
    public int totalInUse() {
        return dispatcher().scheduler().inUse();
    }

    /** Is passed the demand of a group. */
    @FunctionalInterface
    public interface DemandVisitor {
        /**
         * Visits one group.
         *
         * @param limit how many permits of the group all JVMs together may use, as it is configured
         * @param used how many are in use here
         * @param wanted how many would be of use here now: those in use, and one for each task, calling thread or blocked submitter that waits
         *     for one, or that has one and waits for the limit over all groups; at most as many as may be used in this JVM
         */
        void visit(String key, int limit, int used, int wanted);

        /** Called before {@link #visit}, if the next task waits for permits of this limit and costs several, so that fewer are of no use. */
        default void firstCost(int cost) {}
    }

    /**
     * Reads the demand of a group. What is in use may have changed when the visitor sees it; to give permits back, use {@link #leasedChanged}.
     *
     * @return false if the group is not open
     */
    public boolean visitDemand(String key, DemandVisitor visitor) {
        Group group = dispatcher().groupInUse(key);
        if (group == null) {
            return false;
        }
        visit(group, visitor);
        return true;
    }

    /**
     * As {@link #visitDemand(String, DemandVisitor)}, of a value of a shared limit. The permits in use would be of use, and one for each
     * task that has a permit of its group and waits for this limit, or for one that comes after it. The order of limits: those of this JVM,
     * then those that are leased, by their names, and at last the limit over all groups. So two JVMs that need the same limits do not each
     * hold what the other one needs.
     */
    public boolean visitDemand(SharedKey key, DemandVisitor visitor) {
        Limit limit = dispatcher().sharedLimitInUse(key);
        if (limit == null || !limit.isLeased()) {
            return false;
        }
        int used = limit.limiter.inUse();
        tellFirstCost(dispatcher().scheduler().savedFor(limit), visitor);
        visitor.visit(key.toString(), limit.configured(), used, used + queuedFor(limit));
        return true;
    }

    private static void tellFirstCost(int cost, DemandVisitor visitor) {
        if (cost > 1) {
            visitor.firstCost(cost);
        }
    }

    /** What the next task costs that the limit over all groups saves permits for; 1 if there is none. */
    public int totalFirstCost() {
        return dispatcher().scheduler().savedForInTotal();
    }

    private int queuedFor(Limit limit) {
        if (limit.limit() == 0) {
            return 0; // paused here
        }
        Dispatcher kernel = dispatcher();
        boolean totalLeased = kernel.globalLeased() != GroupLimits.NOT_LEASED;
        Map<Limit, Integer> room = new HashMap<>(); // of other limits, less what groups before would use
        long queued = 0;
        for (Group group : limit.members()) {
            queued += group.queuedFor(limit, totalLeased, room);
        }
        return (int) Math.min(queued, limit.limit());
    }

    /** How many tasks the group has admitted since it was opened; 0 if it is not open. */
    public long admitted(String key) {
        Group group = dispatcher().groupInUse(key);
        return group == null ? 0 : group.admittedCount();
    }

    /**
     * How many permits of the limit over all groups would be of use here now: those in use, and one for each task and calling thread that waits for
     * nothing else; at most as many as may be used in this JVM. Reads each open group. 0 if there is no such limit.
     */
    public int totalWanted() {
        Dispatcher kernel = dispatcher();
        if (kernel.globalLeased() == GroupLimits.NOT_LEASED) {
            return 0;
        }
        long wanted = totalInUse();
        for (Group group : kernel.groupsInUse()) {
            wanted += group.queuedForGlobalLimit();
        }
        return (int) Math.min(wanted, kernel.globalLimit());
    }

    private void visit(Group group, DemandVisitor visitor) {
        int blocked = dispatcher().blockedSubmitters(group.key()); // takes another lock
        int limit;
        int used;
        int wanted;
        tellFirstCost(group.missingCost(), visitor);
        synchronized (group) { // there the limits belong to the state
            limit = group.limits().concurrency();
            used = group.active();
            wanted = used + group.missingPermits(blocked) + group.queuedForGlobalLimit();
        }
        visitor.visit(group.key(), limit, used, wanted);
    }

    // ---- the first answer ----------------------------------------------------------------------------------------

    /** Whether the owner has not answered yet for {@code key}, for a shared limit of it, or for the limit over all groups. */
    public boolean awaitsFirstAnswer(String key) {
        if (totalUnknown) {
            return true;
        }
        Group group = dispatcher().groupInUse(key);
        return group == null
                ? leased(key) == PermitLeases.UNKNOWN // what it would apply
                : group.leased() == PermitLeases.UNKNOWN || group.hasUnknownSharedLimit();
    }

    /**
     * Whether a task that was just rejected for {@code why} is worth another try after {@link #awaitFirstAnswer}: there is no answer yet, or one has
     * come since.
     */
    public boolean isWorthAnotherTry(String key, Admission why) {
        if (!SubmitterQueue.isQueueFull(why)) {
            return false;
        }
        if (awaitsFirstAnswer(key)) {
            return true;
        }
        Group group = dispatcher().groupInUse(key);
        return why == Admission.GLOBAL_QUEUE_FULL
                ? dispatcher().scheduler().hasFreePermits()
                : group == null ? leased(key) > 0 : group.hasFreePermits();
    }

    /**
     * Waits for the first answer of the owner for {@code key}, in place of a rejection: the owner may just not have had the time to ask. If there
     * is an answer, the tasks that it has permits for have started when this returns.
     *
     * @param nanos how long it waits at most; never longer than {@link PermitLeases#maxFirstAnswerNanos}
     * @return whether there is an answer, or the dispatcher was closed; if not, the time is over
     */
    public boolean awaitFirstAnswer(String key, long nanos) throws InterruptedException {
        long end = System.nanoTime() + Math.min(nanos, maxFirstAnswerNanos);
        awaiting.add(Thread.currentThread()); // first: an answer that is given after the look below sees it
        try {
            for (long left = end - System.nanoTime();
                    left > 0 && awaitsFirstAnswer(key) && !dispatcher().isClosed();
                    left = end - System.nanoTime()) {
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
                LockSupport.parkNanos(this, left);
            }
        } finally {
            awaiting.remove(Thread.currentThread());
        }
        if (awaitsFirstAnswer(key) && !dispatcher().isClosed()) {
            return false;
        }
        Group group = dispatcher().groupInUse(key);
        if (group != null) {
            group.leaseRenewed(); // the thread that brought the answer may not have started the tasks yet
        }
        return true;
    }

    /** There is an answer, or the dispatcher was closed. */
    void wakeAwaiting() {
        if (!awaiting.isEmpty()) {
            awaiting.forEach(LockSupport::unpark);
        }
    }

    /** See {@link PermitLeases#isOwnerThread}. */
    public boolean isOwnerThread() {
        return leases.isOwnerThread();
    }

    // ---- for the kernel ------------------------------------------------------------------------------------------

    /**
     * Whether a task of the group may start now. If not, the caller has to show the task and the permit that it leaves behind, and to ask again after
     * that.
     *
     * @param now the time, which the caller has just read
     */
    boolean mayStart(Group group, long now) {
        if (isValid(group, now)) {
            return true;
        }
        doubtful = true; // a renewal that does not see this has written the lease before
        return isValid(group, now);
    }

    /** Whether a lease may be invalid, so that it is worth to check it before a task gets a thread. For a task whose thread checks it anyway. */
    boolean isDoubtful() {
        return doubtful;
    }

    /** Each lease that the start of a task needs. */
    private boolean isValid(Group group, long now) {
        try {
            if (!leases.mayStart(group.key(), now)) {
                return false;
            }
            GroupShares shares = group.shares();
            if (shares != null) {
                for (SharedKey key : shares.leasedKeys()) {
                    if (!leases.mayStart(key, now)) {
                        return false;
                    }
                }
            }
            return true;
        } catch (Throwable fault) {
            faults.report(SOURCE, Faults.group(group.key()), fault);
            return false;
        }
    }

    /** The group is registered. Its leased limits have joined it. */
    void openedShared(GroupShares shares) {
        for (SharedKey key : shares.leasedKeys()) {
            hint(key, leases::opened);
        }
    }

    /** Its last group has left. */
    void retired(SharedKey key) {
        hint(key, leases::retired);
    }

    void limitChanged(Limit limit) {
        if (limit.isLeased()) {
            hint(Objects.requireNonNull(limit.key()), leases::limitChanged);
            limit.wantIfShort();
        }
    }

    /** A group waits for the limit, which has too few leased permits. */
    void want(Limit limit) {
        hint(Objects.requireNonNull(limit.key()), leases::wanted);
    }

    void released(SharedKey key) {
        hint(key, leases::released);
    }

    // What the owner throws is reported, and changes nothing else.

    private void hint(Group group, Consumer<String> hint) {
        try {
            hint.accept(group.key());
        } catch (Throwable fault) {
            faults.report(SOURCE, Faults.group(group.key()), fault);
        }
    }

    private void hint(SharedKey key, Consumer<SharedKey> hint) {
        try {
            hint.accept(key);
        } catch (Throwable fault) {
            faults.report(SOURCE, key, fault);
        }
    }

    private void hint(Runnable hint) {
        try {
            hint.run();
        } catch (Throwable fault) {
            faults.report(SOURCE, TOTAL, fault);
        }
    }

    /** The dispatcher was closed, and its last group has retired. */
    void terminated() {
        hint(leases::terminated);
    }

    void limitChanged(Group group) {
        hint(group, leases::limitChanged);
    }

    void retired(Group group) {
        hint(group, leases::retired);
    }

    /** Tasks are queued, or a limit has changed. The tasks are counted, so an owner that lowers the leased permits after this looks finds them. */
    void wantIfShort(Group group) {
        want(group, group.missingPermits(0));
        wantInTotalIfShort(group);
    }

    /** Tasks of the group may have a permit of it, and wait for one of a shared limit or of the limit over all groups. */
    void wantInTotalIfShort(Group group) {
        GroupShares shares = group.shares();
        if (shares != null) {
            shares.wantIfShort(group);
        }
        if (group.queuedForGlobalLimit() > 0 && dispatcher().scheduler().lacksLeased()) {
            wantInTotal();
        }
    }

    /** A task was not admitted. */
    void rejected(Group group, Admission why) {
        int more = why == Admission.GROUP_QUEUE_FULL ? group.missingPermits(1) : 0;
        boolean inTotal =
                why == Admission.GLOBAL_QUEUE_FULL && dispatcher().scheduler().lacksLeased();
        hint(group, key -> {
            if (why == Admission.GROUP_QUEUE_FULL && group.shares() != null) {
                rejectedShared(Objects.requireNonNull(group.shares()));
            }
            if (more > 0) {
                leases.rejected(key, group.limits().concurrency(), more);
            } else if (inTotal) {
                leases.rejectedInTotal();
            }
        });
    }

    /** The caller waits for the first answer, also for these limits, so the owner has to ask. */
    private void rejectedShared(GroupShares shares) {
        for (GroupShares.Share share : shares.all()) {
            if (share.limit.isUnknown()) {
                leases.rejected(Objects.requireNonNull(share.limit.key()), share.limit.configured());
            }
        }
    }

    void wantInTotal() {
        hint(leases::wantedInTotal);
    }

    void releasedInTotal() {
        hint(() -> {
            if (leases.leasedInTotal() != GroupLimits.NOT_LEASED) {
                leases.releasedInTotal();
            }
        });
    }

    /** The caller calls {@link #reportFault} when it has left the monitor of the limiter. */
    int leasedInTotal() {
        try {
            return leases.leasedInTotal();
        } catch (Throwable fault) {
            unreported.set(new Unreported(TOTAL, fault));
            return 0;
        }
    }

    int totalLimit() {
        try {
            return leases.totalLimit();
        } catch (Throwable fault) {
            faults.report(SOURCE, TOTAL, fault);
            return GroupLimits.NOT_LEASED;
        }
    }

    private void want(Group group, int more) {
        if (more > 0) {
            hint(group, leases::wanted);
        }
    }

    /** @param before the state of the group before a permit was returned */
    void released(Group group, long before) {
        boolean over = GroupState.freePermits(before) < 0;
        if (over) {
            hint(group, leases::released);
        } else if (group.isIdleAfterRelease(before)) {
            hint(group, leases::unused);
        }
        wantInTotalIfShort(group);
    }

    /** Under the monitor of the group. The caller calls {@link #reportFault} when it has left the monitor. */
    int leased(String key) {
        try {
            return Math.max(PermitLeases.UNKNOWN, leases.leased(key));
        } catch (Throwable fault) {
            unreported.set(new Unreported(Faults.group(key), fault));
            return 0;
        }
    }

    /** As {@link #leased}: the limit of the group that is in force. */
    int limitInForce(String key, int configured) {
        try {
            return Math.max(1, leases.limit(key, configured));
        } catch (Throwable fault) {
            unreported.set(new Unreported(Faults.group(key), fault));
            return configured;
        }
    }

    /** As {@link #leased(String)}, under the monitor of the limiter. */
    int leased(SharedKey key) {
        try {
            return Math.max(PermitLeases.UNKNOWN, leases.leased(key));
        } catch (Throwable fault) {
            unreported.set(new Unreported(key, fault));
            return 0;
        }
    }

    /** As {@link #limitInForce(String, int)}, under the monitor of the limiter. */
    int limitInForce(SharedKey key, int configured) {
        try {
            return Math.max(1, leases.limit(key, configured));
        } catch (Throwable fault) {
            unreported.set(new Unreported(key, fault));
            return configured;
        }
    }

    /** Reports what {@link #leased}, {@link #limitInForce} or {@link #leasedInTotal} has caught. */
    void reportFault() {
        Unreported caught = unreported.get() == null ? null : unreported.getAndSet(null);
        if (caught != null) {
            faults.report(SOURCE, caught.subject, caught.fault);
        }
    }
}
