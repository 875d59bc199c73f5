package io.github.kobe.internal.kernel;

import io.github.kobe.internal.fair.Competitor;
import io.github.kobe.internal.fair.ReadyQueue;
import io.github.kobe.internal.kernel.SimulatedTask.CompletionListening;
import io.github.kobe.internal.kernel.SimulatedTask.Options;
import io.github.kobe.internal.kernel.SimulatedTask.Phase;
import io.github.kobe.internal.time.FakeTimer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The kernel under one random schedule, on one thread, with threads and time that only move when the schedule says so: the
 * same seed is the same run. The ready queue and the runner are doors through which other operations slip in while one is
 * under way, as other threads would.
 */
final class Simulation {

    private static final List<CompletionListening> WATCHES = List.of(CompletionListening.values());
    private static final int STEPS = 250;
    private static final int DEEPEST = 3;
    private static final long TTL = TimeUnit.SECONDS.toNanos(1);

    private final SplittableRandom random;
    private final InjectedFault sabotage;
    private final FakeTimer timer = new FakeTimer();
    private final ReferenceModel model = new ReferenceModel();
    private final String[] keys;
    private boolean gated;
    private final boolean slipsIn;
    private final Dispatcher dispatcher;
    private final List<SimulatedTask> starting = new ArrayList<>();
    private final Deque<Competitor> line = new ArrayDeque<>();
    private int depth;
    private int calls;
    private boolean closed;

    Simulation(long seed, InjectedFault sabotage) {
        this.random = new SplittableRandom(seed);
        timer.advance(1); // from 0, which would be no time at all
        this.sabotage = sabotage;
        this.keys = new String[1 + random.nextInt(4)];
        for (int i = 0; i < keys.length; i++) {
            keys[i] = "g" + i;
        }
        this.gated = random.nextInt(3) > 0;
        this.slipsIn = random.nextBoolean() && sabotage == InjectedFault.NONE;
        model.globalCap = gated ? 1 + random.nextInt(4) : Integer.MAX_VALUE;
        int threshold = random.nextInt(4) == 0 ? random.nextInt(5) : Integer.MAX_VALUE;
        model.globalThreshold = sabotage == InjectedFault.LENIENT_THRESHOLD ? 0 : threshold;
        model.generosity = sabotage == InjectedFault.GENEROUS_LIMIT ? 1 : 0;
        model.mostOvertakes =
                slipsIn ? Integer.MAX_VALUE : 1; // a group may be in the hands of one that others slip in on
        model.slipsIn = slipsIn;
        model.othersUnderWay = () -> depth > 0;
        this.dispatcher = new Dispatcher(
                this::resolve,
                new DispatcherConfig(
                        sabotage == InjectedFault.GENEROUS_GLOBAL_CAP && gated ? model.globalCap + 1 : model.globalCap,
                        threshold,
                        random.nextInt(4) == 0 ? 0 : TTL,
                        false,
                        false,
                        DispatcherConfig.NO_AGEING,
                        false,
                        random.nextInt(4)), // each of them has its tickets with and without a timeout of their own
                new InterleavingReadyQueue(),
                this::start,
                timer);
    }

    void run() {
        int steps = 1 + random.nextInt(STEPS);
        for (int i = 0; i < steps && !closed; i++) {
            step(this::anything);
        }
        end();
    }

    private void step(Runnable operation) {
        model.stepBegins();
        operation.run();
        Thread.interrupted(); // every ticket's thread is this one
        model.rethrow();
        model.now = timer.nanoTime();
        model.compare(dispatcher);
    }

    private void anything() {
        switch (random.nextInt(sabotage == InjectedFault.NONE ? 28 : 20)) {
            case 0, 1, 2, 3, 4, 5, 6 -> submit();
            case 7, 8, 9, 10 -> begin();
            case 11, 12, 13, 14 -> finish();
            case 15, 16 -> cancel();
            case 17 -> pass(random.nextInt(3));
            case 18 -> setLimits();
            case 19 -> setGlobalCap();
            case 20 -> evict();
            case 21 -> stopGroup();
            case 22 -> runWhole();
            case 23, 24 -> acquire();
            case 25 -> pause();
            case 26 -> submitDisplacing();
            default -> closeSometimes();
        }
    }

    // ---- operations ----------------------------------------------------------------------------------------------

    private void submit() {
        if (sabotage == InjectedFault.SWAPPED_SUBMITS) {
            SimulatedTask first = ticket(anyKey());
            SimulatedTask second = ticket(first.key);
            submit(second);
            submit(first);
            int early = first.asked;
            first.asked = second.asked;
            first.admitted = second.admitted;
            second.asked = early;
        } else {
            submit(ticket(anyKey()));
        }
    }

