package io.github.kobe.scope;

import io.github.kobe.internal.Apart;
import io.github.kobe.internal.CallbackWatch;
import io.github.kobe.internal.Enclosure;
import io.github.kobe.internal.Faults;
import io.github.kobe.internal.Soon;
import io.github.kobe.internal.Timer;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
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
final class Crew {

    /** One who wants to know when tasks get their places and when they end. */
    interface Watcher {
        /** The end of {@code task} is known, or it has got its place. On the thread that did it; short, does not throw. */
        void notice(ScopeTask<?> task);
    }

    /** Submitters move it; so it is not beside what threads of tasks move. */
    private static final class Ids extends Apart {
        static final VarHandle LAST;

        static {
            try {
                LAST = MethodHandles.lookup().findVarHandle(Ids.class, "last", long.class);
            } catch (ReflectiveOperationException e) {
                throw new ExceptionInInitializerError(e);
            }
        }

        @SuppressWarnings("unused") // by the handle
        private volatile long last;
    }

    private static final Watcher[] NOBODY = {};

    /** Shared by all scopes: they are many, and the same fault comes in each. */
    static final Faults FAULTS = new Faults();

    private final ScopeLife scope;
    private final Scheduler scheduler;
    private final Enclosure enclosure;
    private final Timer timer;
    private final ContextCarrier carrier;
    private final boolean limited;
    private final @Nullable HookCaller hooks;

    private final Counts counts = new Counts();
    private final Ids ids = new Ids();
    private final AtomicReference<Watcher[]> watchers = new AtomicReference<>(NOBODY);

    /** On their way to threads that are not ours: in nobody's line, and on no thread yet. */
    private final Set<Launch> underWay;

    Crew(ScopeLife scope, ScopeSettings settings) {
        this.scope = scope;
        this.scheduler = settings.scheduler;
        this.limited = settings.concurrencyLimit != Integer.MAX_VALUE;
        this.enclosure = new Enclosure(scope.id(), settings.concurrencyLimit, scheduler.dispatcher());
        this.underWay = hasFreshThreads() && settings.groups == null ? Set.of() : ConcurrentHashMap.newKeySet();
        this.timer = scheduler.timer();
        this.carrier = settings.carrier;
        this.hooks = settings.hook == null
                ? null
                : new HookCaller(settings.hook, new CallbackWatch(timer, scheduler.dispatcher()::spawn, FAULTS));
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

    long nextId() {
        return (long) Ids.LAST.getAndAdd(ids, 1L) + 1;
    }

    /** False after a {@link #shut}. */
    boolean submit(ScopeTask<?> task) {
        return enclosure.submit(task);
    }

    /** The task has got its place. For one that is limited. */
    void placed(ScopeTask<?> task) {
        tellWatchers(task);
    }

    /** The task begins to run. */
    void began() {
        counts.began();
    }

    /** An end is counted, or taken back, of a task that took {@code nanos}. */
    void took(int number, long nanos) {
        counts.took(number * nanos, nanos); // if it is taken back, the other end took about as long
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
        counts.known();
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
            FAULTS.report("context carrier's capture", scopeId(), fault);
            return null;
        }
    }

    ContextCarrier.@Nullable Installed install(ContextCarrier.Captured captured, ScopeTask<?> task) {
        try {
            return captured.install();
        } catch (Throwable fault) {
            FAULTS.report("context carrier's install", task, fault);
            return null;
        }
    }

    void restore(ContextCarrier.Installed installed, ScopeTask<?> task) {
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
        if (nanos > 0 && Soon.is(() -> enclosure.isTerminated() && allAreKnown())) {
            return true;
        }
        return enclosure.awaitTermination(until - System.nanoTime())
                && (allAreKnown() || Bell.of(this).await(this::allAreKnown, until));
    }

    private boolean allAreKnown() {
        return counts.knownSoFar() >= enclosure.admittedSoFar();
    }

    /** The tasks that wait or run now; those that have ended, if their threads have not noticed. */
    List<ScopeTask<?>> present() {
        Set<ScopeTask<?>> tasks = new LinkedHashSet<>();
        enclosure.forEach(ticket -> tasks.add((ScopeTask<?>) ticket));
        underWay.forEach(launch -> tasks.add(launch.task()));
        tasks.removeIf(task -> task.end() != null && task.onThread() == null); // withdrawn, and still linked
        return List.copyOf(tasks);
    }

    /** Whether any task has failed, or is about to. */
    boolean hasFailures() {
        return enclosure.count(ScopeTask.FAILED) != 0;
    }

    /** Whether no task has come, or is about to come, to any other end than success. */
    boolean onlySucceeds() {
        return !hasFailures() && enclosure.count(ScopeTask.CANCELLED) == 0;
    }

    ScopeMetricsSnapshot metrics() {
        long[] ends = ends();
        return new ScopeMetricsSnapshot(
                counts.begunSoFar(),
                ends[ScopeTask.SUCCEEDED],
                ends[ScopeTask.FAILED],
                ends[ScopeTask.CANCELLED],
                Duration.ofNanos(counts.totalNanos()),
                Duration.ofNanos(counts.maxNanos()));
    }

    /** Once all has ended, these are as many as were let in; but one who came too late to cancel may still have to take its count back. */
    private long[] ends() {
        long[] ends = enclosure.counts();
        while (enclosure.isTerminated() && allAreKnown() && sum(ends) > enclosure.admittedSoFar()) {
            Thread.onSpinWait();
            ends = enclosure.counts();
        }
        return ends;
    }

    private static long sum(long[] ends) {
        return ends[ScopeTask.SUCCEEDED] + ends[ScopeTask.FAILED] + ends[ScopeTask.CANCELLED];
    }
}
