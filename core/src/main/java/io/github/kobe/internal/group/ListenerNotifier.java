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
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Calls the listeners, one after the other. The monitor catches what a listener throws. If a listener does not return, another thread calls the
 * listeners after it and lets the task continue.
 */
final class ListenerNotifier {

    private static final String ON_STARTED = "listener onStarted";
    private static final String ON_COMPLETED = "listener onCompleted";
    private static final String ON_REJECTED = "listener onRejected";

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
        tellOnCaller(listeners.startEntries(), ON_STARTED, task, listener -> listener.onStarted(task, waited));
    }

    /** Runs on the task's thread. A listener that does not return delays only this task. */
    void retrying(TaskHandle<?> task, int failedAttempts, Throwable fault, Duration delay) {
        tellOnCaller(
                listeners.entries(),
                "listener onRetry",
                task,
                listener -> listener.onRetry(task, failedAttempts, fault, delay));
    }

    /** As {@link #completed}. */
    void completedOnCaller(TaskIdentity task, GroupResult<?> result) {
        tellOnCaller(listeners.entries(), ON_COMPLETED, task, listener -> listener.onCompleted(task, result));
    }

    /** As {@link #completed} of a rejected task. */
    void rejectedOnCaller(TaskIdentity task, Rejection rejection) {
        tellOnCaller(listeners.entries(), ON_REJECTED, task, listener -> listener.onRejected(task, rejection));
    }

    private void tellOnCaller(
            ListenerRegistry.Entry[] entries, String name, TaskIdentity task, Consumer<TaskLifecycleListener> call) {
        for (ListenerRegistry.Entry entry : entries) {
            TaskLifecycleListener listener = entry.listener();
            if (listener != null) {
                monitor.guard(name, task, () -> call.accept(listener));
            }
        }
    }

    // ---- with another thread that continues ----------------------------------------------------------------------

    /** Whether a listener hears of starts. If not, {@link #started} would do nothing. */
    boolean observesStarts() {
        return listeners.startEntries().length != 0;
    }

    /**
     * The task is about to begin. If a listener does not return in time, another thread calls {@link GroupTaskImpl#beginWithout}.
     *
     * @param waited how long it was queued
     * @return false if another thread begins instead of the calling one
     */
    boolean started(GroupTaskImpl<?> task, Duration waited, int slot) {
        return new StartedTask(task, waited, slot).tell();
    }

    /** As {@link #started(GroupTaskImpl, Duration, int)}; the other thread runs {@code takeOver}. */
    boolean started(GroupPermit permit, Duration waited, Runnable takeOver) {
        return new StartedPermit(permit, waited, takeOver).tell();
    }

    /**
     * The outcome is decided. If a listener does not return in time, another thread calls {@link GroupTaskImpl#continueWithout}.
     *
     * @return false if another thread continues instead of the calling one
     */
    <T extends @Nullable Object> boolean completed(GroupTaskImpl<T> task, GroupResult<T> result, int slot) {
        Rejection rejection = result.status() != TaskStatus.REJECTED
                ? null
                : Objects.requireNonNull(task.rejection() == null ? result.rejection() : task.rejection());
        return new Completed<>(task, result, rejection, slot).tell();
    }

    /** What happened, and the call of one listener with it. Made for every step of every task, so it is a single object. */
    private abstract class Event extends CallbackMonitor.Call {
        private final ListenerRegistry.Entry[] entries;
        private final int number; // of the listener

        Event(TaskIdentity task, ListenerRegistry.Entry[] entries) {
            super(task);
            this.entries = entries;
            this.number = 0;
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

        final TaskIdentity task() {
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
            Captured context = ((InContext) subject).listenerContext();
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
    }

    private abstract class Started extends Event {
        private final Duration waited;

        Started(TaskIdentity task, Duration waited) {
            super(task, listeners.startEntries());
            this.waited = waited;
        }

        Started(Started last) {
            super(last);
            this.waited = last.waited;
        }

        @Override
        protected final String name() {
            return ON_STARTED;
        }

        @Override
        final void tell(TaskLifecycleListener listener) {
            listener.onStarted(task(), waited);
        }
    }

    private final class StartedTask extends Started {
        private final Thread thread;
        private final int slot;

        StartedTask(GroupTaskImpl<?> task, Duration waited, int slot) {
            super(task, waited);
            this.thread = Thread.currentThread();
            this.slot = slot;
        }

        private StartedTask(StartedTask last) {
            super(last);
            this.thread = last.thread;
            this.slot = last.slot;
        }

        @Override
        Event next() {
            return new StartedTask(this);
        }

        @Override
        void continueElsewhere() {
            ((GroupTaskImpl<?>) subject).beginWithout(thread, slot);
        }
    }

    private final class StartedPermit extends Started {
        private final Runnable takeOver;

        StartedPermit(GroupPermit permit, Duration waited, Runnable takeOver) {
            super(permit, waited);
            this.takeOver = takeOver;
        }

        private StartedPermit(StartedPermit last) {
            super(last);
            this.takeOver = last.takeOver;
        }

        @Override
        Event next() {
            return new StartedPermit(this);
        }

        @Override
        void continueElsewhere() {
            takeOver.run();
        }
    }

    private final class Completed<T extends @Nullable Object> extends Event {
        private final GroupResult<T> result;
        private final @Nullable Rejection rejection;
        private final Thread thread;
        private final int slot;

        Completed(GroupTaskImpl<T> task, GroupResult<T> result, @Nullable Rejection rejection, int slot) {
            super(task, listeners.entries());
            this.result = result;
            this.rejection = rejection;
            this.thread = Thread.currentThread();
            this.slot = slot;
        }

        private Completed(Completed<T> last) {
            super(last);
            this.result = last.result;
            this.rejection = last.rejection;
            this.thread = last.thread;
            this.slot = last.slot;
        }

        @Override
        Event next() {
            return new Completed<>(this);
        }

        @Override
        protected String name() {
            return rejection == null ? ON_COMPLETED : ON_REJECTED;
        }

        @Override
        void tell(TaskLifecycleListener listener) {
            if (rejection == null) {
                listener.onCompleted(task(), result);
            } else {
                listener.onRejected(task(), rejection);
            }
        }

        @Override
        @SuppressWarnings("unchecked") // the task of the result
        void continueElsewhere() {
            ((GroupTaskImpl<T>) subject).continueWithout(thread, result, slot);
        }
    }
}