    private SimulatedTask ticket(String key) {
        int number = model.tickets.size();
        Options wishes = wishes();
        SimulatedTask ticket = new SimulatedTask(key, number, anyWatch(), wishes, plan(wishes), model);
        ticket.throwsError = random.nextInt(5) == 0;
        ticket.tellsTwice = sabotage == InjectedFault.DOUBLE_END;
        model.tickets.add(ticket);
        return ticket;
    }

    private Options wishes() {
        if (sabotage.needsPlainTickets || random.nextInt(3) > 0) {
            return Options.NONE;
        }
        return new Options(
                random.nextInt(5) - 2,
                random.nextInt(3) == 0 ? (1 + random.nextInt(4)) * TTL / 8 : AttemptLimits.NONE,
                random.nextInt(3) == 0 ? (1 + random.nextInt(4)) * TTL / 8 : AttemptLimits.NONE,
                random.nextInt(3),
                random.nextInt(3) * TTL / 8,
                random.nextInt(3) == 0);
    }

    private @Nullable AttemptState plan(Options w) {
        if (w.equals(Options.NONE)) {
            return null;
        }
        return new AttemptState(
                sabotage == InjectedFault.FLAT_PRIORITIES ? 0 : w.priority(),
                sabotage == InjectedFault.LOST_TIMEOUTS ? AttemptState.NONE : w.maxQueue(),
                sabotage == InjectedFault.LOST_TIMEOUTS ? AttemptState.NONE : w.timeout(),
                sabotage == InjectedFault.SECRET_KEEPER || w.keepsPlace());
    }

    /** A thread of its own wants a place. */
    private void acquire() {
        SimulatedTask shadow = new SimulatedTask(
                anyKey(), model.tickets.size(), CompletionListening.NOT_AT_ALL, Options.NONE, null, model);
        model.tickets.add(shadow);
        submit(shadow, () -> dispatcher.submit(shadow.key, new SimulatedPermitRequest(shadow, model)));
    }

    private void submitDisplacing() {
        SimulatedTask ticket = ticket(anyKey());
        submit(ticket, () -> dispatcher.submitDisplacing(ticket.key, ticket));
    }

    private void submit(SimulatedTask ticket) {
        submit(ticket, () -> dispatcher.submit(ticket.key, ticket));
    }

    private void submit(SimulatedTask ticket, Supplier<Admission> attempt) {
        model.tickets.forEach(SimulatedTask::where); // those that are back in line by now came before
        ticket.asked = model.tick();
        Admission admission = attempt.get();
        ticket.admitted = model.tick();
        ticket.queuedAt = timer.nanoTime(); // time may have passed meanwhile
        if (admission == Admission.ADMITTED) {
            if (ticket.where() == Phase.ASKING && ticket.ends() == 0) {
                ticket.move(Phase.WAITING);
                model.check(
                        slipsIn || model.hadRoomInLine(ticket.key, dispatcher),
                        "thresholds: " + ticket + " waits where as many wait as may");
            }
        } else {
            model.check(ticket.ends() == 0, "refused but ended: " + ticket);
            model.check(ticket.where() == Phase.ASKING, "refused but started: " + ticket);
            model.check(closed || admission != Admission.CLOSED, "closed too early");
            ticket.move(Phase.REFUSED); // from here on its end is the face's business, and nobody else's
            if (!slipsIn) {
                model.checkRefusal(ticket.key, admission, dispatcher);
            }
        }
    }

    private void begin() {
        SimulatedTask ticket = anyOf(t -> t.where() == Phase.STARTING);
        if (ticket == null) {
            return;
        }
        starting.remove(ticket);
        ticket.place = ticket.register();
        if (ticket.isDecided()) {
            leave(ticket, null);
        } else {
            ticket.move(Phase.RUNNING);
            if (ticket.startedAt == 0) {
                ticket.startedAt = timer.nanoTime(); // as its thread would
            }
            ticket.begin();
            noteStart(ticket);
        }
    }

    private void noteStart(SimulatedTask ticket) {
        if (ticket.startedFirst < 0) {
            ticket.startedFirst = timer.nanoTime();
        }
    }

