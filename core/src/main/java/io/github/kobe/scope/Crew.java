package io.github.kobe.scope;

import io.github.kobe.internal.CallbackWatch;
import io.github.kobe.internal.Enclosure;
import io.github.kobe.internal.Faults;
import io.github.kobe.internal.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The tasks of a scope: where they run, what they come to, and who is told. Made at the first submission, when the scope's settings
 * are final.
 */
final class Crew {

    /** One who wants to know when tasks get their places and when they end. */
    interface Watcher {
        /** The end of {@code task} is known, or it has got its place. On the thread that did it; short, does not throw. */
        void notice(ScopeTask<?> task);
    }

    private static final Watcher[] NOBODY = {};

    private final ScopeLife scope;
    private final Scheduler scheduler;
    private final Enclosure enclosure;
    private final Timer timer;
    private final ContextCarrier carrier;
    private final boolean limited;
    private final Faults faults = new Faults();
    private final @Nullable HookCaller hooks;

    private final AtomicLong ids = new AtomicLong();
    private final AtomicLong started = new AtomicLong();
    private final AtomicLong totalNanos = new AtomicLong();
    private final AtomicLong maxNanos = new AtomicLong();
    private final AtomicLong told = new AtomicLong(); // only counted if there is a hook
    private final AtomicReference<Watcher[]> watchers = new AtomicReference<>(NOBODY);

    /** On their way to threads that are not ours: in nobody's line, and on no thread yet. */
    private final Set<Launch> underWay = ConcurrentHashMap.newKeySet();

    Crew(ScopeLife scope, Settings settings) {
        this.scope = scope;
        this.scheduler = settings.scheduler;
        this.limited = settings.concurrencyLimit != Integer.MAX_VALUE;
        this.enclosure = new Enclosure(scope.id(), settings.concurrencyLimit, scheduler.dispatcher());
        this.timer = scheduler.timer();
        this.carrier = settings.carrier;
        this.hooks = settings.hook == null
                ? null
                : new HookCaller(settings.hook, new CallbackWatch(timer, scheduler.dispatcher()::spawn, faults));
    }

    ScopeLife scope() {
        return scope;
    }

    String scopeId() {
        return scope.id();
    }

    String schedulerName() {
        return scheduler.name();
    }

    /** Whether each of its threads is made for one task, and ends with it. */
    boolean hasFreshThreads() {
        return scheduler.isVirtualThreadMode();
    }

    boolean isLimited() {
        return limited;
    }

    @Nullable
    HookCaller hooks() {
        return hooks;
    }

    Faults faults() {
        return faults;
    }

    Timer timer() {
        return timer;
    }

    long now() {
        return timer.nanoTime();
    }

    /** Runs {@code work}, which is not a task, off the calling thread. */
    void spawn(Runnable work) {
        scheduler.dispatcher().spawn(work);
    }

    // ---- tasks come and go ---------------------------------------------------------------------------------------

    long nextId() {
        return ids.incrementAndGet();
    }

    /** False after a {@link #shut}. */
    boolean submit(ScopeTask<?> task) {
        return enclosure.submit(task);
    }

    /** The task has got its place. */
    void placed(ScopeTask<?> task) {
        if (limited) {
            tellWatchers(task);
        }
    }

    /** The task begins to run. */
    void began() {
        started.getAndIncrement();
    }

    /** An end is counted, or taken back, of a task that took {@code nanos}. */
    void took(int number, long nanos) {
        totalNanos.getAndAdd(number * nanos);
        if (nanos > maxNanos.get()) {
            maxNanos.accumulateAndGet(nanos, Math::max); // if it is taken back, the other end took about as long
        }
    }

    /** The task is on its way to a thread. The scope may just be being cancelled, and not have seen it. */
    void sent(Launch launch) {
        underWay.add(launch);
        scope.cancelIfCancelled(launch.task());
    }

    /** It is on a thread, or will not be. */
    void arrived(Launch launch) {
        underWay.remove(launch);
    }

    /** The task's end is known. Counted first: those who are woken look at that. */
    void ended(ScopeTask<?> task) {
        if (hooks != null) {
            told.getAndIncrement();
        }
        tellWatchers(task);
    }

    private void tellWatchers(ScopeTask<?> task) {
        for (Watcher watcher : watchers.get()) {
            watcher.notice(task);
        }
    }

    /** From now on {@code watcher} is told; what happened before, it finds by looking. */
    void watch(Watcher watcher) {
        watchers.updateAndGet(now -> {
            Watcher[] more = Arrays.copyOf(now, now.length + 1);
            more[now.length] = watcher;
            return more;
        });
    }

    void unwatch(Watcher watcher) {
        watchers.updateAndGet(now -> {
            List<Watcher> rest = new ArrayList<>(Arrays.asList(now));
            rest.remove(watcher);
            return rest.toArray(NOBODY);
        });
    }

    // ---- what they carry -----------------------------------------------------------------------------------------

    /** Takes what the calling thread has for its tasks. */
    ContextCarrier.@Nullable Captured capture() {
        try {
            return carrier.capture();
        } catch (Throwable fault) {
            faults.report("context carrier's capture", scopeId(), fault);
            return null;
        }
    }

    ContextCarrier.@Nullable Installed install(ContextCarrier.Captured captured, ScopeTask<?> task) {
        try {
            return captured.install();
        } catch (Throwable fault) {
            faults.report("context carrier's install", task, fault);
            return null;
        }
    }

    void restore(ContextCarrier.Installed installed, ScopeTask<?> task) {
        try {
            installed.restore();
        } catch (Throwable fault) {
            faults.report("context carrier's restore", task, fault);
        }
    }

    // ---- the end -------------------------------------------------------------------------------------------------

    /** Cancels all that was submitted before. */
    void stop(String why) {
        enclosure.stopAll(why);
        underWay.forEach(launch -> launch.task().cancelFor(why));
    }

    /** Takes no more tasks. */
    void shut() {
        enclosure.shut();
    }

    /** Waits until no task is left, and all hooks were told; only ever true after a {@link #shut}. */
    boolean awaitEnd(long nanos) throws InterruptedException {
        long until = System.nanoTime() + nanos;
        return enclosure.awaitTermination(nanos)
                && (hooks == null || Bell.of(this).await(() -> told.get() >= enclosure.admittedSoFar(), until));
    }

    /** The tasks that wait or run now; those that have ended, if their threads have not noticed. */
    List<ScopeTask<?>> present() {
        List<ScopeTask<?>> tasks = new ArrayList<>();
        enclosure.forEach(ticket -> tasks.add((ScopeTask<?>) ticket));
        underWay.forEach(launch -> tasks.add(launch.task()));
        tasks.removeIf(task -> task.end() != null && task.onThread() == null); // withdrawn, and still linked
        return tasks;
    }

    ScopeMetricsSnapshot metrics() {
        long[] ends = enclosure.counts();
        return new ScopeMetricsSnapshot(
                started.get(),
                ends[ScopeTask.SUCCEEDED],
                ends[ScopeTask.FAILED],
                ends[ScopeTask.CANCELLED],
                Duration.ofNanos(totalNanos.get()),
                Duration.ofNanos(maxNanos.get()));
    }
}
