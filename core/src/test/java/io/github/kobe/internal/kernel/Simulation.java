package io.github.kobe.internal.kernel;

import io.github.kobe.internal.fair.Competitor;
import io.github.kobe.internal.fair.ReadyQueue;
import io.github.kobe.internal.kernel.SimulatedTask.CompletionListening;
import io.github.kobe.internal.kernel.SimulatedTask.Options;
import io.github.kobe.internal.kernel.SimulatedTask.Phase;
import io.github.kobe.internal.time.FakeTimer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs the kernel under one random schedule, on one thread. Threads and time move only as the schedule says, so the same seed
 * gives the same run. Calls of the ready queue and the runner may interleave other operations with the one in progress, as other
 * threads would.
 */
final class Simulation {

    private static final List<CompletionListening> LISTENINGS = List.of(CompletionListening.values());
    private static final int STEPS = 250;
    private static final int MAX_DEPTH = 3;
    private static final int MAX_COST = 3;
    private static final long TTL = TimeUnit.SECONDS.toNanos(1);

    private final SplittableRandom random;
    private final InjectedFault fault;
    private final FakeTimer timer = new FakeTimer();
    private final ReferenceModel model = new ReferenceModel();
    private final String[] keys;
    private boolean hasGlobalLimit;
    private int ownGlobalLimit; // without what is leased
    private final boolean interleaves;
    private final @Nullable SimulatedLeases leases;
    private final Dispatcher dispatcher;
    private final List<SimulatedTask> starting = new ArrayList<>();
    private final List<InterleavingReadyQueue> readyQueues = new ArrayList<>();
    private final boolean sharesLimits;
    private final boolean hasCosts;
    private final Map<SharedKey, Integer> ownSharedLimits = new HashMap<>(); // without what is leased
    private final List<SharedKey> leasedShares = new ArrayList<>();
    private int depth;
    private int calls;
    private boolean closed;

    Simulation(long seed, InjectedFault fault) {
        this.random = new SplittableRandom(seed);
        timer.advance(1); // 0 means "not set"
        this.fault = fault;
        this.keys = new String[1 + random.nextInt(4)];
        for (int i = 0; i < keys.length; i++) {
            keys[i] = "g" + i;
        }
        this.hasGlobalLimit = random.nextInt(3) > 0;
        this.interleaves = random.nextBoolean() && fault == InjectedFault.NONE;
        this.leases = newLeases();
        model.leases = leases;
        ownGlobalLimit = hasGlobalLimit ? 1 + random.nextInt(4) : Integer.MAX_VALUE;
        model.globalLimit = model.leased(SimulatedLeases.TOTAL, ownGlobalLimit);
        int threshold = random.nextInt(4) == 0 ? random.nextInt(5) : Integer.MAX_VALUE;
        model.globalThreshold = fault == InjectedFault.IGNORED_QUEUE_THRESHOLD ? 0 : threshold;
        model.extraPermits = fault == InjectedFault.EXTRA_GROUP_PERMIT ? 1 : 0;
        model.maxOvertakes = interleaves
                ? Integer.MAX_VALUE
                : 1; // an interleaved operation may find a group that is being dispatched
        model.interleaves = interleaves;
        model.operationsInProgress = () -> depth > 0;
        this.sharesLimits = fault.needsSharedLimits
                || fault.needsLeasedShares()
                || (fault == InjectedFault.NONE && random.nextInt(2) == 0);
        this.hasCosts = fault == InjectedFault.LOST_COSTS || (fault == InjectedFault.NONE && random.nextInt(4) == 0);
        model.hasCosts = hasCosts;
        if (sharesLimits) {
            drawSharedLimits();
        }
        if (sharesLimits || hasCosts) {
            model.maxOvertakes = Integer.MAX_VALUE; // other limits are in the way
        }
        model.maxGroups =
                fault == InjectedFault.NONE && random.nextInt(4) == 0 ? 1 + random.nextInt(3) : Integer.MAX_VALUE;
        this.dispatcher = new Dispatcher(
                new SimulatedLimits(),
                new DispatcherConfig(
                        fault == InjectedFault.EXTRA_GLOBAL_PERMIT && hasGlobalLimit
                                ? ownGlobalLimit + 1
                                : ownGlobalLimit,
                        threshold,
                        random.nextInt(4) == 0 ? 0 : TTL,
                        false,
                        false,
                        DispatcherConfig.NO_AGEING,
                        random.nextInt(
                                4), // with each value, some tasks are swept and some have a timer entry of their own
                        model.maxGroups),
                new InterleavingReadyQueue(),
                this::start,
                timer,
                leases == null ? null : leases.newControl());
    }

