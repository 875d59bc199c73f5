package io.github.kobe.internal.kernel;

import io.github.kobe.internal.kernel.SimulatedTask.Phase;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** The reference model of the simulation. It is independent of the kernel and compared with it after every step. */
final class ReferenceModel {

    final List<SimulatedTask> tasks = new ArrayList<>();
    final Map<String, Integer> limits = new HashMap<>();
    final Map<String, Integer> highestLimitThisStep = new HashMap<>();
    final Map<SharedKey, Integer> sharedLimits = new LinkedHashMap<>();
    private final Map<SharedKey, Integer> highestSharedLimitThisStep = new HashMap<>();
    final Map<String, List<SharedKey>> sharedByKey = new HashMap<>();
    private final Map<String, Map<String, Integer>> overtakenBy = new HashMap<>();

    private @Nullable AssertionError firstViolation;
    int globalLimit;
    int highestGlobalLimitThisStep;
    int maxOvertakes = 1;
    int extraPermits;
    int globalThreshold;

    /** {@code null} if no limit is leased. */
    @Nullable
    SimulatedLeases leases;

    private final Set<String> invalidThisStep = new HashSet<>();
    int maxGroups = Integer.MAX_VALUE;
    boolean stopped;
    boolean interleaves;
    boolean hasCosts;
    BooleanSupplier operationsInProgress = () -> false;
    long now;
    private int sequence;

    /** The next sequence number; a smaller number means earlier. */
    int tick() {
        return sequence++;
    }

    void beginStep() {
        highestLimitThisStep.clear();
        highestLimitThisStep.putAll(limits);
        highestGlobalLimitThisStep = globalLimit;
        highestSharedLimitThisStep.clear();
        highestSharedLimitThisStep.putAll(sharedLimits);
        invalidThisStep.clear();
        limits.keySet().stream().filter(key -> !isLeaseValid(key)).forEach(invalidThisStep::add);
    }

    /** The lease of {@code key} is valid again, so tasks may start from now on. */
    void renewed(String key) {
        invalidThisStep.remove(key);
    }

    /** As {@link #renewed(String)}, of a shared limit. */
    void renewed(SharedKey shared) {
        invalidThisStep.removeIf(key -> sharedBy(key).contains(shared));
    }

    /** {@code task} begins, or a thread has checked the lease for it. */
    void checkLease(SimulatedTask task) {
        check(
                interleaves ? !invalidThisStep.contains(task.key) : isLeaseValid(task.key),
                "valid lease: " + task + " started without one");
    }

    private boolean isLeaseValid(String key) {
        return leases == null
                || (leases.isValid(key)
                        && sharedBy(key).stream()
                                .filter(leases::isLeased)
                                .allMatch(shared -> leases.isValid(SimulatedLeases.nameOf(shared))));
    }

    /** A bound on a shared limit that is leased. */
    int leased(SharedKey key, int limit) {
        return leases == null || !leases.isLeased(key)
                ? limit
                : Math.min(limit, leases.held(SimulatedLeases.nameOf(key)));
    }

    /** A bound on the limit of a group, or of all groups, that is leased. */
    int leased(String key, int limit) {
        return leases == null || (key.equals(SimulatedLeases.TOTAL) && !leases.hasTotal())
                ? limit
                : Math.min(limit, leases.held(key));
    }

    /**
     * A wait ends while its permit is lent, and takes another one. An operation in progress may have a permit in hand for a task that it starts
     * afterwards.
     */
    void takenByForce(String key) {
        if (operationsInProgress.getAsBoolean()) {
            highestLimitThisStep.merge(key, 1, Integer::sum);
            highestGlobalLimitThisStep += highestGlobalLimitThisStep == Integer.MAX_VALUE ? 0 : 1;
            sharedBy(key).forEach(shared -> highestSharedLimitThisStep.merge(shared, 1, Integer::sum));
        }
    }

    void limit(String key, int limit) {
        limits.put(key, limit);
        highestLimitThisStep.merge(key, limit, Math::max);
    }

    void globalLimit(int limit) {
        globalLimit = limit;
        highestGlobalLimitThisStep = Math.max(highestGlobalLimitThisStep, limit);
    }

    void sharedLimit(SharedKey key, int limit) {
        sharedLimits.put(key, limit);
        highestSharedLimitThisStep.merge(key, limit, Math::max);
    }

    private List<SharedKey> sharedBy(String key) {
        return sharedByKey.getOrDefault(key, List.of());
    }

    int permitsInUse(@Nullable String key) {
        int n = 0;
        for (SimulatedTask t : tasks) {
            if (t.holdsPermit() && (key == null || t.key.equals(key)) && !t.hasLent(key != null)) {
                n += t.options.cost();
            }
        }
        return n;
    }

