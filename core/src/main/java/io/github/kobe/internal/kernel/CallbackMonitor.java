package io.github.kobe.internal.kernel;

import io.github.kobe.internal.time.PeriodicSweep;
import io.github.kobe.internal.time.Timer;
import io.github.kobe.internal.time.TimerEntry;
import io.github.kobe.internal.util.Faults;
import io.github.kobe.internal.util.PaddedSlots;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Calls listeners and hooks on the thread that has an event for them, and bounds how long they can hold that thread's work up. Group
 * executors and scopes share it.
 *
 * <p>A callback that returns in time is an ordinary call: it happens before what the thread does next. If it has not returned after
 * {@link #MAX_CALLBACK_NANOS}, another thread continues instead.
 *
 * <p>A call costs two compare-and-sets and reads no clock. It is in a slot while the callback runs. A sweep, every half of the time, notes
 * the calls that it finds, and takes over those that it found first long enough ago. So a call is taken over after once to one and a half times
 * the time, and never earlier. If no slot is free, because many callbacks block, the call has a timer entry instead.
 *
 * <table>
 * <caption>Races</caption>
 * <tr><th>one side</th><th>other side</th><th>so</th></tr>
 * <tr><td>a call has returned: its thread moves the slot from the call to free</td><td>the sweep does the same, to take the call
 *     over</td><td>one compare-and-set succeeds, and exactly one thread continues. No call is in a slot twice, so the slot of another call cannot be
 *     mistaken for it</td></tr>
 * <tr><td>a call is put into a slot, then reads whether a sweep is scheduled</td><td>the last sweep says that none is scheduled, then reads the slots
 *     again</td><td>the call schedules a sweep, or the sweep finds the call and schedules the next. Both sides have a full fence in
 *     between</td></tr>
 * </table>
 */
public final class CallbackMonitor {

    /** How long a callback may take at least before another thread continues. */
    static final long MAX_CALLBACK_NANOS = TimeUnit.SECONDS.toNanos(1);

    static final long SWEEP_PERIOD = MAX_CALLBACK_NANOS / 2;

    /** Of the callbacks that run at a time, most are on a processor, and only for a moment. */
    private static final int SLOTS =
            Integer.highestOneBit(Math.max(16, 2 * Runtime.getRuntime().availableProcessors() - 1));

    private final Timer timer;
    private final Consumer<Runnable> otherThreads;
    private final Faults faults;
    private final PaddedSlots<Call> calls = new PaddedSlots<>(SLOTS);

    /** The call that the last sweep has found in each slot, and when it was first found. For sweeps, one at a time. */
    private final @Nullable Call[] found = new @Nullable Call[SLOTS];

    private final long[] foundAt = new long[SLOTS];
    private final PeriodicSweep sweep;

    /** One call of a callback. */
    public abstract static class Call {
        /** What the callback is about, in reports. */
        protected final Object subject;

        /** For subclasses. */
        protected Call(Object subject) {
            this.subject = subject;
        }

        /** The name of the callback in reports. */
        protected abstract String name();

        /** Calls the callback. What it throws is reported. */
        protected abstract void invoke();

        /** Does what comes next, on another thread, because the callback has not returned in time. */
        protected abstract void takeOver();
    }

    /** @param otherThreads runs, on another thread, what a blocked callback holds up */
    public CallbackMonitor(Timer timer, Consumer<Runnable> otherThreads, Faults faults) {
        this.timer = timer;
        this.otherThreads = otherThreads;
        this.faults = faults;
        this.sweep = new PeriodicSweep(timer, SWEEP_PERIOD, this::takeOverOverdue, this::hasCalls);
    }

    /**
     * Makes a call.
     *
     * @return whether the caller continues; false if {@link Call#takeOver} runs on another thread instead
     */
    public boolean call(Call call) {
        int slot = begin(call);
        if (slot == PaddedSlots.NONE) {
            return callWithTimer(call);
        }
        guard(call);
        return end(slot, call);
    }

    /** As {@link #call(Call)}. */
    public boolean call(String name, Object subject, Runnable callback, Runnable takeOver) {
        return call(new Call(subject) {
            @Override
            protected String name() {
                return name;
            }

            @Override
            protected void invoke() {
                callback.run();
            }

            @Override
            protected void takeOver() {
                takeOver.run();
            }
        });
    }

    /** Makes a call that holds nothing up. What it throws is reported. */
    public void guard(Call call) {
        try {
            call.invoke();
        } catch (Throwable fault) {
            faults.report(call.name(), call.subject, fault);
        }
    }

    /** As {@link #guard(Call)}. */
    public void guard(String name, Object subject, Runnable callback) {
        try {
            callback.run();
        } catch (Throwable fault) {
            faults.report(name, subject, fault);
        }
    }

    /** The slot of the call, which a sweep finds from now on; {@link PaddedSlots#NONE} if there is none. */
    int begin(Call call) {
        int slot = calls.tryAdd(call);
        if (slot != PaddedSlots.NONE) {
            scheduleSweep(call);
        }
        return slot;
    }

    /** The callback has returned. False if another thread continues. */
    boolean end(int slot, Call call) {
        return calls.tryRemove(slot, call);
    }

    private void scheduleSweep(Call call) {
        try {
            sweep.schedule();
        } catch (Throwable noTimer) {
            faults.report("start of a timer", call.subject, noTimer); // the next call tries again
        }
    }

    private boolean hasCalls() {
        for (int i = 0; i < calls.size(); i++) {
            if (calls.get(i) != null) {
                return true;
            }
            found[i] = null; // there may be no other sweep
        }
        return false;
    }

    private void takeOverOverdue() {
        long now = timer.nanoTime();
        for (int i = 0; i < calls.size(); i++) {
            Call call = calls.get(i);
            note(i, call, now);
            if (call != null && now - foundAt[i] >= MAX_CALLBACK_NANOS && calls.tryRemove(i, call)) {
                takeOver(call);
            }
        }
    }

    @SuppressWarnings("ReferenceEquality") // identity of calls
    private void note(int slot, @Nullable Call call, long now) {
        if (found[slot] != call) {
            found[slot] = call;
            foundAt[slot] = now;
        }
    }

    private void takeOver(Call call) {
        faults.report(call.name(), call.subject, "has not returned after a second, so another thread continues,");
        otherThreads.accept(call::takeOver);
    }

    // ---- without a slot ------------------------------------------------------------------------------------------

    /** Fires if the callback has not returned in time. Either the timer fires it, or the calling thread cancels it. */
    private final class CallEntry extends TimerEntry {
        private final Call call;

        CallEntry(Call call) {
            this.call = call;
        }

        @Override
        public void fire() {
            takeOver(call);
        }
    }

    private boolean callWithTimer(Call call) {
        CallEntry entry = start(call);
        guard(call);
        return entry == null || timer.cancel(entry);
    }

    private @Nullable CallEntry start(Call call) {
        CallEntry entry = new CallEntry(call);
        try {
            timer.start(entry, MAX_CALLBACK_NANOS);
            return entry;
        } catch (Throwable noTimer) {
            faults.report("start of a timer", call.subject, noTimer); // the call is not bounded
            return null;
        }
    }
}
