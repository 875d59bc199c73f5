package io.github.kobe.internal.kernel;

import io.github.kobe.internal.kernel.SimulatedTask.Phase;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** What the simulation knows must be true, kept apart from the kernel and compared with it after every step. */
final class ReferenceModel {

    final List<SimulatedTask> tickets = new ArrayList<>();
    final Map<String, Integer> caps = new HashMap<>();
    final Map<String, Integer> highestCapThisStep = new HashMap<>();
    private final Map<String, Map<String, Integer>> overtakenBy = new HashMap<>();

    private @Nullable AssertionError firstComplaint;
    int globalCap;
    int highestGlobalCapThisStep;
    int mostOvertakes = 1;
    int generosity;
    int globalThreshold;
    boolean stopped;
    boolean slipsIn;
    BooleanSupplier othersUnderWay = () -> false;
    long now;
    private int clock;

    /** Counts up; what has the smaller number came first. */
    int tick() {
        return clock++;
    }

    void stepBegins() {
        highestCapThisStep.clear();
        highestCapThisStep.putAll(caps);
        highestGlobalCapThisStep = globalCap;
    }

    void cap(String key, int cap) {
        caps.put(key, cap);
        highestCapThisStep.merge(key, cap, Math::max);
    }

    void globalCap(int cap) {
        globalCap = cap;
        highestGlobalCapThisStep = Math.max(highestGlobalCapThisStep, cap);
    }

    int used(@Nullable String key) {
        int n = 0;
        for (SimulatedTask t : tickets) {
            if (t.holdsPlace() && (key == null || t.key.equals(key))) {
                n++;
            }
        }
        return n;
    }

    int waiting(String key) {
        int n = 0;
        for (SimulatedTask t : tickets) {
            if (t.where() == Phase.WAITING && t.key.equals(key)) {
                n++;
            }
        }
        return n;
    }

    /** A ticket gets a place: it has it from now on, and must have been next. */
    void started(SimulatedTask ticket) {
        boolean again = ticket.hasFailedBefore() && ticket.wishes.keepsPlace();
        check(again || ticket.where() != Phase.GONE || ticket.ends() == 1, "started after it was gone: " + ticket);
        for (SimulatedTask t : tickets) {
            check(
                    again
                            || othersUnderWay.getAsBoolean() // one of them may have the earlier ticket in hand
                            || t.where() != Phase.WAITING
                            || !t.key.equals(ticket.key)
                            || (slipsIn && !t.isPeerOf(ticket)) // it may have come while the other was in hand
                            || !t.goesBefore(ticket),
                    (t.isPeerOf(ticket) ? "submission order: " : "priority order: ") + ticket + " started before " + t);
        }
        if (again) {
            ticket.move(Phase.STARTING);
            return;
        }
        countOvertakes(ticket.key);
        ticket.move(Phase.STARTING);
        check(
                used(ticket.key) <= highestCapThisStep.getOrDefault(ticket.key, caps.getOrDefault(ticket.key, 0)),
                "hard limit of " + ticket.key + ": " + used(ticket.key) + " in use, cap " + caps.get(ticket.key));
        check(used(null) <= highestGlobalCapThisStep, "hard limit over all: " + used(null) + " of " + globalCap);
    }

    /** The kernel puts an end to a ticket. */
    void ousted(SimulatedTask ticket, TerminationCause why) {
        hadItsTurn(ticket.key); // it may have been taken for its turn
        if (why == TerminationCause.DISPLACED) {
            for (SimulatedTask t : tickets) {
                boolean better = t.wishes.priority() < ticket.wishes.priority()
                        || (t.isPeerOf(ticket) && t.admitted < ticket.asked);
                check(
                        slipsIn || t.where() != Phase.WAITING || !t.key.equals(ticket.key) || !better,
                        "displacing: " + ticket + " had to go, rather than " + t);
            }
        }
    }

    /** No budget is past its end without consequences. */
    private void checkBudgets(SimulatedTask t) {
        check(
                t.where() != Phase.WAITING || t.hasFailedBefore() || now - t.queuedAt < t.wishes.maxQueue(),
                "in time: " + t + " should have expired");
        check(
                t.startedFirst < 0 || t.isDecided() || now - t.startedFirst < t.wishes.timeout(),
                "in time: " + t + " should have timed out");
    }

