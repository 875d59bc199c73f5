package io.github.kobe.internal.kernel;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A wait for tasks by a thread that holds permits. While the thread is blocked, it lends a permit to a task that it waits for and that is
 * queued: a task of the same group starts on the permit of the group and the global one, a task of another group on the global one. Without
 * that both would wait for ever if there is no other permit. The number of permits in use does not change, and the waiting thread does not run.
 *
 * <pre>
 *   AVAILABLE  the thread is blocked and has its permits      loan is null
 *   LENT       a task runs on one of them, or is about to     loan is a Loan
 *   ENDED      the thread has its permits and lends no more   loan is ENDED
 *
 *   AVAILABLE ──▶ LENT       by a thread that finds an awaited task queued, before it claims the task
 *   LENT ──▶ AVAILABLE       by the borrower when its work is off its thread, or by the lending thread if the task did not start
 *   AVAILABLE ──▶ ENDED      by the waiting thread
 *   LENT ──▶ ENDED           by the waiting thread, with another permit in hand; the borrower releases its permit as every task does
 * </pre>
 *
 * <p><b>The end.</b> If the wait is over and the permit is still lent, the thread waits until it comes back, or until its group has another one
 * for it. If the wait has timed out or was interrupted, it does not: it takes a permit although none may be free. Then one task more than the
 * limit runs, for as long as the borrower does, and nothing else starts until that is paid off, as after a limit was lowered. The holder is a
 * debtor for so long: its later waits do not lend, so no holder has more than one such task. The permit is
 * taken before the step to ENDED, so the borrower, which releases after that step, pays it off.
 *
 * <table>
 * <caption>Races</caption>
 * <tr><th>one side</th><th>other side</th><th>so</th></tr>
 * <tr><td>the borrower sets AVAILABLE</td><td>the waiting thread sets ENDED; both from the same loan</td><td>one wins. If it is the borrower,
 *     the waiting thread puts the permit back that it took. If it is the waiting thread, the borrower releases</td></tr>
 * <tr><td>a wait registers for a task, then reads whether the task is queued</td><td>a task is linked for a retry, then reads which waits are
 *     registered for it</td><td>one of them lends</td></tr>
 * <tr><td>a lending thread sets AVAILABLE, because the task was not queued any more, then goes through the awaited tasks again</td><td>another
 *     awaited task is linked, and its thread finds LENT</td><td>the first thread finds that task</td></tr>
 * <tr><td>a wait registers for a group without a free permit, then reads the state of the group</td><td>a permit of the group is released, then
 *     the registered waits are read</td><td>one of them lends</td></tr>
 * </table>
 */
@SuppressWarnings("ReferenceEquality") // of states
public final class BlockedWait {

    /** After so many additions, or as many as there were open tasks, the completed ones are removed: a long wait may be for very many tasks. */
    private static final int PRUNE_FLOOR = 64;

    private static final Object ENDED = new Object();
    private static final VarHandle LOAN;

