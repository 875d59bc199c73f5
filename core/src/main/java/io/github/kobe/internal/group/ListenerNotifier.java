package io.github.kobe.internal.group;

import io.github.kobe.ContextCarrier.Captured;
import io.github.kobe.GroupResult;
import io.github.kobe.Rejection;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskIdentity;
import io.github.kobe.TaskLifecycleListener;
import io.github.kobe.TaskStatus;
import io.github.kobe.internal.kernel.CallbackMonitor;
import io.github.kobe.internal.util.Faults;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Calls the listeners, one after the other. The monitor catches what a listener throws. If a listener does not return, another thread calls the
 * listeners after it and lets the task continue.
 */
final class ListenerNotifier {

    private static final String ON_COMPLETED = "listener onCompleted";

    private final ListenerRegistry listeners;
    private final CallbackMonitor monitor;
    private final Faults faults;

    ListenerNotifier(ListenerRegistry listeners, CallbackMonitor monitor, Faults faults) {
        this.listeners = listeners;
        this.monitor = monitor;
        this.faults = faults;
    }

    /**
     * A task or a permit that has a context. If another thread may continue, listeners are called inside it; the callers of the other methods do so
     * themselves.
     */
    interface InContext {
        /** Returns {@code null} if there is no context. */
        @Nullable
        Captured listenerContext();
    }

    // ---- on a caller's thread, which no other thread can continue for --------------------------------------------

    /** Allocates nothing, because it is a part of each submit. */
    void submitted(TaskIdentity task) {
        for (ListenerRegistry.Entry entry : listeners.entries()) {
            TaskLifecycleListener listener = entry.listener();
            try {
                if (listener != null) {
                    listener.onSubmitted(task);
                }
            } catch (Throwable fault) {
                faults.report("listener onSubmitted", task, fault);
            }
        }
    }

    /** As {@link #started}. */
    void startedOnCaller(TaskIdentity task, Duration waited) {
        new Started(task, waited, null).tellOnCaller();
    }

    /** Runs on the task's thread. A listener that does not return delays only this task. */
    void retrying(TaskHandle<?> task, int failedAttempts, Throwable fault, Duration delay) {
        new Retrying(task, failedAttempts, fault, delay).tellOnCaller();
    }

    /** As {@link #completed}. */
    void completedOnCaller(TaskIdentity task, GroupResult<?> result) {
        new Completed(task, result).tellOnCaller();
    }

    /** As {@link #completed} of a rejected task. */
    void rejectedOnCaller(TaskIdentity task, Rejection rejection) {
        new Rejected(task, rejection, null).tellOnCaller();
    }

    // ---- with another thread that continues ----------------------------------------------------------------------

    /** Whether a listener hears of starts. If not, {@link #started} would do nothing. */
    boolean observesStarts() {
        return listeners.startEntries().length != 0;
    }

    /**
     * The task is about to begin.
     *
     * @param waited how long it was queued
     * @param takeOver runs on another thread if a listener does not return in time
     * @return false if {@code takeOver} runs instead of the calling thread
     */
    boolean started(TaskIdentity task, Duration waited, Runnable takeOver) {
        return new Started(task, waited, takeOver).tell();
    }

    /** The outcome is decided. As {@link #started}; the other thread calls {@link GroupTaskImpl#continueWithout}. */
    <T extends @Nullable Object> boolean completed(GroupTaskImpl<T> task, GroupResult<T> result, int slot) {
        if (result.status() != TaskStatus.REJECTED) {
            return new CompletedTask<>(task, result, slot).tell();
        }
        Thread self = Thread.currentThread();
        Rejection rejection = Objects.requireNonNull(task.rejection() == null ? result.rejection() : task.rejection());
        return new Rejected(task, rejection, () -> task.continueWithout(self, result, slot)).tell();
    }

    /** What happened, and the call of one listener with it. Made for every step of every task, so it is a single object. */
    private abstract class Event extends CallbackMonitor.Call {
        private final ListenerRegistry.Entry[] entries;
        private int number; // of the listener

        Event(TaskIdentity task, ListenerRegistry.Entry[] entries) {
            super(task);
            this.entries = entries;
        }

        /** For the next listener. A call is monitored once. */
        Event(Event last) {
            super(last.subject);
            this.entries = last.entries;
            this.number = last.number + 1;
        }

        abstract Event next();

        /** What comes after the last listener, on another thread. */
        abstract void continueElsewhere();

        /** Calls the method of {@code listener} that is meant for what happened. */
        abstract void tell(TaskLifecycleListener listener);

        TaskIdentity task() {
            return (TaskIdentity) subject;
        }

        /** Every call of a listener comes through here. */
        @Override
        protected final void invoke() {
            TaskLifecycleListener listener = entries[number].listener();
            if (listener != null) {
                tell(listener);
            }
        }