    void hadItsTurn(String key) {
        overtakenBy.remove(key);
    }

    private void countOvertakes(String served) {
        hadItsTurn(served);
        for (String key : caps.keySet()) {
            if (key.equals(served) || !isReady(key)) {
                continue;
            }
            int times = overtakenBy.computeIfAbsent(key, k -> new HashMap<>()).merge(served, 1, Integer::sum);
            check(
                    times <= mostOvertakes,
                    "round robin: " + served + " was served " + times + " times while " + key + " was ready");
        }
    }

    private boolean isReady(String key) {
        return waiting(key) > 0 && used(key) < caps.get(key);
    }

    /** Whether the last one may wait, by the rule of the thresholds: those that wait beyond the room there is count. */
    boolean hadRoomInLine(String key, Dispatcher dispatcher) {
        Group group = dispatcher.group(key);
        boolean inGroup =
                group == null || waiting(key) - 1 < (long) group.limits().queueThreshold() + room(group);
        return inGroup && hasRoomInAll(1);
    }

    private int room(Group group) {
        return Math.max(0, group.limits().effectiveLimit() - used(group.key()));
    }

    private boolean hasRoomInAll(int butFor) {
        int inLine = -butFor;
        for (String key : caps.keySet()) {
            inLine += waiting(key);
        }
        return globalCap == Integer.MAX_VALUE || inLine < (long) globalThreshold + Math.max(0, globalCap - used(null));
    }

    void checkRefusal(String key, Admission admission, Dispatcher dispatcher) {
        Group group = dispatcher.group(key);
        switch (admission) {
            case GROUP_QUEUE_FULL ->
                check(
                        group != null && waiting(key) >= (long) group.limits().queueThreshold() + room(group),
                        "thresholds: " + key + " refused with " + waiting(key) + " in line");
            case GLOBAL_QUEUE_FULL ->
                check(!hasRoomInAll(0), "thresholds: refused by all, though there is room in line");
            default -> {}
        }
    }

    /** Compares the kernel with the model when nothing is under way. */
    void compare(Dispatcher dispatcher) {
        overtakenBy.keySet().removeIf(key -> !isReady(key));
        for (SimulatedTask t : tickets) {
            check(t.ends() <= 1, "exactly once: " + t + " ended " + t.ends() + " times");
            checkBudgets(t);
        }
        for (Group group : dispatcher.groups()) {
            caps.put(
                    group.key(),
                    group.limits().effectiveLimit() - generosity); // of several that were resolved at once, one counts
        }
        for (Group group : dispatcher.groups()) {
            compare(group);
        }
        if (globalCap != Integer.MAX_VALUE && !stopped) {
            check(
                    dispatcher.globalInFlight() == used(null),
                    "truthful permits: " + dispatcher.globalInFlight() + " global places in use, " + used(null)
                            + " on threads");
        }
    }

    private void compare(Group group) {
        String key = group.key();
        check(
                group.active() == used(key),
                "truthful permits: " + key + " has " + group.active() + " in use, " + used(key) + " on threads");
        check(
                group.queued() == waiting(key),
                "queue of " + key + ": " + group.queued() + ", should be " + waiting(key));
        check(
                !isReady(key) || used(null) >= globalCap,
                "work conserving: " + key + " has " + waiting(key) + " waiting and room");
    }

    void everyTicketEnded() {
        for (SimulatedTask t : tickets) {
            int due = t.where() == Phase.REFUSED ? 0 : 1;
            check(t.ends() == due, "every ticket ends: " + t + " ended " + t.ends() + " times");
            check(t.caller != null || t.isCompleted() == (due == 1), "every handle completes: " + t);
        }
    }

    /** Also remembered, since the kernel takes what is thrown into a callback of its for the callback's fault. */
    void check(boolean truth, String complaint) {
        if (!truth) {
            if (firstComplaint == null) {
                firstComplaint = new AssertionError(complaint);
            }
            throw firstComplaint;
        }
    }

    void rethrow() {
        if (firstComplaint != null) {
            throw firstComplaint;
        }
    }
}