    /** In some schedules limits are leased; in some of these the limit over all groups too. */
    private @Nullable SimulatedLeases newLeases() {
        if (!fault.needsLeases() && (fault != InjectedFault.NONE || random.nextInt(3) > 0)) {
            return null;
        }
        boolean ofTotal = fault == InjectedFault.NONE && random.nextInt(3) == 0;
        return new SimulatedLeases(fault, timer::nanoTime, ofTotal ? 1 + random.nextInt(6) : GroupLimits.NOT_LEASED);
    }

    /** Each key belongs to a random value, or to none, of up to three shared limits. */
    private void drawSharedLimits() {
        for (int i = 1 + random.nextInt(3); i > 0; i--) {
            boolean leased = leases != null
                    && (fault.needsLeasedShares() || (fault == InjectedFault.NONE && random.nextBoolean()));
            for (String key : keys) {
                int value = random.nextInt(3);
                if (value > 0) {
                    SharedKey shared = new SharedKey("s" + i, "v" + value);
                    if (!ownSharedLimits.containsKey(shared)) {
                        ownSharedLimits.put(shared, 1 + random.nextInt(3));
                        if (leased) {
                            leasedShares.add(shared);
                            java.util.Objects.requireNonNull(leases).addShared(shared);
                        }
                        model.sharedLimits.put(shared, model.leased(shared, ownSharedLimits.get(shared)));
                    }
                    model.sharedByKey
                            .computeIfAbsent(key, k -> new ArrayList<>())
                            .add(shared);
                }
            }
        }
    }

    private final class SimulatedLimits implements LimitSource {
        @Override
        public GroupLimits resolve(String key) {
            return Simulation.this.resolve(key);
        }

        @Override
        public boolean hasSharedLimits() {
            return sharesLimits;
        }

        @Override
        public List<SharedMembership> sharedLimits(String key) {
            return model.sharedByKey.getOrDefault(key, List.of()).stream()
                    .sorted(Comparator.comparing(shared -> isLeased(shared) ? shared.name() : ""))
                    .map(shared -> new SharedMembership(shared, 1, 1 + random.nextInt(2), 0, isLeased(shared)))
                    .toList();
        }

        @Override
        public int sharedInForce(SharedKey key, int resolved) {
            return ownSharedLimits.get(key) + (fault == InjectedFault.EXTRA_SHARED_PERMIT ? 1 : 0);
        }
    }

    private boolean isLeased(SharedKey shared) {
        return leases != null && leases.isLeased(shared);
    }

    void run() {
        int steps = 1 + random.nextInt(STEPS);
        for (int i = 0; i < steps && !closed; i++) {
            step(this::anyOperation);
        }
        end();
    }

    private void step(Runnable operation) {
        model.beginStep();
        operation.run();
        Thread.interrupted(); // every task runs on this thread
        model.rethrow();
        model.now = timer.nanoTime();
        model.compare(dispatcher);
    }