    /** A lent permit of a shared limit is that of the borrower, if the borrower is under the same limit. */
    private int sharedPermitsInUse(SharedKey shared) {
        int n = 0;
        for (SimulatedTask t : tasks) {
            String lentTo = t.lentTo();
            boolean lent = lentTo != null && sharedBy(lentTo).contains(shared);
            if (t.holdsPermit() && sharedBy(t.key).contains(shared) && !lent) {
                n += t.options.cost();
            }
        }
        return n;
    }

    int queued(String key) {
        int n = 0;
        for (SimulatedTask t : tasks) {
            if (t.phase() == Phase.QUEUED && t.key.equals(key)) {
                n++;
            }
        }
        return n;
    }

    /** A task gets a permit. It must have been the next task of its group. */
    void started(SimulatedTask task) {
        boolean again = task.hasFailedBefore() && task.options.keepsPermit();
        boolean borrows = !again && task.isBorrowing(); // it is awaited, so it may overtake
        check(again || task.phase() != Phase.GONE || task.outcomeCount() == 1, "started after completion: " + task);
        for (SimulatedTask t : tasks) {
            check(
                    again
                            || borrows
                            || task.hasBorrowed // a retry may be found where the task was linked before it was lent a
                            // permit
                            || operationsInProgress.getAsBoolean() // one of them may have dequeued the earlier task
                            || t.phase() != Phase.QUEUED
                            || (hasCosts && t.real().isWithdrawn()) // its canceller starts the next one first
                            || !t.key.equals(task.key)
                            || (interleaves
                                    && !t.hasSamePriorityAs(
                                            task)) // it may have been enqueued after the other was dequeued
                            || !t.startsBefore(task),
                    (t.hasSamePriorityAs(task) ? "submission order: " : "priority order: ") + task + " started before "
                            + t);
        }
        if (again) {
            task.move(Phase.STARTING);
            return;
        }
        if (borrows) {
            task.hasBorrowed = true;
            task.move(Phase.STARTING);
            return; // what it counts for is compared after the step
        }
        if (!task.isLaunched()) { // otherwise its thread checks
            checkLease(task);
        }
        countOvertakes(task.key);
        task.move(Phase.STARTING);
        check(
                permitsInUse(task.key) <= highestLimitThisStep.getOrDefault(task.key, limits.getOrDefault(task.key, 0)),
                "hard limit of " + task.key + ": " + permitsInUse(task.key) + " in use, limit " + limits.get(task.key));
        check(
                permitsInUse(null) <= highestGlobalLimitThisStep,
                "global hard limit: " + permitsInUse(null) + " of " + globalLimit);
        for (SharedKey shared : sharedBy(task.key)) {
            check(
                    sharedPermitsInUse(shared) <= highestSharedLimitThisStep.getOrDefault(shared, 0),
                    "shared hard limit: " + shared + " has " + sharedPermitsInUse(shared) + " of "
                            + sharedLimits.get(shared));
        }
    }

    /** The kernel terminates a task. */
    void terminated(SimulatedTask task, TerminationCause why) {
        wasDispatched(task.key); // the group may have been dispatched for this task
        if (why == TerminationCause.DISPLACED) {
            for (SimulatedTask t : tasks) {
                boolean better = t.options.priority() < task.options.priority()
                        || (t.hasSamePriorityAs(task) && t.admittedAt < task.submittedAt);
                check(
                        interleaves || t.phase() != Phase.QUEUED || !t.key.equals(task.key) || !better,
                        "displacing: " + task + " was displaced instead of " + t);
            }
        }
    }

    /** No task has exceeded a time limit without being terminated. */
    private void checkTimeLimits(SimulatedTask t) {
        check(
                t.phase() != Phase.QUEUED || t.hasFailedBefore() || now - t.queuedAt < t.options.maxQueueTime(),
                "time limits: " + t + " should have expired");
        check(
                t.firstStartAt < 0 || t.isDecided() || now - t.firstStartAt < t.options.timeout(),
                "time limits: " + t + " should have timed out");
    }

    void wasDispatched(String key) {
        overtakenBy.remove(key);
    }

    private void countOvertakes(String dispatched) {
        wasDispatched(dispatched);
        for (String key : limits.keySet()) {
            if (key.equals(dispatched) || !isReady(key)) {
                continue;
            }
            int times = overtakenBy.computeIfAbsent(key, k -> new HashMap<>()).merge(dispatched, 1, Integer::sum);
            check(
                    times <= maxOvertakes,
                    "round robin: " + dispatched + " was dispatched " + times + " times while " + key + " was ready");
        }
    }