    private void finish() {
        SimulatedTask ticket = anyOf(t -> t.where() == Phase.RUNNING);
        if (ticket == null) {
            return;
        }
        if (ticket.caller != null) {
            ticket.move(Phase.GONE);
            ticket.caller.release(0);
        } else if (ticket.attempts() != null) {
            boolean succeeds = random.nextBoolean();
            if (succeeds || !ticket.hasRetries() || ticket.isDecided()) {
                ticket.move(Phase.GONE);
            }
            ticket.finishAttempt(ticket.place, succeeds ? "ran" : "failed");
        } else {
            leave(ticket, random.nextBoolean() ? "ran" : "failed");
        }
    }

    private void leave(SimulatedTask ticket, @Nullable String result) {
        ticket.move(Phase.GONE);
        if (sabotage == InjectedFault.STUCK_PLACE && ++calls % 5 == 0) {
            ticket.move(Phase.STARTING); // the books say it is still there
            return;
        }
        ticket.finishTask(ticket.place, result);
        if (sabotage == InjectedFault.DOUBLE_RELEASE && ++calls % 5 == 0) {
            groupOf(ticket).release(0, 0);
        }
    }

    /** The way a real thread goes, in one step. */
    private void runWhole() {
        SimulatedTask ticket = anyOf(t -> t.where() == Phase.STARTING);
        if (ticket != null) {
            starting.remove(ticket);
            ticket.move(Phase.GONE); // what its run starts in its place is not over the limit
            if (!ticket.isDecided()) {
                noteStart(ticket);
            }
            ticket.run();
        }
    }

    private void cancel() {
        SimulatedTask ticket = anyOf(t -> t.ends() == 0 && t.where() != Phase.ASKING && t.where() != Phase.REFUSED);
        if (ticket == null) {
            return;
        }
        boolean waiting = ticket.where() == Phase.WAITING;
        boolean running = ticket.where() == Phase.RUNNING;
        if (waiting) {
            ticket.move(Phase.GONE);
        }
        if (waiting && sabotage == InjectedFault.FORGOTTEN_CANCEL) {
            return;
        }
        KernelTask<?> real = ticket.caller == null ? ticket : ticket.caller;
        boolean cancelled = real.cancel(random.nextBoolean(), "by schedule");
        model.check(cancelled || slipsIn, "a cancel of " + ticket + " had no effect");
        model.check(real.isCompleted() || depth > 0, "cancelled but not ended: " + ticket);
        if (running && sabotage == InjectedFault.RELEASE_AT_CANCEL) {
            groupOf(ticket).release(0, 0);
        }
    }

    private void pass(int quarters) {
        if (sabotage != InjectedFault.DEAD_TIMER) {
            timer.advance(quarters * TTL / 4);
        }
    }