    private void anyOperation() {
        if (leases != null && random.nextInt(4) == 0) {
            changeLease(leases);
            return;
        }
        boolean waits = !hasCosts && (fault == InjectedFault.NONE || fault == InjectedFault.UNPAID_WAIT);
        if (sharesLimits && fault == InjectedFault.NONE && random.nextInt(25) == 0) {
            setSharedLimit();
            return;
        }
        if (waits && random.nextInt(6) == 0) {
            if (random.nextBoolean()) {
                beginWait();
            } else {
                endWait();
            }
            return;
        }
        switch (random.nextInt(fault == InjectedFault.NONE ? 28 : 20)) {
            case 0, 1, 2, 3, 4, 5, 6 -> submit();
            case 7, 8, 9, 10 -> begin();
            case 11, 12, 13, 14 -> finish();
            case 15, 16 -> cancel();
            case 17 -> advanceTime(random.nextInt(3));
            case 18 -> setLimits();
            case 19 -> setGlobalLimit();
            case 20 -> evict();
            case 21 -> stopGroup();
            case 22 -> runToCompletion();
            case 23, 24 -> acquire();
            case 25 -> pause();
            case 26 -> submitDisplacing();
            default -> closeRarely();
        }
    }

    // ---- operations ----------------------------------------------------------------------------------------------

    private void submit() {
        if (fault == InjectedFault.SWAPPED_SUBMITS) {
            SimulatedTask first = task(anyKey());
            SimulatedTask second = task(first.key);
            submit(second);
            submit(first);
            int early = first.submittedAt;
            first.submittedAt = second.submittedAt;
            first.admittedAt = second.admittedAt;
            second.submittedAt = early;
        } else {
            submit(task(anyKey()));
        }
    }

    private SimulatedTask task(String key) {
        int number = model.tasks.size();
        Options options = options();
        SimulatedTask task = new SimulatedTask(key, number, anyListening(), options, attemptState(options), model);
        task.throwsError = random.nextInt(5) == 0;
        task.notifiesTwice = fault == InjectedFault.DOUBLE_NOTIFICATION;
        model.tasks.add(task);
        return task;
    }

    private Options options() {
        if (hasCosts && random.nextInt(2) == 0) {
            return Options.NONE.withCost(1 + random.nextInt(MAX_COST));
        }
        if (fault.needsPlainTasks || random.nextInt(3) > 0) {
            return Options.NONE;
        }
        return new Options(
                random.nextInt(5) - 2,
                random.nextInt(3) == 0 ? (1 + random.nextInt(4)) * TTL / 8 : AttemptLimits.NONE,
                random.nextInt(3) == 0 ? (1 + random.nextInt(4)) * TTL / 8 : AttemptLimits.NONE,
                random.nextInt(3),
                random.nextInt(3) * TTL / 8,
                random.nextInt(3) == 0,
                1);
    }

    private @Nullable AttemptState attemptState(Options w) {
        if (w.equals(Options.NONE)) {
            return null;
        }
        return new AttemptState(new AttemptLimits(
                fault == InjectedFault.LOST_PRIORITIES ? 0 : w.priority(),
                fault == InjectedFault.LOST_TIMEOUTS ? AttemptLimits.NONE : w.maxQueueTime(),
                fault == InjectedFault.LOST_TIMEOUTS ? AttemptLimits.NONE : w.timeout(),
                AttemptLimits.NONE,
                fault == InjectedFault.KEPT_PERMIT || w.keepsPermit(),
                false,
                fault == InjectedFault.LOST_COSTS ? 1 : w.cost()));
    }

    /** A caller requests a permit. */
    private void acquire() {
        SimulatedTask modelTask =
                new SimulatedTask(anyKey(), model.tasks.size(), CompletionListening.NONE, Options.NONE, null, model);
        model.tasks.add(modelTask);
        submit(modelTask, () -> dispatcher.submit(modelTask.key, new SimulatedPermitRequest(modelTask, model)));
    }

    private void submitDisplacing() {
        SimulatedTask task = task(anyKey());
        submit(task, () -> dispatcher.submitDisplacing(task.key, task));
    }

