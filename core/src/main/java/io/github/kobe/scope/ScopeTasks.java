package io.github.kobe.scope;

import io.github.kobe.internal.kernel.CallbackMonitor;
import io.github.kobe.internal.kernel.StandaloneGroup;
import io.github.kobe.internal.time.Timer;
import io.github.kobe.internal.util.Faults;
import io.github.kobe.internal.util.SpinWait;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The tasks of a scope: where they run, what they come to, and who is told. Made at the first submission, when the scope's settings
 * are final.
 */
final class ScopeTasks {

    /** One who wants to know when tasks get their places and when they end. */
    interface Watcher {
        /** The end of {@code task} is known, or it has got its place. On the thread that did it; short, does not throw. */
        void notice(ScopeTaskImpl<?> task);
    }

    private static final Watcher[] NOBODY = {};

    /** Shared by all scopes: they are many, and the same fault comes in each. */
    static final Faults FAULTS = new Faults();

    private final ScopeState scope;
    private final Scheduler scheduler;
    private final StandaloneGroup enclosure;
    private final Timer timer;
    private final ContextCarrier carrier;
    private final boolean limited;
    private final boolean plain;
    private final @Nullable HookNotifier hooks;

    private final ScopeCounters counts = new ScopeCounters();
    private final AtomicReference<Watcher[]> watchers = new AtomicReference<>(NOBODY);

    /** On their way to threads that are not ours: in nobody's line, and on no thread yet. */
    private final Set<Handoff> underWay;

    ScopeTasks(ScopeState scope, ScopeSettings settings) {
        this.scope = scope;
        this.scheduler = settings.scheduler;
        this.limited = settings.concurrencyLimit != Integer.MAX_VALUE;
        this.plain = !limited && hasFreshThreads() && settings.hook == null && settings.groups == null;
        this.enclosure = new StandaloneGroup(scope.id(), settings.concurrencyLimit, scheduler.dispatcher());
        this.underWay = hasFreshThreads() && settings.groups == null ? Set.of() : ConcurrentHashMap.newKeySet();
        this.timer = scheduler.timer();
        this.carrier = settings.carrier;
        this.hooks = settings.hook == null
                ? null
                : new HookNotifier(settings.hook, new CallbackMonitor(timer, scheduler.dispatcher()::spawn, FAULTS));
    }

    ScopeState scope() {
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

    /** Whether it has no limit, hook or groups, and fresh threads: nobody waits for places, or hears when tasks begin and end. */
    boolean isPlain() {
        return plain;
    }

    @Nullable
    HookNotifier hooks() {
        return hooks;
    }

    Faults faults() {
        return FAULTS;
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

    /** False after a {@link #shut}. */
    boolean submit(ScopeTaskImpl<?> task) {
        return enclosure.submit(task);
    }

    /** The task has got its place. For one that is limited. */
    void placed(ScopeTaskImpl<?> task) {
        tellWatchers(task);
    }

    /** The work of a task starts for the first time. */
    void countStart() {
        counts.started();
    }

    /** Tasks took {@code total} more in all, below 0 if that is taken back, and {@code longest} at a time. */
    void took(long total, long longest) {
        counts.took(total, longest); // if it is taken back, the other end took about as long
    }

    /** The task is on its way to a thread. The scope may just be being cancelled, and not have seen it. */
    void sent(Handoff launch) {
        underWay.add(launch);
        scope.cancelIfCancelled(launch.task());
    }

    /** It is on a thread, or will not be. */
    void arrived(Handoff launch) {
        underWay.remove(launch);
    }

    /** The task's end is known. Counted first: those who are woken look at that. */
    void ended(ScopeTaskImpl<?> task) {
        if (!plain || !task.hasSucceeded()) {
            counts.known();
        }
        tellWatchers(task);
    }

    private void tellWatchers(ScopeTaskImpl<?> task) {
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
            FAULTS.report("context carrier's capture", scopeId(), fault);
            return null;
        }
    }

    ContextCarrier.@Nullable Installed install(ContextCarrier.Captured captured, ScopeTaskImpl<?> task) {
        try {
            return captured.install();
        } catch (Throwable fault) {
            FAULTS.report("context carrier's install", task, fault);
            return null;
        }
    }

    void restore(ContextCarrier.Installed installed, ScopeTaskImpl<?> task) {
        try {
            installed.restore();
        } catch (Throwable fault) {
            FAULTS.report("context carrier's restore", task, fault);
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

    /** Waits until no task is left, and the end of each is known, to hooks too; only ever true after a {@link #shut}. */
    boolean awaitEnd(long nanos) throws InterruptedException {
        long until = System.nanoTime() + nanos;
        if (nanos > 0 && SpinWait.until(() -> enclosure.isTerminated() && allAreKnown())) {
            return true;
        }
        return enclosure.awaitTermination(until - System.nanoTime())
                && (allAreKnown() || CompletionWaiter.of(this).await(this::allAreKnown, until));
    }

    /**
     * For one who has seen that no task is left. If they are plain those that succeeded, which each does on its own thread, were known
     * before they left, and need not be counted once more; a success that came too late is taken back by the same thread, before it
     * leaves too.
     */
    private boolean allAreKnown() {
        return unknown() <= 0;
    }

    private long unknown() {
        long known = counts.knownSoFar() + (plain ? enclosure.home().commonOutcomeCount() : 0);
        return enclosure.home().admittedCount() - known;
    }

    /** The tasks that wait or run now; those that have ended, if their threads have not noticed. */
    List<ScopeTaskImpl<?>> present() {
        Set<ScopeTaskImpl<?>> tasks = new LinkedHashSet<>();
        enclosure.forEach(ticket -> tasks.add((ScopeTaskImpl<?>) ticket));
        underWay.forEach(launch -> tasks.add(launch.task()));
        tasks.removeIf(task -> task.end() != null && task.onThread() == null); // withdrawn, and still linked
        return List.copyOf(tasks);
    }

    /** How many have not left, or have an end that is not known; a figure to look at. */
    long unfinished() {
        return Math.max(enclosure.taskCount(), unknown());
    }

    /** Whether any task has failed, or is about to. */
    boolean hasFailures() {
        return enclosure.home().count(ScopeTaskImpl.FAILED) != 0;
    }

    /** Whether no task has come, or is about to come, to any other end than success. */
    boolean onlySucceeds() {
        return !hasFailures() && enclosure.home().count(ScopeTaskImpl.CANCELLED) == 0;
    }

    ScopeMetricsSnapshot metrics() {
        long[] ends = ends();
        return new ScopeMetricsSnapshot(
                counts.startedSoFar(),
                ends[ScopeTaskImpl.SUCCEEDED],
                ends[ScopeTaskImpl.FAILED],
                ends[ScopeTaskImpl.CANCELLED],
                Duration.ofNanos(counts.totalNanos()),
                Duration.ofNanos(counts.maxNanos()));
    }

    /** Once all has ended, these are as many as were let in; but one who came too late to cancel may still have to take its count back. */
    private long[] ends() {
        long[] ends = enclosure.home().counts();
        while (enclosure.isTerminated()
                && allAreKnown()
                && sum(ends) > enclosure.home().admittedCount()) {
            Thread.onSpinWait();
            ends = enclosure.home().counts();
        }
        return ends;
    }

    private static long sum(long[] ends) {
        return ends[ScopeTaskImpl.SUCCEEDED] + ends[ScopeTaskImpl.FAILED] + ends[ScopeTaskImpl.CANCELLED];
    }
}