    private boolean isReady(String key) {
        return queued(key) > 0 && permitsInUse(key) < limits.get(key) && isLeaseValid(key);
    }

    /** Whether the last task may be queued. Only queued tasks beyond the free permits count against the queue thresholds. */
    boolean hadRoomInQueue(String key, Dispatcher dispatcher) {
        Group group = dispatcher.group(key);
        boolean inGroup =
                group == null || queued(key) - 1 < (long) group.limits().queueThreshold() + room(group);
        return inGroup && hasGlobalQueueRoom(1);
    }

    private int room(Group group) {
        return Math.max(0, group.limits().effectiveLimit() - permitsInUse(group.key()));
    }

    private boolean hasGlobalQueueRoom(int excluded) {
        int queued = -excluded;
        for (String key : limits.keySet()) {
            queued += queued(key);
        }
        return globalLimit == Integer.MAX_VALUE
                || queued < (long) globalThreshold + Math.max(0, globalLimit - permitsInUse(null));
    }

    void checkRejection(String key, Admission admission, Dispatcher dispatcher) {
        Group group = dispatcher.group(key);
        switch (admission) {
            case GROUP_QUEUE_FULL ->
                check(
                        group == null // it had no leased permit for its first task, and has retired
                                ? leased(key, 1) == 0
                                : queued(key) >= (long) group.limits().queueThreshold() + room(group),
                        "thresholds: " + key + " rejected with " + queued(key) + " queued");
            case GLOBAL_QUEUE_FULL ->
                check(!hasGlobalQueueRoom(0), "thresholds: rejected by the global queue, which has room");
            case TOO_MANY_GROUPS -> {
                check(group == null, "bound on groups: " + key + " was rejected although it is registered");
                check(
                        dispatcher.groups().size() == maxGroups,
                        "bound on groups: rejected with " + dispatcher.groups().size() + " of " + maxGroups);
                for (Group other : dispatcher.groups()) {
                    check(
                            other.active() + other.queued() + other.awaitingRetryCount() > 0,
                            "bound on groups: rejected although " + other.key() + " is idle");
                }
            }
            default -> {}
        }
    }

    /** Compares the kernel with the model while no operation is in progress. */
    void compare(Dispatcher dispatcher) {
        overtakenBy.keySet().removeIf(key -> !isReady(key));
        for (SimulatedTask t : tasks) {
            check(t.outcomeCount() <= 1, "exactly once: " + t + " has outcomes: " + t.outcomeCount());
            checkTimeLimits(t);
        }
        for (Group group : dispatcher.groups()) {
            limits.put(
                    group.key(),
                    leased(
                            group.key(),
                            group.limits().effectiveLimit()
                                    - extraPermits)); // of limits that were resolved concurrently one is kept
        }
        for (Group group : dispatcher.groups()) {
            compare(group, dispatcher);
        }
        for (Limit shared : dispatcher.sharedLimits()) {
            SharedKey key = java.util.Objects.requireNonNull(shared.key());
            int inUse = shared.inFlight() - shared.keptPermits();
            check(
                    inUse == sharedPermitsInUse(key),
                    "truthful permits: " + inUse + " of " + key + " in use, " + sharedPermitsInUse(key)
                            + " on threads");
        }
        if (leases != null) {
            for (Limit shared : dispatcher.sharedLimits()) {
                if (shared.isLeased()) {
                    compareDemand(shared, leases, dispatcher);
                }
            }
        }
        check(
                dispatcher.groups().size() <= maxGroups,
                "bound on groups: " + dispatcher.groups().size() + " of " + maxGroups);
        if (leases != null
                && leases.hasTotal()
                && sharedLimits.isEmpty()) { // otherwise another limit may be in the way
            compareTotalDemand(dispatcher.globalLimit(), leases);
        }
        if (globalLimit != Integer.MAX_VALUE && !stopped) {
            int inUse = dispatcher.globalInFlight() - dispatcher.scheduler().keptGlobalPermits();
            check(
                    inUse == permitsInUse(null),
                    "truthful permits: " + inUse + " global permits in use, " + permitsInUse(null) + " on threads");
        }
    }

    private void compare(Group group, Dispatcher dispatcher) {
        String key = group.key();
        check(
                group.active() == permitsInUse(key),
                "truthful permits: " + key + " has " + group.active() + " in use, " + permitsInUse(key)
                        + " on threads");
        check(group.queued() == queued(key), "queue of " + key + ": " + group.queued() + ", should be " + queued(key));
        check(
                !isReady(key) || isInTheWay(key, dispatcher),
                "work conserving: " + key + " has " + queued(key) + " queued and room");
        if (leases != null) {
            GroupLimits now = group.limits();
            check(
                    now.paused() || now.effectiveLimit() >= leased(key, now.limit()),
                    "leased bound: " + key + " uses at most " + now.effectiveLimit() + " of " + leases.held(key));
            compareDemand(group, leases);
        }
    }