    private void submit(SimulatedTask task) {
        submit(task, () -> dispatcher.submit(task.key, task));
    }

    private void submit(SimulatedTask task, Supplier<Admission> attempt) {
        model.tasks.forEach(SimulatedTask::phase); // retries that are queued by now come first
        task.submittedAt = model.tick();
        Admission admission = attempt.get();
        task.admittedAt = model.tick();
        task.queuedAt = timer.nanoTime(); // time may have passed meanwhile
        if (admission == Admission.ADMITTED) {
            if (task.phase() == Phase.SUBMITTING && task.outcomeCount() == 0) {
                task.move(Phase.QUEUED);
                model.check(
                        interleaves || model.hadRoomInQueue(task.key, dispatcher),
                        "thresholds: " + task + " is queued beyond the threshold");
            }
        } else {
            model.check(task.outcomeCount() == 0, "rejected but completed: " + task);
            model.check(task.phase() == Phase.SUBMITTING, "rejected but started: " + task);
            model.check(closed || admission != Admission.CLOSED, "closed too early");
            task.move(Phase.REJECTED); // its outcome is now up to the face
            if (!interleaves) {
                model.checkRejection(task.key, admission, dispatcher);
            }
        }
    }

    private void begin() {
        SimulatedTask task = anyOf(t -> t.phase() == Phase.STARTING);
        if (task == null) {
            return;
        }
        starting.remove(task);
        if (!mayBegin(task)) {
            return;
        }
        task.slot = task.register();
        if (task.isDecided()) {
            finishTask(task, null);
        } else {
            task.move(Phase.RUNNING);
            if (task.startedAt == 0) {
                task.startedAt = timer.nanoTime(); // as its thread would
            }
            task.begin();
            recordStart(task);
        }
    }

    /** The thread of a task that was not queued checks the lease. If that is over, the task is returned to the queue, where its submission decides when it is next. */
    private boolean mayBegin(SimulatedTask task) {
        if (!task.isLaunched()) {
            return true;
        }
        task.move(Phase.QUEUED); // first: it may be started again before this returns
        if (task.mayBegin()) {
            task.move(Phase.STARTING);
            model.checkLease(task);
            return true;
        }
        if (task.phase() == Phase.QUEUED) {
            task.queuedAt = timer.nanoTime();
        }
        return false;
    }

    /** The work of a task, or a caller with a permit, begins to wait for other tasks. */
    private void beginWait() {
        SimulatedTask task = anyOf(t -> t.phase() == Phase.RUNNING);
        if (task == null) {
            return;
        }
        BlockedWait wait = BlockedWait.begin(List.of(task.real()), random.nextBoolean());
        if (wait == null) {
            model.check(interleaves, "a holder of a permit cannot wait: " + task);
            return;
        }
        task.wait = wait;
        task.move(Phase.WAITING);
        for (int i = random.nextInt(3); i >= 0 && task.wait == wait; i--) { // an operation in between may end it
            SimulatedTask awaited = anyOf(t -> t != task && t.real().isBound() && t.phase() != Phase.GONE);
            if (awaited != null) {
                wait.add(awaited.real());
            }
        }
    }

    /** It waits no longer, whether what it waited for has completed or not. */
    private void endWait() {
        SimulatedTask task = anyOf(t -> t.phase() == Phase.WAITING);
        if (task == null) {
            return;
        }
        BlockedWait wait = java.util.Objects.requireNonNull(task.wait);
        boolean lent = wait.hasLent(true);
        if (wait.hasLent(false)) {
            model.takenByForce(task.key);
        }
        task.wait = null;
        task.move(Phase.RUNNING);
        wait.end(0);
        if (lent && fault == InjectedFault.UNPAID_WAIT) {
            groupOf(task).release(0, 0);
        }
    }

