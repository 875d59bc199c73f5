package io.github.kobe.internal.group;

import io.github.kobe.ContextCarrier.Captured;
import io.github.kobe.GroupResult;
import io.github.kobe.Rejection;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskIdentity;
import io.github.kobe.TaskLifecycleListener;
import io.github.kobe.TaskStatus;
import io.github.kobe.internal.group.ListenerRegistry.Chain;
import io.github.kobe.internal.kernel.CallbackMonitor;
import io.github.kobe.internal.util.Faults;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Calls the listeners, one after the other. What a listener throws is caught and reported. If a listener does not return, another thread calls the
 * listeners after it and lets the task continue.
 *
 * <p>Calls go through the monitor, with two exceptions: {@code onSubmitted}, and listeners that never block. The latter are called directly if the
 * task carries no context, as long as no listener before them may block.
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
        for (Chain each = listeners.all(); each != null; each = each.next()) {
            TaskLifecycleListener listener = each.listener();
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
        tellOnCaller(listeners.ofStarts(), ON_STARTED, task, listener -> listener.onStarted(task, waited));
    }

    /** Runs on the task's thread. A listener that does not return delays only this task. */
    void retrying(TaskHandle<?> task, int failedAttempts, Throwable fault, Duration delay) {
        tellOnCaller(
                listeners.all(),
                "listener onRetry",
                task,
                listener -> listener.onRetry(task, failedAttempts, fault, delay));
    }

    /** As {@link #completed}. */
    void completedOnCaller(TaskIdentity task, GroupResult<?> result) {
        tellOnCaller(listeners.all(), ON_COMPLETED, task, listener -> listener.onCompleted(task, result));
    }

    /** As {@link #completed} of a rejected task. */
    void rejectedOnCaller(TaskIdentity task, Rejection rejection) {
        tellOnCaller(listeners.all(), ON_REJECTED, task, listener -> listener.onRejected(task, rejection));
    }

    private void tellOnCaller(
            @Nullable Chain told, String name, TaskIdentity task, Consumer<TaskLifecycleListener> call) {
        for (Chain each = told; each != null; each = each.next()) {
            TaskLifecycleListener listener = each.listener();
            if (listener != null) {
                monitor.guard(name, task, () -> call.accept(listener));
            }
        }
    }

    // ---- with another thread that continues ----------------------------------------------------------------------

    /**
     * The task is about to begin. If a listener does not return in time, another thread calls {@link GroupTaskImpl#beginWithout}.
     *
     * @return false if another thread begins instead of the calling one
     */
    boolean started(GroupTaskImpl<?> task, int slot) {
        Chain told = tellDirectly(listeners.ofStarts(), task, null);
        return told == null || tell(new StartedTask(task, told, slot));
    }

    /**
     * As {@link #started(GroupTaskImpl, int)}; the other thread runs {@code takeOver}.
     *
     * @param waited how long it was queued
     */
    boolean started(GroupPermit permit, Duration waited, Runnable takeOver) {
        Chain told = listeners.ofStarts();
        return told == null || tell(new StartedPermit(permit, told, this, waited, takeOver));
    }

    /**
     * The outcome is decided. If a listener does not return in time, another thread calls {@link GroupTaskImpl#continueWithout}.
     *
     * @return false if another thread continues instead of the calling one
     */
    <T extends @Nullable Object> boolean completed(GroupTaskImpl<T> task, GroupResult<T> result, int slot) {
        Chain told = tellDirectly(listeners.all(), task, result);
        return told == null || tell(new Completed<>(task, told, result, Thread.currentThread(), slot));
    }

    /**
     * Calls the first listeners, as long as they do not block. For these no other thread has to continue, so a call needs neither an object
     * nor a slot of the monitor.
     *
     * @param result {@code null} if the task starts
     * @return the first listener that may block, and those after it
     */
    private @Nullable Chain tellDirectly(@Nullable Chain told, GroupTaskImpl<?> task, @Nullable GroupResult<?> result) {
        Chain each = told;
        while (each != null && !each.mayBlock() && task.listenerContext() == null) {
            TaskLifecycleListener listener = each.listener();
            try {
                if (listener != null) {
                    if (result == null) {
                        listener.onStarted(task, task.waited());
                    } else {
                        tellOutcome(listener, task, result);
                    }
                }
            } catch (Throwable fault) {
                faults.report(result == null ? ON_STARTED : nameOf(result), task, fault);
            }
            each = each.next();
        }
        return each;
    }

    private static void tellOutcome(TaskLifecycleListener listener, GroupTaskImpl<?> task, GroupResult<?> result) {
        if (result.status() == TaskStatus.REJECTED) {
            Rejection ofTask = task.rejection();
            listener.onRejected(task, Objects.requireNonNull(ofTask == null ? result.rejection() : ofTask));
        } else {
            listener.onCompleted(task, result);
        }
    }

    private static String nameOf(GroupResult<?> result) {
        return result.status() == TaskStatus.REJECTED ? ON_REJECTED : ON_COMPLETED;
    }

    /** Calls the listener of {@code event} and those after it, inside the context of the task. False if another thread continues. */
    private boolean tell(Event event) {
        Captured context = event.context();
        return context == null
                ? tellHere(event)
                : CarriedContext.call(context, event.task(), faults, () -> tellHere(event));
    }

    private boolean tellHere(Event first) {
        Event event = first;
        while (monitor.call(event)) {
            Chain rest = event.told.next();
            if (rest == null) {
                return true;
            }
            event = event.to(rest);
        }
        return false;
    }

    /**
     * What happened, and the call of one listener with it. Made for every step of every task, so it is a single object, and has no field for what
     * its task knows.
     */
    private abstract static class Event extends CallbackMonitor.Call {
        /** The listener that is called, and those after it. */
        private final Chain told;

        Event(TaskIdentity task, Chain told) {
            super(task);
            this.told = told;
        }

        /** The same for the listeners after this one. A call is monitored once. */
        abstract Event to(Chain rest);

        abstract ListenerNotifier notifier();

        TaskIdentity task() {
            return (TaskIdentity) subject;
        }

        final @Nullable Captured context() {
            return ((InContext) subject).listenerContext();
        }

        /** What comes after the last listener, on another thread. */
        abstract void continueElsewhere();

        /** Calls the method of {@code listener} that is meant for what happened. */
        abstract void tell(TaskLifecycleListener listener);

        /** Every call that another thread may continue for comes through here. */
        @Override
        protected final void invoke() {
            TaskLifecycleListener listener = told.listener();
            if (listener != null) {
                tell(listener);
            }
        }

        @Override
        protected final void takeOver() {
            Chain rest = told.next();
            if (rest == null || notifier().tell(to(rest))) {
                continueElsewhere();
            }
        }
    }

    private static final class StartedTask extends Event {
        private final int slot;

        StartedTask(GroupTaskImpl<?> task, Chain told, int slot) {
            super(task, told);
            this.slot = slot;
        }

        @Override
        GroupTaskImpl<?> task() {
            return (GroupTaskImpl<?>) subject;
        }

        @Override
        Event to(Chain rest) {
            return new StartedTask(task(), rest, slot);
        }

        @Override
        ListenerNotifier notifier() {
            return task().notifier();
        }

        @Override
        protected String name() {
            return ON_STARTED;
        }

        @Override
        void tell(TaskLifecycleListener listener) {
            listener.onStarted(task(), task().waited());
        }

        @Override
        void continueElsewhere() {
            task().beginWithout(slot);
        }
    }

    private static final class StartedPermit extends Event {
        private final ListenerNotifier notifier;
        private final Duration waited;
        private final Runnable takeOver;

        StartedPermit(TaskIdentity permit, Chain told, ListenerNotifier notifier, Duration waited, Runnable takeOver) {
            super(permit, told);
            this.notifier = notifier;
            this.waited = waited;
            this.takeOver = takeOver;
        }

        @Override
        Event to(Chain rest) {
            return new StartedPermit(task(), rest, notifier, waited, takeOver);
        }

        @Override
        ListenerNotifier notifier() {
            return notifier;
        }

        @Override
        protected String name() {
            return ON_STARTED;
        }

        @Override
        void tell(TaskLifecycleListener listener) {
            listener.onStarted(task(), waited);
        }

        @Override
        void continueElsewhere() {
            takeOver.run();
        }
    }

    private static final class Completed<T extends @Nullable Object> extends Event {
        private final GroupResult<T> result;
        private final Thread thread;
        private final int slot;

        Completed(GroupTaskImpl<T> task, Chain told, GroupResult<T> result, Thread thread, int slot) {
            super(task, told);
            this.result = result;
            this.thread = thread;
            this.slot = slot;
        }

        @Override
        @SuppressWarnings("unchecked") // the task of the result
        GroupTaskImpl<T> task() {
            return (GroupTaskImpl<T>) subject;
        }

        @Override
        Event to(Chain rest) {
            return new Completed<>(task(), rest, result, thread, slot);
        }

        @Override
        ListenerNotifier notifier() {
            return task().notifier();
        }

        @Override
        protected String name() {
            return nameOf(result);
        }

        @Override
        void tell(TaskLifecycleListener listener) {
            tellOutcome(listener, task(), result);
        }

        @Override
        void continueElsewhere() {
            task().continueWithout(thread, result, slot);
        }
    }
}