    private void setLimits() {
        String key = anyKey();
        if (dispatcher.group(key) != null) {
            int cap = random.nextInt(5);
            model.cap(key, cap);
            GroupLimits limits = new GroupLimits(cap + model.generosity, Integer.MAX_VALUE, threshold());
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
                model.cap(key, now.effectiveLimit() - (paused ? 0 : model.generosity));
                return now;
            });
        }
    }

    private void setGlobalCap() {
        if (gated || (sabotage == InjectedFault.NONE && random.nextInt(3) == 0)) {
            gated = true;
            int cap = random.nextInt(6);
            model.globalCap(cap);
            dispatcher.setGlobalLimit(cap);
        }
    }

    private void evict() {
        dispatcher.evict(anyKey());
    }

    private void stopGroup() {
        String key = anyKey();
        dispatcher.stopGroup(key);
        noteStopped();
    }

    /** What waited has ended; unless somebody, whom this slipped in on, has it in hand: then it ends when it arrives. */
    private void noteStopped() {
        for (SimulatedTask t : model.tickets) {
            if (t.where() == Phase.WAITING && t.ends() == 1) {
                t.move(Phase.GONE);
            }
        }
    }

    private void closeSometimes() {
        if (depth == 0 && random.nextInt(30) == 0) {
            closed = true;
            dispatcher.close();
        }
    }

    // ---- what the kernel calls -----------------------------------------------------------------------------------

    private GroupLimits resolve(String key) {
        slipIn();
        int cap = 1 + random.nextInt(3);
        if (dispatcher.group(key) == null) {
            model.check(model.used(key) == 0, "forgotten while in use: " + key);
        }
        model.cap(key, cap);
        return new GroupLimits(cap + model.generosity, Integer.MAX_VALUE, threshold());
    }

    private int threshold() {
        return random.nextInt(4) == 0 ? random.nextInt(4) : Integer.MAX_VALUE;
    }

    private void start(Runnable work) {
        if (!(work instanceof SimulatedTask ticket)) {
            work.run(); // an announcement
            return;
        }
        if (sabotage == InjectedFault.NONE && random.nextInt(50) == 0) {
            ticket.move(Phase.GONE);
            model.hadItsTurn(ticket.key);
            throw new IllegalStateException("no thread to be had");
        }
        model.started(ticket);
        if (sabotage != InjectedFault.LOST_START || ++calls % 7 != 0) {
            starting.add(ticket);
        }
        slipIn();
    }

    /** Other threads act while an operation is between two of its steps. */
    private void slipIn() {
        if (!slipsIn || depth >= DEEPEST || random.nextInt(3) > 0) {
            return;
        }
        depth++;
        anything();
        depth--;
    }

    private final class InterleavingReadyQueue implements ReadyQueue {
        @Override
        public void add(Competitor group) {
            slipIn();
            if (sabotage != InjectedFault.FORGETFUL_READY_QUEUE || ++calls % 9 != 0) {
                line.addLast(group);
            }
            slipIn();
        }

        @Override
        public @Nullable Competitor poll() {
            slipIn();
            Competitor next = sabotage == InjectedFault.LAST_COME_FIRST_SERVED ? line.pollLast() : line.pollFirst();
            slipIn();
            return next;
        }

        @Override
        public boolean isEmpty() {
            slipIn();
            return line.isEmpty();
        }
    }

    // ---- the end -------------------------------------------------------------------------------------------------

    private void end() {
        depth = DEEPEST; // from here on one thing at a time
        if (!closed && random.nextBoolean()) {
            finishAll();
            idle();
        }
        if (random.nextBoolean()) {
            closed = true;
            step(dispatcher::close);
            openUp();
        } else {
            closed = true;
            model.stopped = true;
            step(() -> {
                dispatcher.stop();
                noteStopped();
            });
        }
        finishAll();
        model.everyTicketEnded();
        model.check(terminated(), "terminates: all tickets are gone, and it does not say so");
        model.check(dispatcher.groups().isEmpty(), "groups are left");
    }

    private void finishAll() {
        if (!closed) {
            openUp();
        }
        while (unfinished() != null || delayed() != null) {
            step(this::begin);
            step(this::finish);
            if (unfinished() == null) {
                step(() -> pass(1));
            }
        }
    }

    private @Nullable SimulatedTask unfinished() {
        return anyOf(t -> (t.where() == Phase.STARTING && starting.contains(t)) || t.where() == Phase.RUNNING);
    }

    private @Nullable SimulatedTask delayed() {
        return anyOf(t -> t.where() == Phase.DELAYED || t.where() == Phase.KEEPING);
    }

    /** Every cap has room for one again, so that what waits can end. */
    private void openUp() {
        for (String key : keys) {
            if (dispatcher.group(key) != null && model.caps.getOrDefault(key, 0) == 0) {
                step(() -> {
                    model.cap(key, 1);
                    dispatcher.changeLimits(key, before -> new GroupLimits(1, 1, Integer.MAX_VALUE));
                });
            }
        }
        if (gated && model.globalCap == 0) {
            step(() -> {
                model.globalCap(1);
                dispatcher.setGlobalLimit(1);
            });
        }
    }

    private void idle() {
        pass(3);
        pass(8);
        if (sabotage != InjectedFault.LOST_START && sabotage != InjectedFault.STUCK_PLACE) {
            model.check(dispatcher.groups().isEmpty(), "idle costs nothing: groups are left after their time");
            model.check(line.isEmpty(), "idle costs nothing: the ready queue holds groups after their time");
            model.check(timer.pending() == 0, "idle costs nothing: the timer has work");
        }
    }

    private boolean terminated() {
        try {
            return dispatcher.awaitTermination(0);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private Group groupOf(SimulatedTask ticket) {
        Group group = dispatcher.group(ticket.key);
        return group == null ? new Group("gone", new GroupLimits(1, 1, 1), dispatcher, false, true) : group;
    }

    private CompletionListening anyWatch() {
        return WATCHES.get(random.nextInt(WATCHES.size()));
    }

    private String anyKey() {
        return keys[random.nextInt(keys.length)];
    }

    private @Nullable SimulatedTask anyOf(Predicate<SimulatedTask> which) {
        List<SimulatedTask> fitting = model.tickets.stream()
                .filter(which)
                .filter(t -> t.where() != Phase.STARTING || starting.contains(t) || t.ends() == 0)
                .toList();
        return fitting.isEmpty() ? null : fitting.get(random.nextInt(fitting.size()));
    }
}