    private void recordStart(SimulatedTask task) {
        if (task.firstStartAt < 0) {
            task.firstStartAt = timer.nanoTime();
        }
    }

    private void finish() {
        SimulatedTask task = anyOf(t -> t.phase() == Phase.RUNNING);
        if (task == null) {
            return;
        }
        if (task.caller != null) {
            task.move(Phase.GONE);
            task.caller.release(0);
        } else if (task.attempts() != null) {
            boolean succeeds = random.nextBoolean();
            if (succeeds || !task.hasRetries() || task.isDecided()) {
                task.move(Phase.GONE);
            }
            task.finishAttempt(task.slot, succeeds ? "ran" : "failed");
        } else {
            finishTask(task, random.nextBoolean() ? "ran" : "failed");
        }
    }

    private void finishTask(SimulatedTask task, @Nullable String result) {
        task.move(Phase.GONE);
        if (fault == InjectedFault.LEAKED_PERMIT && ++calls % 5 == 0) {
            task.move(Phase.STARTING); // as if it still held its permit
            return;
        }
        task.finishTask(task.slot, result);
        if (fault == InjectedFault.DOUBLE_RELEASE && ++calls % 5 == 0) {
            groupOf(task).release(0, 0);
        }
    }

    /** Starts and completes a task in one step, as a real thread does. */
    private void runToCompletion() {
        SimulatedTask task = anyOf(t -> t.phase() == Phase.STARTING);
        if (task != null) {
            starting.remove(task);
            if (!mayBegin(task)) {
                return;
            }
            task.move(Phase.GONE); // the task that gets its permit does not exceed the limit
            if (!task.isDecided()) {
                recordStart(task);
            }
            task.run();
        }
    }

    private void cancel() {
        SimulatedTask task =
                anyOf(t -> t.outcomeCount() == 0 && t.phase() != Phase.SUBMITTING && t.phase() != Phase.REJECTED);
        if (task == null) {
            return;
        }
        boolean waiting = task.phase() == Phase.QUEUED;
        boolean running = task.phase() == Phase.RUNNING;
        if (waiting) {
            task.move(Phase.GONE);
        }
        if (waiting && fault == InjectedFault.LOST_CANCEL) {
            return;
        }
        KernelTask<?> real = task.caller == null ? task : task.caller;
        boolean cancelled = real.cancel(random.nextBoolean(), "by schedule");
        model.check(cancelled || interleaves, "a cancel of " + task + " had no effect");
        model.check(real.isCompleted() || depth > 0, "cancelled but not completed: " + task);
        if (running && fault == InjectedFault.RELEASE_AT_CANCEL) {
            groupOf(task).release(0, 0);
        }
    }

    private void advanceTime(int quarters) {
        if (fault != InjectedFault.DEAD_TIMER) {
            timer.advance(quarters * TTL / 4);
        }
    }

    private void setLimits() {
        String key = anyKey();
        if (dispatcher.group(key) != null) {
            int limit = leases == null ? random.nextInt(5) : 1 + random.nextInt(4); // a shared limit is never 0
            model.limit(key, model.leased(key, limit));
            GroupLimits limits = new GroupLimits(limit + model.extraPermits, Integer.MAX_VALUE, anyThreshold());
            dispatcher.changeLimits(key, before -> limits);
        }
    }

    private void pause() {
        String key = anyKey();
        if (dispatcher.group(key) != null) {
            boolean paused = random.nextBoolean();
            dispatcher.changeLimits(key, before -> {
                GroupLimits now =
                        new GroupLimits(before.concurrency(), before.inFlight(), before.queueThreshold(), 1, paused);
                int limit = now.effectiveLimit() - (paused ? 0 : model.extraPermits);
                model.limit(key, model.leased(key, limit));
                return now;
            });
        }
    }

    private void setGlobalLimit() {
        if (hasGlobalLimit || (fault == InjectedFault.NONE && random.nextInt(3) == 0)) {
            setGlobalLimit(random.nextInt(6));
        }
    }