    /** Tasks that a leased permit would help are known to the owner of leases, or it was told to look. */
    private void compareDemand(Group group, SimulatedLeases owner) {
        String key = group.key();
        GroupLimits now = group.limits();
        int inUse = permitsInUse(key);
        boolean isShort = !now.paused() && owner.held(key) < now.limit() && inUse >= limits.get(key);
        int more = isShort ? Math.min(queued(key), now.limit() - inUse) : 0;
        check(
                more <= 0 || owner.learns(key, inUse + more),
                "no wish is lost: " + key + " has " + queued(key) + " queued and " + inUse + " in use of "
                        + owner.held(key) + " leased, and the owner does not know");
    }

    /** If a leased shared limit is all that a group waits for, and more could be leased, the owner knows. */
    private void compareDemand(Limit limit, SimulatedLeases owner, Dispatcher dispatcher) {
        SharedKey shared = java.util.Objects.requireNonNull(limit.key());
        String name = SimulatedLeases.nameOf(shared);
        int inUse = sharedPermitsInUse(shared) + limit.keptPermits();
        if (owner.held(name) >= limit.limit() || inUse < sharedLimits.get(shared) || inUse >= limit.limit()) {
            return; // it is not short, or paused
        }
        for (String key : limits.keySet()) {
            boolean waits = sharedBy(key).contains(shared)
                    && dispatcher.group(key) != null
                    && isReady(key)
                    && !isInTheWay(key, dispatcher, shared);
            check(
                    !waits || owner.learns(name, inUse + 1),
                    "no wish is lost: of " + shared + " " + inUse + " are in use of " + owner.held(name) + " leased, "
                            + key + " waits, and the owner does not know");
        }
    }

    /** As {@link #compareDemand}, of the limit over all groups. */
    private void compareTotalDemand(int configured, SimulatedLeases owner) {
        int inUse = permitsInUse(null);
        int waiting = 0;
        for (String key : limits.keySet()) {
            waiting += isReady(key) ? Math.min(queued(key), limits.get(key) - permitsInUse(key)) : 0;
        }
        int wanted = Math.min(inUse + waiting, configured);
        boolean isShort = owner.held(SimulatedLeases.TOTAL) < configured && inUse >= globalLimit;
        check(
                !isShort || waiting == 0 || wanted <= inUse || owner.learns(SimulatedLeases.TOTAL, wanted),
                "no wish is lost: " + waiting + " wait for the total, " + inUse + " in use of "
                        + owner.held(SimulatedLeases.TOTAL) + " leased, and the owner does not know");
    }

    /** Whether a limit is full, or permits are saved or kept for another group, so that a ready group has to wait. */
    private boolean isInTheWay(String key, Dispatcher dispatcher) {
        return isInTheWay(key, dispatcher, null);
    }

    /** @param except a shared limit that does not count */
    private boolean isInTheWay(String key, Dispatcher dispatcher, @Nullable SharedKey except) {
        LimitScheduler scheduler = dispatcher.scheduler();
        if (permitsInUse(null) + scheduler.keptGlobalPermits() >= globalLimit || costsDiffer()) {
            return true;
        }
        for (SharedKey shared : sharedBy(key)) {
            Limit limit = dispatcher.sharedLimit(shared);
            int kept = limit == null ? 0 : limit.keptPermits();
            if (!shared.equals(except) && sharedPermitsInUse(shared) + kept >= sharedLimits.get(shared)) {
                return true;
            }
        }
        return false;
    }

    /** Then a task may have to wait although one permit is free. */
    private boolean costsDiffer() {
        return tasks.stream().anyMatch(t -> t.phase() == Phase.QUEUED && t.options.cost() > 1);
    }

    void everyTaskCompleted() {
        for (SimulatedTask t : tasks) {
            int due = t.phase() == Phase.REJECTED ? 0 : 1;
            check(t.outcomeCount() == due, "every task completes: " + t + " has outcomes: " + t.outcomeCount());
            check(t.caller != null || t.isCompleted() == (due == 1), "every handle completes: " + t);
        }
    }

    /** The violation is also stored, since the kernel catches what a callback throws. */
    void check(boolean truth, String violation) {
        if (!truth) {
            if (firstViolation == null) {
                firstViolation = new AssertionError(violation);
            }
            throw firstViolation;
        }
    }

    void rethrow() {
        if (firstViolation != null) {
            throw firstViolation;
        }
    }
}