    static {
        try {
            LOAN = MethodHandles.lookup().findVarHandle(BlockedWait.class, "loan", Object.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Whether a task was started on the permit. */
    private enum Lent {
        STARTED,
        /** It is not queued, or this thread has no permit that it could start on. */
        NOT_POSSIBLE,
        /** It was started or withdrawn by another thread, while this wait was LENT. */
        TOO_LATE
    }

    /** A permit of the waiting thread. */
    private record Holding(KernelTask<?> holder, @Nullable PermitShare share) {
        Group group() {
            return (Group) holder.home();
        }

        Lending lending() {
            return group().dispatcher.lending();
        }
    }

    private final Thread waiter = Thread.currentThread();
    private final List<Holding> holdings;
    private final long since;

    /** Whether the completion of any awaited task ends the wait. Then a task that completes leaves the permit to the waiting thread. */
    private final boolean endsWithAny;

    private final Queue<KernelTask<?>> awaited = new ConcurrentLinkedQueue<>(); // without some that have completed
    private final AtomicInteger additionsLeft = new AtomicInteger(PRUNE_FLOOR); // until completed tasks are removed
    private final Set<Object> fullGroups = ConcurrentHashMap.newKeySet(); // groups and limits
    private volatile boolean ending;
    private volatile @Nullable Object loan;

    /** One loan. */
    private final class Loan implements PermitSource {
        private final Holding holding;
        private final Group borrower;
        private final boolean whole; // with the permit of the group; otherwise those of limits that both groups have

        Loan(Holding holding, Group borrower) {
            this.holding = holding;
            this.borrower = borrower;
            this.whole = holding.group() == borrower;
        }

        /** How many permits are lent. */
        private int cost() {
            return holding.holder.cost();
        }

        /** If the wait has ended, the permit is the borrower's, and is released as every task releases it. */
        @Override
        public void giveBack(KernelTask<?> task, long start, long now, boolean completes) {
            boolean decided = task.isDecided();
            if (!LOAN.compareAndSet(BlockedWait.this, this, null)) {
                borrower.release(cost(), start, now);
                holding.lending().removeDebtor(holding.holder);
                return;
            }
            if (!whole) {
                borrower.dispatcher.scheduler().releaseGroupPermit(borrower, holding.group(), cost(), start, now);
            }
            returned(completes && !decided);
        }

        /** No task has started on the permit. */
        void takeBack() {
            if (!LOAN.compareAndSet(BlockedWait.this, this, null)) {
                undoTakeByForce(); // the waiting thread has another permit
            } else if (ending) {
                LockSupport.unpark(waiter);
            }
        }

        boolean isOut() {
            return loan == this;
        }

        void takeByForce() {
            if (whole) {
                holding.group().takeByForce(cost());
            } else {
                borrower.dispatcher.scheduler().replaceByForce(holding.group(), borrower, cost());
            }
        }

        void undoTakeByForce() {
            Group group = holding.group();
            long now = group.now();
            if (whole) {
                group.release(cost(), now, now);
            } else {
                group.dispatcher.scheduler().undoReplace(group, borrower, cost(), now);
            }
        }
    }

    /** A request for a permit in place of the one that is lent, ahead of all queued tasks of the group. */
    private static final class Replacement extends PermitRequest {
        private final AttemptState first;
        private final Thread waiter = Thread.currentThread();

        Replacement(int cost) {
            first = new AttemptState(new AttemptLimits(
                    Integer.MAX_VALUE, AttemptLimits.NONE, AttemptLimits.NONE, AttemptLimits.NONE, false, false, cost));
        }

        @Override
        protected AttemptState attempts() {
            return first;
        }

        @Override
        protected void onPublished(Object published) {
            LockSupport.unpark(waiter);
        }

        /** The caller stops waiting for it. False if it was granted at the same moment. */
        boolean isWithdrawnNow() {
            return !isBound()
                    || cancel(false, "the wait is over")
                    || completion().join() != Result.GRANTED;
        }

        /** It is not needed any more. */
        void drop() {
            if (!isWithdrawnNow()) {
                releasePermit();
            }
        }
    }

    private BlockedWait(List<Holding> holdings, boolean endsWithAny) {
        this.holdings = holdings;
        this.endsWithAny = endsWithAny;
        this.since = holdings.getFirst().group().now();
    }

    /**
     * The calling thread is about to wait for tasks. It has to call {@link #end} when it has waited.
     *
     * @param endsWithAny whether the completion of any awaited task ends the wait
     * @return {@code null} if it holds no permit
     */
    public static @Nullable BlockedWait begin(boolean endsWithAny) {
        List<KernelTask<?>> held = HeldPermits.all();
        return held.isEmpty() ? null : begin(held, endsWithAny);
    }

    /** As {@link #begin(boolean)}, for one task, which has not completed. */
    public static @Nullable BlockedWait begin(KernelTask<?> task) {
        BlockedWait wait = task.group() == null ? null : begin(true);
        if (wait != null) {
            wait.add(task);
        }
        return wait;
    }

    /**
     * Takes the next element of {@code completed}, to which tasks are added when they complete. Meanwhile the calling thread lends its permits to
     * those that are queued.
     *
     * @param addAwaited adds the tasks to the wait; not called if the thread holds no permit
     */
    public static <E> E take(BlockingQueue<E> completed, Consumer<BlockedWait> addAwaited) throws InterruptedException {
        BlockedWait wait = begin(true);
        if (wait == null) {
            return completed.take();
        }
        boolean taken = false;
        try {
            addAwaited.accept(wait);
            E next = completed.take();
            taken = true;
            return next;
        } finally {
            wait.end(taken ? Long.MAX_VALUE : 0);
        }
    }

    /** For a thread that holds permits as {@code holders}. Another thread may release a request, so the wait shares its permit. */
    public static @Nullable BlockedWait begin(List<KernelTask<?>> holders, boolean endsWithAny) {
        List<Holding> holdings = new ArrayList<>(holders.size());
        for (KernelTask<?> holder : holders) {
            PermitShare share = holder instanceof PermitRequest ? PermitShare.join(holder) : null;
            if (share != null || !(holder instanceof PermitRequest)) {
                holdings.add(new Holding(holder, share));
            }
        }
        if (holdings.isEmpty()) {
            return null;
        }
        BlockedWait wait = new BlockedWait(holdings, endsWithAny);
        holdings.forEach(holding -> holding.group().dispatcher.lending().addWait(wait));
        return wait;
    }

    /** Whether {@code source} is a permit that a task of {@code home} has lent now, with the permit of {@code home}. */
    static boolean isLentByTaskOf(TaskHome home, PermitSource source) {
        return source instanceof Loan lent
                && lent.whole
                && lent.holding.group() == home
                && !(lent.holding.holder instanceof PermitRequest)
                && lent.isOut();
    }

    /** It waits for {@code task} too. Called by any thread. Without effect after the end, which one of the two sees. */
    public void add(KernelTask<?> task) {
        Group group = task.group();
        if (group != null && mayBeQueuedAgain(task, group)) {
            group.dispatcher
                    .lending()
                    .addOffer(task, this); // first: a thread that finds the task below removes the offer
        }
        awaited.add(task);
        if (ending) {
            removeOffer(task);
        }
        if (additionsLeft.decrementAndGet() == 0) {
            removeCompleted();
        }
        if (lendTo(task) == Lent.TOO_LATE) {
            lend();
        }
    }

    private void removeCompleted() {
        int[] open = new int[1];
        awaited.removeIf(task -> {
            if (!task.isCompleted()) {
                open[0]++;
                return false;
            }
            removeOffer(task);
            return true;
        });
        additionsLeft.set(Math.max(PRUNE_FLOOR, open[0]));
    }

    private void removeOffer(KernelTask<?> task) {
        Group group = task.group();
        if (group != null && mayBeQueuedAgain(task, group)) {
            group.dispatcher.lending().removeOffer(task, this);
        }
    }

    /** For a retry; or because its thread has found the lease of the group invalid. */
    private static boolean mayBeQueuedAgain(KernelTask<?> task, Group group) {
        return task.attempts() != null || group.isLeased();
    }

    // ---- lending -------------------------------------------------------------------------------------------------

    /** Lends a permit, if it has one left, to the first awaited task that can start on it. Forgets completed ones on the way. */
    void lend() {
        boolean again;
        do {
            again = false;
            for (Iterator<KernelTask<?>> tasks = awaited.iterator(); tasks.hasNext() && loan == null; ) {
                KernelTask<?> task = tasks.next();
                if (task.isCompleted()) {
                    tasks.remove();
                    removeOffer(task);
                    continue;
                }
                Lent lent = lendTo(task);
                if (lent == Lent.STARTED) {
                    return;
                }
                again |= lent == Lent.TOO_LATE;
            }
        } while (again);
    }

    private Lent lendTo(KernelTask<?> task) {
        Group group = task.group();
        if (group == null || task.isWithdrawn() || ending) {
            return Lent.NOT_POSSIBLE;
        }
        Holding holding = holdingFor(group, task.cost());
        if (holding == null || holding.lending().isDebtor(holding.holder)) {
            return Lent.NOT_POSSIBLE; // a debtor lends when its earlier loan is paid off
        }
        boolean whole = holding.group() == group;
        if (!whole && !hasFreePermits(group, holding.group(), task.cost())) {
            return Lent.NOT_POSSIBLE;
        }
        if (!group.mayStart()) {
            return Lent.NOT_POSSIBLE; // this wait is registered: a renewal from now on finds it
        }
        Loan next = new Loan(holding, group);
        if (!LOAN.compareAndSet(this, null, next)) {
            return Lent.NOT_POSSIBLE; // the thread that gives the permit back goes through the awaited tasks
        }
        if (group.startBorrowed(task, next, holding.group())) {
            return Lent.STARTED;
        }
        next.takeBack();
        return Lent.TOO_LATE;
    }

    /**
     * A permit of the same group if there is one, else the one that has the most shared limits in common. For a task that costs less, only a permit of the same group will do: otherwise
     * the borrower would have a different number of permits of each limit.
     */
    private @Nullable Holding holdingFor(Group group, int cost) {
        Holding best = null;
        int most = -1;
        for (Holding holding : holdings) {
            Group own = holding.group();
            if (own == group && cost <= holding.holder.cost()) {
                return holding;
            }
            if (own != group
                    && own.dispatcher == group.dispatcher
                    && own.isGloballyLimited()
                    && group.isGloballyLimited()
                    && cost == holding.holder.cost()) {
                int common = group.sharedLimitsInCommon(own);
                if (common > most) {
                    best = holding;
                    most = common;
                }
            }
        }
        return best;
    }

    /** Whether the group has permits, and those of its limits that {@code lender} does not have. If not, the wait is told when that which has none may have. */
    private boolean hasFreePermits(Group group, Group lender, int cost) {
        Object full = group.fullFor(lender, cost);
        if (full == null) {
            return true;
        }
        fullGroups.add(full);
        group.dispatcher.lending().addFullGroup(full, this);
        if (ending) {
            group.dispatcher.lending().removeFullGroup(full, this);
        }
        return group.fullFor(lender, cost) == null;
    }

    /** @param endsWait whether the wait ends next, if it ends with any task */
    private void returned(boolean endsWait) {
        if (ending) {
            LockSupport.unpark(waiter);
        } else if (!(endsWithAny && endsWait)) {
            lend();
        }
    }

    // ---- the end -------------------------------------------------------------------------------------------------

    /**
     * The wait is over. When this returns, the thread has its permits.
     *
     * @param nanos for how long the thread may wait until it has a permit; 0 if the wait timed out or was interrupted. An interrupt ends that
     *     wait too, and stays set
     */
    public void end(long nanos) {
        unregister();
        boolean ended = loan == ENDED || LOAN.compareAndSet(this, null, ENDED);
        if (!ended && !(nanos > 0 && awaitPermit(nanos))) {
            takeByForce();
        }
        leaveShares();
    }

    /**
     * The calling thread has waited for {@code request}, which was granted. If it was granted on a permit of the thread, they share that permit
     * from now on.
     */
    void endGranted(PermitRequest request) {
        Object out = loan;
        Lending lending = request.home().dispatcher.lending();
        if (out instanceof Loan lent && lending.sourceOf(request) == out) {
            PermitShare share =
                    lent.holding.share == null ? PermitShare.join(lent.holding.holder) : lent.holding.share.again();
            if (share != null) { // a task is not released while its thread waits, and a request is shared by this wait
                lending.setSource(request, lent.whole ? share : share.globalOnly());
                loan = ENDED;
            }
        }
        end(Long.MAX_VALUE);
    }

    private void unregister() {
        ending = true;
        holdings.forEach(holding -> holding.group().dispatcher.lending().removeWait(this));
        awaited.forEach(this::removeOffer);
        for (Object full : fullGroups) {
            holdings.forEach(holding -> holding.lending().removeFullGroup(full, this));
        }
    }

    private void leaveShares() {
        for (Holding holding : holdings) {
            if (holding.share != null) {
                holding.share.leave(0, false);
            }
        }
    }

    /** Waits until the lent permit is back, or its group has another one. False if there was none in time. */
    private boolean awaitPermit(long nanos) {
        long deadline = System.nanoTime() + Math.min(nanos, Long.MAX_VALUE >> 1);
        Group group = loan instanceof Loan lent && lent.whole ? lent.holding.group() : null;
        Replacement other = new Replacement(loan instanceof Loan lent ? lent.cost() : 1);
        if (group != null) {
            group.admitAgain(other);
        }
        for (; ; ) {
            if (LOAN.compareAndSet(this, null, ENDED)) {
                other.drop();
                return true;
            }
            if (other.isGranted() && tryReplace(group)) {
                return true;
            }
            long left = deadline - System.nanoTime();
            if (left <= 0 || Thread.currentThread().isInterrupted()) {
                boolean replaced = !other.isWithdrawnNow() && tryReplace(group);
                if (!replaced) {
                    other.drop();
                }
                return replaced;
            }
            LockSupport.parkNanos(this, left);
        }
    }

    /** With another permit of {@code group}: the borrower keeps the lent one. */
    private boolean tryReplace(@Nullable Group group) {
        return loan instanceof Loan lent
                && lent.whole
                && lent.holding.group() == group
                && LOAN.compareAndSet(this, lent, ENDED);
    }

    private void takeByForce() {
        while (loan != ENDED) {
            if (LOAN.compareAndSet(this, null, ENDED)) {
                return;
            }
            if (loan instanceof Loan lent) {
                Holding holding = lent.holding;
                holding.lending().addDebtor(holding.holder); // first: the borrower pays off after the step to ENDED
                lent.takeByForce();
                if (LOAN.compareAndSet(this, lent, ENDED)) {
                    return;
                }
                lent.undoTakeByForce();
                holding.lending().removeDebtor(holding.holder);
            }
        }
    }

    /**
     * Whether a permit is lent now.
     *
     * @param ofGroup whether the permit of the group must be lent too, not the global one alone
     */
    boolean hasLent(boolean ofGroup) {
        return loan instanceof Loan lent && (lent.whole || !ofGroup);
    }

    /** The group of the task that permits are lent to now; {@code null} if none are. */
    @Nullable
    Group lentTo() {
        return loan instanceof Loan lent ? lent.borrower : null;
    }

    // ---- for the detector ----------------------------------------------------------------------------------------

    /** Whether it has begun before {@code time}, and its permits are not lent. */
    boolean isBlockedSince(long time) {
        return since - time <= 0 && loan == null;
    }

    /** What the waiting thread holds permits as. */
    List<KernelTask<?>> holders() {
        List<KernelTask<?>> holders = new ArrayList<>();
        holdings.forEach(holding -> holders.add(holding.holder));
        return holders;
    }

    Set<Group> groups() {
        Set<Group> groups = new HashSet<>();
        holdings.forEach(holding -> groups.add(holding.group()));
        return groups;
    }

    /** How many permits the thread holds of each group, and of each limit over several groups. What it shares is counted once. */
    Map<Object, Integer> permits() {
        Map<Object, Integer> permits = new HashMap<>();
        for (Holding holding : holdings) {
            Group group = holding.group();
            int cost = holding.holder.cost();
            permits.merge(group, cost, Math::max);
            group.limitsOverGroups().forEach(limit -> permits.merge(limit, cost, Math::max));
        }
        return permits;
    }

    List<KernelTask<?>> awaited() {
        return new ArrayList<>(awaited);
    }

    /** Such as "task 'a' of group 'x' waits for task 'b' of group 'y'". */
    @Override
    public String toString() {
        KernelTask<?> first = awaited.peek();
        int others = awaited.size() - 1;
        return holdings.getFirst().holder + " waits for " + (first == null ? "no task" : first)
                + (others > 0 ? " and " + others + " more" : "");
    }
}