    private void setGlobalLimit(int limit) {
        hasGlobalLimit = true;
        ownGlobalLimit = limit;
        model.globalLimit(model.leased(SimulatedLeases.TOTAL, limit));
        dispatcher.setGlobalLimit(limit);
    }

    /** The owner of leases gets permits or returns some, loses a lease or renews one, or looks at the groups that it was told of. */
    private void changeLease(SimulatedLeases owner) {
        boolean ofShared = !leasedShares.isEmpty() && random.nextBoolean();
        String key =
                ofShared ? SimulatedLeases.nameOf(leasedShares.get(random.nextInt(leasedShares.size()))) : anyKey();
        switch (random.nextInt(8)) {
            case 0, 1, 2 -> hold(owner, key, random.nextInt(5));
            case 3 -> {
                if (owner.hasTotal()) {
                    hold(owner, SimulatedLeases.TOTAL, random.nextInt(6));
                }
            }
            case 4 -> {
                if (owner.isValid(key)) {
                    owner.expire(key, random.nextInt(3) * TTL / 8);
                }
            }
            case 5, 6 -> renew(owner, key);
            default -> owner.lookAtHinted();
        }
    }

    private void hold(SimulatedLeases owner, String key, int permits) {
        if (key.equals(SimulatedLeases.TOTAL)) {
            int limit = Math.min(ownGlobalLimit, permits);
            model.globalLimit(limit);
        } else if (sharedOf(key) != null) {
            SharedKey shared = sharedOf(key);
            model.sharedLimit(shared, Math.min(ownSharedLimits.get(shared), permits));
        } else {
            Group group = dispatcher.group(key);
            GroupLimits limits = group == null ? null : group.limits();
            if (limits != null) {
                model.limit(key, limits.paused() ? 0 : Math.min(limits.limit(), permits));
            }
        }
        owner.hold(key, permits);
    }

    private @Nullable SharedKey sharedOf(String name) {
        return leasedShares.stream()
                .filter(shared -> SimulatedLeases.nameOf(shared).equals(name))
                .findAny()
                .orElse(null);
    }

    private void renew(SimulatedLeases owner, String key) {
        SharedKey shared = sharedOf(key);
        if (shared == null) {
            model.renewed(key);
        } else {
            model.renewed(shared);
        }
        owner.renew(key);
    }

    private void setSharedLimit() {
        List<SharedKey> shared = new ArrayList<>(model.sharedLimits.keySet());
        if (!shared.isEmpty()) {
            setSharedLimit(shared.get(random.nextInt(shared.size())), random.nextInt(5)); // 0 as if it was paused
        }
    }

    private void setSharedLimit(SharedKey key, int limit) {
        ownSharedLimits.put(key, limit);
        model.sharedLimit(key, model.leased(key, limit));
        dispatcher.sharedLimitChanged(key);
    }

    private void evict() {
        dispatcher.evict(anyKey());
    }

    private void stopGroup() {
        String key = anyKey();
        dispatcher.stopGroup(key);
        recordStopped();
    }

    /** Queued tasks are completed, except those that an operation in progress has dequeued. These complete when they start. */
    private void recordStopped() {
        for (SimulatedTask t : model.tasks) {
            if (t.phase() == Phase.QUEUED && t.outcomeCount() == 1) {
                t.move(Phase.GONE);
            }
        }
    }

    private void closeRarely() {
        if (depth == 0 && random.nextInt(30) == 0) {
            closed = true;
            dispatcher.close();
        }
    }

    // ---- called by the kernel --------------------------------------------------------------------------------------

    /** What happens meanwhile is on another thread: a resolver must not use its own group. */
    private GroupLimits resolve(String key) {
        OtherThread.run(this::interleave);
        int limit = 1 + random.nextInt(3);
        if (dispatcher.group(key) == null) {
            model.check(model.permitsInUse(key) == 0, "retired while in use: " + key);
        }
        model.limit(key, model.leased(key, limit));
        return new GroupLimits(limit + model.extraPermits, Integer.MAX_VALUE, anyThreshold());
    }

