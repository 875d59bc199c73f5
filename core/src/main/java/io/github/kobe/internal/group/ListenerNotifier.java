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

    private final ListenerRegistry listeners;
    private final CallbackMonitor monitor;
    private final Faults faults;

    ListenerNotifier(ListenerRegistry listeners, CallbackMonitor monitor, Faults faults) {
        this.listeners = listeners;
        this.monitor = monitor;
        this.faults = faults;
    }

    /** A task or a permit that has a context. Methods with a {@code takeOver} call the listeners inside it; callers of the others do so themselves. */
    interface InContext {
        /** Returns {@code null} if there is no context. */
        @Nullable
        Captured listenerContext();
    }

    /** Calls the method of a listener that is meant for what happened. */
    private interface Event {
        void tell(TaskLifecycleListener listener);
    }

    /** What happened, and what comes next. */
    private record Announcement(String name, TaskIdentity task, Event event, Runnable takeOver) {}

    void submitted(TaskIdentity task) {
        tellOnCaller("listener onSubmitted", task, listener -> listener.onSubmitted(task));
    }

    /**
     * The task is about to begin.
     *
     * @param waited how long it was queued
     * @param takeOver runs on another thread if a listener does not return in time
     * @return false if {@code takeOver} runs instead of the calling thread
     */
    boolean started(TaskIdentity task, Duration waited, Runnable takeOver) {
        return tell("listener onStarted", task, listener -> listener.onStarted(task, waited), takeOver);
    }

    /** As {@link #started}, on a caller's thread, which no other thread can continue for. */
    void startedOnCaller(TaskIdentity task, Duration waited) {
        tellOnCaller("listener onStarted", task, listener -> listener.onStarted(task, waited));
    }

    /** Runs on the task's thread. A listener that does not return delays only this task. */
    void retrying(TaskHandle<?> task, int failedAttempts, Throwable fault, Duration delay) {
        tellOnCaller("listener onRetry", task, listener -> listener.onRetry(task, failedAttempts, fault, delay));
    }

    /** As {@link #completed}, on a caller's thread. */
    void completedOnCaller(TaskIdentity task, GroupResult<?> result) {
        tellOnCaller("listener onCompleted", task, listener -> listener.onCompleted(task, result));
    }

    /** As {@link #completed} of a rejected task, on a caller's thread. */
    void rejectedOnCaller(TaskIdentity task, Rejection rejection) {
        tellOnCaller("listener onRejected", task, listener -> listener.onRejected(task, rejection));
    }

    /** The outcome is decided. As {@link #started}. */
    boolean completed(GroupTaskImpl<?> task, GroupResult<?> result, Runnable takeOver) {
        if (result.status() != TaskStatus.REJECTED) {
            return tell("listener onCompleted", task, listener -> listener.onCompleted(task, result), takeOver);
        }
        Rejection rejection = Objects.requireNonNull(task.rejection() == null ? result.rejection() : task.rejection());
        return tell("listener onRejected", task, listener -> listener.onRejected(task, rejection), takeOver);
    }

    private void tellOnCaller(String name, TaskIdentity task, Event event) {
        for (ListenerRegistry.Entry entry : listeners.entries()) {
            monitor.guard(name, task, () -> tell(event, entry));
        }
    }

    private boolean tell(String name, TaskIdentity task, Event event, Runnable takeOver) {
        ListenerRegistry.Entry[] entries = listeners.entries();
        return entries.length == 0 || tellInContext(0, entries, new Announcement(name, task, event, takeOver));
    }

    private boolean tellInContext(int first, ListenerRegistry.Entry[] entries, Announcement announcement) {
        Captured context = announcement.task instanceof InContext owner ? owner.listenerContext() : null;
        return context == null
                ? tellFrom(first, entries, announcement)
                : CarriedContext.call(context, announcement.task, faults, () -> tellFrom(first, entries, announcement));
    }

    private boolean tellFrom(int first, ListenerRegistry.Entry[] entries, Announcement announcement) {
        for (int i = first; i < entries.length; i++) {
            ListenerRegistry.Entry entry = entries[i];
            int next = i + 1;
            boolean returned = monitor.call(
                    announcement.name,
                    announcement.task,
                    () -> tell(announcement.event, entry),
                    () -> continueFrom(next, entries, announcement));
            if (!returned) {
                return false;
            }
        }
        return true;
    }

    private void continueFrom(int next, ListenerRegistry.Entry[] entries, Announcement announcement) {
        if (tellInContext(next, entries, announcement)) {
            announcement.takeOver.run();
        }
    }

    /** Every call of a listener comes through here. */
    private static void tell(Event event, ListenerRegistry.Entry entry) {
        TaskLifecycleListener listener = entry.listener();
        if (listener != null) {
            event.tell(listener);
        }
    }
}