        @Override
        protected final void takeOver() {
            if (number + 1 == entries.length || next().tell()) {
                continueElsewhere();
            }
        }

        /** Calls this listener and those after it, inside the context of the task. False if another thread continues. */
        final boolean tell() {
            Captured context = subject instanceof InContext owner ? owner.listenerContext() : null;
            return context == null ? tellHere() : CarriedContext.call(context, task(), faults, this::tellHere);
        }

        private boolean tellHere() {
            for (Event event = this; event.number < entries.length; event = event.next()) {
                if (!monitor.call(event)) {
                    return false;
                }
                if (event.number + 1 == entries.length) {
                    return true;
                }
            }
            return true;
        }

        final void tellOnCaller() {
            for (; number < entries.length; number++) {
                monitor.guard(this);
            }
        }
    }

    /** An event after which a given action comes; {@code null} on a caller's thread. */
    private abstract class EventBefore extends Event {
        private final @Nullable Runnable takeOver;

        EventBefore(TaskIdentity task, ListenerRegistry.Entry[] entries, @Nullable Runnable takeOver) {
            super(task, entries);
            this.takeOver = takeOver;
        }

        EventBefore(EventBefore last) {
            super(last);
            this.takeOver = last.takeOver;
        }

        @Override
        void continueElsewhere() {
            Objects.requireNonNull(takeOver).run();
        }
    }

    private final class Started extends EventBefore {
        private final Duration waited;

        Started(TaskIdentity task, Duration waited, @Nullable Runnable takeOver) {
            super(task, listeners.startEntries(), takeOver);
            this.waited = waited;
        }

        private Started(Started last) {
            super(last);
            this.waited = last.waited;
        }

        @Override
        Event next() {
            return new Started(this);
        }

        @Override
        protected String name() {
            return "listener onStarted";
        }

        @Override
        void tell(TaskLifecycleListener listener) {
            listener.onStarted(task(), waited);
        }
    }

    private final class Retrying extends EventBefore {
        private final int failedAttempts;
        private final Throwable fault;
        private final Duration delay;

        Retrying(TaskIdentity task, int failedAttempts, Throwable fault, Duration delay) {
            super(task, listeners.entries(), null);
            this.failedAttempts = failedAttempts;
            this.fault = fault;
            this.delay = delay;
        }

        @Override
        Event next() {
            throw new AssertionError("it is told on the caller's thread");
        }

        @Override
        protected String name() {
            return "listener onRetry";
        }

        @Override
        void tell(TaskLifecycleListener listener) {
            listener.onRetry(task(), failedAttempts, fault, delay);
        }
    }

    private final class Completed extends EventBefore {
        private final GroupResult<?> result;

        Completed(TaskIdentity task, GroupResult<?> result) {
            super(task, listeners.entries(), null);
            this.result = result;
        }

        @Override
        Event next() {
            throw new AssertionError("it is told on the caller's thread");
        }

        @Override
        protected String name() {
            return ON_COMPLETED;
        }

        @Override
        void tell(TaskLifecycleListener listener) {
            listener.onCompleted(task(), result);
        }
    }

    private final class CompletedTask<T extends @Nullable Object> extends Event {
        private final GroupResult<T> result;
        private final Thread thread;
        private final int slot;

        CompletedTask(GroupTaskImpl<T> task, GroupResult<T> result, int slot) {
            super(task, listeners.entries());
            this.result = result;
            this.thread = Thread.currentThread();
            this.slot = slot;
        }

        private CompletedTask(CompletedTask<T> last) {
            super(last);
            this.result = last.result;
            this.thread = last.thread;
            this.slot = last.slot;
        }

        @Override
        Event next() {
            return new CompletedTask<>(this);
        }

        @Override
        protected String name() {
            return ON_COMPLETED;
        }

        @Override
        void tell(TaskLifecycleListener listener) {
            listener.onCompleted(task(), result);
        }

        @Override
        @SuppressWarnings("unchecked") // the task of the result
        void continueElsewhere() {
            ((GroupTaskImpl<T>) subject).continueWithout(thread, result, slot);
        }
    }

    private final class Rejected extends EventBefore {
        private final Rejection rejection;

        Rejected(TaskIdentity task, Rejection rejection, @Nullable Runnable takeOver) {
            super(task, listeners.entries(), takeOver);
            this.rejection = rejection;
        }

        private Rejected(Rejected last) {
            super(last);
            this.rejection = last.rejection;
        }

        @Override
        Event next() {
            return new Rejected(this);
        }

        @Override
        protected String name() {
            return "listener onRejected";
        }

        @Override
        void tell(TaskLifecycleListener listener) {
            listener.onRejected(task(), rejection);
        }
    }
}