    private int anyThreshold() {
        return random.nextInt(4) == 0 ? random.nextInt(4) : Integer.MAX_VALUE;
    }

    private void start(Runnable work) {
        if (!(work instanceof SimulatedTask task)) {
            work.run(); // a notification
            return;
        }
        if (fault == InjectedFault.NONE && random.nextInt(50) == 0) {
            task.move(Phase.GONE);
            model.wasDispatched(task.key);
            throw new IllegalStateException("no thread available");
        }
        model.started(task);
        if (fault != InjectedFault.LOST_START || ++calls % 7 != 0) {
            starting.add(task);
        }
        interleave();
    }

    /** Runs another operation between two steps of the one in progress, as another thread would. */
    private void interleave() {
        if (!interleaves || depth >= MAX_DEPTH || random.nextInt(3) > 0) {
            return;
        }
        depth++;
        anyOperation();
        depth--;
    }

    private final class InterleavingReadyQueue implements ReadyQueue {
        private final Deque<Competitor> readyGroups = new ArrayDeque<>();

        InterleavingReadyQueue() {
            readyQueues.add(this);
        }

        @Override
        public ReadyQueue another() {
            return new InterleavingReadyQueue();
        }

        @Override
        public void add(Competitor group) {
            interleave();
            if (fault != InjectedFault.READY_QUEUE_LOSES_GROUP || ++calls % 9 != 0) {
                readyGroups.addLast(group);
            }
            interleave();
        }

        @Override
        public @Nullable Competitor poll() {
            interleave();
            Competitor next =
                    fault == InjectedFault.LIFO_READY_QUEUE ? readyGroups.pollLast() : readyGroups.pollFirst();
            interleave();
            return next;
        }

        @Override
        public boolean isEmpty() {
            interleave();
            return readyGroups.isEmpty();
        }
    }

    // ---- termination -----------------------------------------------------------------------------------------------

    private void end() {
        depth = MAX_DEPTH; // no more interleaving
        if (!closed && random.nextBoolean()) {
            finishAll();
            idle();
        }
        int kind = random.nextInt(3);
        if (kind == 0) {
            closed = true;
            step(dispatcher::close);
            raiseZeroLimits();
        } else if (kind == 1 && fault == InjectedFault.NONE) {
            closed = true;
            step(this::dropQueued);
        } else {
            closed = true;
            model.stopped = true;
            step(() -> {
                dispatcher.stop();
                recordStopped();
                for (SimulatedTask t : model.tasks) {
                    // a task that has a permit completes when its thread begins, which is a step of its own here
                    boolean completed = t.outcomeCount() > 0
                            || t.phase() == Phase.STARTING
                            || t.phase() == Phase.REJECTED
                            || fault != InjectedFault.NONE;
                    model.check(completed, "not completed when the stop returned: " + t);
                }
            });
        }
        finishAll();
        model.everyTaskCompleted();
        model.check(terminated(), "terminates: all tasks are completed, and the dispatcher is not terminated");
        model.check(dispatcher.groups().isEmpty(), "groups are left after termination");
    }

    /** Queued tasks and those that await a retry are cancelled, and nothing starts any more. */
    private void dropQueued() {
        List<SimulatedTask> waiting = model.tasks.stream()
                .filter(t -> t.phase() == Phase.QUEUED || t.phase() == Phase.AWAITING_RETRY)
                .toList();
        long[] dropped = new long[1];
        dispatcher.dropQueued((key, task, nanos) -> dropped[0]++);
        recordStopped();
        for (SimulatedTask t : waiting) {
            model.check(t.outcomeCount() == 1, "not dropped: " + t);
        }
        model.check(dropped[0] >= waiting.size(), "dropped but not reported");
    }

    private void finishAll() {
        if (!closed) {
            raiseZeroLimits();
        }
        while (unfinished() != null || awaitingRetry() != null) {
            step(this::endWait);
            step(this::begin);
            step(this::finish);
            if (unfinished() == null) {
                step(() -> advanceTime(1));
            }
        }
    }

    private @Nullable SimulatedTask unfinished() {
        return anyOf(t -> (t.phase() == Phase.STARTING && starting.contains(t))
                || t.phase() == Phase.RUNNING
                || t.phase() == Phase.WAITING);
    }

    private @Nullable SimulatedTask awaitingRetry() {
        return anyOf(t -> t.phase() == Phase.AWAITING_RETRY || t.phase() == Phase.AWAITING_RETRY_WITH_PERMIT);
    }

    /** Raises limits that are too low, so that queued tasks can complete. */
    private void raiseZeroLimits() {
        if (leases != null) {
            leaseAll(leases);
        }
        int least = hasCosts ? MAX_COST : 1;
        for (String key : keys) {
            if (dispatcher.group(key) != null && model.limits.getOrDefault(key, 0) < least) {
                step(() -> {
                    model.limit(key, least);
                    dispatcher.changeLimits(key, before -> new GroupLimits(least, least, Integer.MAX_VALUE));
                });
            }
        }
        if (hasGlobalLimit && model.globalLimit < least) {
            step(() -> setGlobalLimit(least));
        }
        for (SharedKey key : model.sharedLimits.keySet()) {
            if (ownSharedLimits.get(key) < least) {
                step(() -> setSharedLimit(key, least));
            }
        }
    }

    /** From now on there are leases, so that queued tasks can complete. */
    private void leaseAll(SimulatedLeases owner) {
        int permits = hasCosts ? MAX_COST : 2;
        for (String key : keys) {
            step(() -> hold(owner, key, permits));
            step(() -> renew(owner, key));
        }
        for (SharedKey shared : leasedShares) {
            step(() -> hold(owner, SimulatedLeases.nameOf(shared), permits));
            step(() -> renew(owner, SimulatedLeases.nameOf(shared)));
        }
        if (owner.hasTotal()) {
            step(() -> hold(owner, SimulatedLeases.TOTAL, permits));
        }
    }

    private void idle() {
        advanceTime(3);
        advanceTime(8);
        if (fault != InjectedFault.LOST_START && fault != InjectedFault.LEAKED_PERMIT) {
            model.check(dispatcher.groups().isEmpty(), "idle costs nothing: groups are left after the idle TTL");
            model.check(
                    readyQueues.getFirst().readyGroups.isEmpty(),
                    "idle costs nothing: the ready queue holds groups after the idle TTL");
            model.check(
                    dispatcher.allSharedLimits().isEmpty(),
                    "idle costs nothing: shared limits are left after the idle TTL");
            model.check(timer.pending() == 0, "idle costs nothing: the timer has entries");
        }
    }

    private boolean terminated() {
        try {
            return dispatcher.awaitTermination(0);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private Group groupOf(SimulatedTask task) {
        Group group = dispatcher.group(task.key);
        return group == null ? new Group("gone", new GroupLimits(1, 1, 1), dispatcher, false, true) : group;
    }

    private CompletionListening anyListening() {
        return LISTENINGS.get(random.nextInt(LISTENINGS.size()));
    }

    private String anyKey() {
        return keys[random.nextInt(keys.length)];
    }

    private @Nullable SimulatedTask anyOf(Predicate<SimulatedTask> which) {
        List<SimulatedTask> fitting = model.tasks.stream()
                .filter(which)
                .filter(t -> t.phase() != Phase.STARTING || starting.contains(t) || t.outcomeCount() == 0)
                .toList();
        return fitting.isEmpty() ? null : fitting.get(random.nextInt(fitting.size()));
    }
}
