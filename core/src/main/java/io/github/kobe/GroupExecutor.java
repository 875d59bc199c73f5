package io.github.kobe;

import io.github.kobe.internal.Admission;
import io.github.kobe.internal.CallbackWatch;
import io.github.kobe.internal.Dispatcher;
import io.github.kobe.internal.Faults;
import io.github.kobe.internal.Group;
import io.github.kobe.internal.Limits;
import io.github.kobe.internal.RoundRobin;
import io.github.kobe.internal.Runner;
import io.github.kobe.internal.SystemTimer;
import io.github.kobe.internal.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * Runs tasks of many groups at once, each group under limits of its own.
 *
 * <p>A task that may start does so on a fresh virtual thread, which inherits no thread-locals. One that may not waits in line
 * and costs no thread. Within a group tasks start in the order of submission; groups that compete for
 * {@link GroupPolicy.Builder#globalMaxInFlight} take turns, so that a long backlog in one of them delays another by at most
 * one task of each group in line. At no instant do more tasks run than the limits allow; only what was rejected and is run all the
 * same, by {@link RejectionPolicy#CALLER_RUNS} or a {@link RejectionHandler}, is outside them.
 *
 * <p>Safe for use by many threads. What a thread did before it submitted a task happens before the task; the task happens
 * before anyone is told of its end. Threads are daemons: an executor that is not closed does not keep the JVM alive for its tasks.
 *
 * <pre>{@code
 * GroupPolicy policy = GroupPolicy.builder()
 *         .perGroupMaxConcurrency(Map.of("vip", 4))
 *         .defaultMaxConcurrencyPerGroup(1)
 *         .build();
 * try (GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(policy)) {
 *     TaskHandle<String> handle = executor.submit("vip", "hello", () -> "world");
 *     System.out.println(handle.await().value());
 * }
 * }</pre>
 */
public final class GroupExecutor implements AutoCloseable {

    private final Dispatcher dispatcher;
    private final int globalQueueThreshold;
    private final RejectionPolicy rejectionPolicy;
    private final @Nullable RejectionHandler rejectionHandler;
    private final @Nullable Announcer announcer;
    private final Faults faults = new Faults();

    private GroupExecutor(GroupPolicy policy, Runner runner, Timer timer) {
        dispatcher = new Dispatcher(
                key -> limits(policy, key),
                policy.globalMaxInFlight(),
                policy.globalQueueThreshold(),
                Durations.saturatedNanos(policy.idleGroupTtl()),
                new RoundRobin(),
                runner,
                timer);
        globalQueueThreshold = policy.globalQueueThreshold();
        rejectionPolicy = policy.rejectionPolicy();
        rejectionHandler = policy.rejectionHandler();
        TaskLifecycleListener listener = policy.taskLifecycleListener();
        announcer =
                listener == null ? null : new Announcer(listener, new CallbackWatch(timer, dispatcher::spawn, faults));
    }

    private static Limits limits(GroupPolicy policy, String key) {
        return new Limits(
                policy.resolveConcurrency(key), policy.resolveMaxInFlight(key), policy.resolveQueueThreshold(key));
    }

    /** An executor that runs each task on a fresh virtual thread. */
    public static GroupExecutor newVirtualThreadExecutor(GroupPolicy policy) {
        Objects.requireNonNull(policy, "policy");
        return new GroupExecutor(policy, Runner.freshVirtualThreads(), SystemTimer.shared());
    }

    /**
     * Hands in a task. It starts at once if its group and the global limit have room, else it waits, else it is rejected;
     * what a rejection means is up to the policy. Does not block, but for what the policy has run right here: a resolver, a
     * listener's {@code onSubmitted}, the task itself under {@link RejectionPolicy#CALLER_RUNS}.
     *
     * <p>A task that waits for another one of its own group, or under the same global limit, keeps its place meanwhile. If there
     * is no other, it waits for ever: hang what comes next on {@link TaskHandle#toCompletableFuture} instead.
     *
     * @param groupKey the group whose limits it runs under
     * @param taskId a name for it, which need not be unique
     * @param task what to run; whatever it throws, {@link Error}s included, ends up in its result
     * @throws IllegalStateException after a shutdown
     */
    public <T> TaskHandle<T> submit(String groupKey, String taskId, Callable<T> task) {
        Objects.requireNonNull(groupKey, "groupKey");
        Objects.requireNonNull(taskId, "taskId");
        Objects.requireNonNull(task, "task");
        GroupTicket<T> ticket = new GroupTicket<>(groupKey, taskId, task, announcer);
        if (announcer != null) {
            requireOpen();
            announcer.submitted(ticket);
        }
        Admission admission = dispatcher.submit(groupKey, ticket);
        return switch (admission) {
            case ADMITTED -> ticket;
            case CLOSED -> throw shutDown(ticket);
            default -> reject(ticket, admission);
        };
    }

    private void requireOpen() {
        if (dispatcher.isClosed()) {
            throw shutDown();
        }
    }

    private static IllegalStateException shutDown() {
        return new IllegalStateException("the executor is shut down");
    }

    private IllegalStateException shutDown(GroupTicket<?> ticket) {
        if (announcer != null) {
            endAsShutDown(ticket); // it was announced, so its end is too
        }
        return shutDown();
    }

    private static <T> void endAsShutDown(GroupTicket<T> ticket) {
        ticket.endWith(ticket.cancelled("executor shut down"));
    }

    private <T> TaskHandle<T> reject(GroupTicket<T> ticket, Admission why) {
        if (rejectionHandler == null && rejectionPolicy == RejectionPolicy.CALLER_RUNS) {
            ticket.runHere();
            return ticket;
        }
        RejectedTicket<T> rejected =
                new RejectedTicket<>(ticket, reason(ticket.groupKey(), why), announcer, rejectionHandler, faults);
        if (rejectionHandler != null) {
            if (dispatcher.submitDetached(rejected) == Admission.CLOSED) {
                endAsShutDown(rejected);
            }
        } else if (rejectionPolicy == RejectionPolicy.ABORT) {
            rejected.abort();
        } else {
            rejected.discard();
        }
        return rejected;
    }

    private String reason(String key, Admission why) {
        Group group = dispatcher.group(key);
        String ofGroup = group == null
                ? "gone meanwhile"
                : group.active() + " active, " + group.queued() + " queued, limit "
                        + group.limits().cap();
        if (why == Admission.GROUP_QUEUE_FULL) {
            String threshold =
                    group == null ? "" : ", queue threshold " + group.limits().queueThreshold();
            return "group queue full (" + ofGroup + threshold + ")";
        }
        GroupExecutorStats all = stats();
        return "global queue full (" + all.globalInFlightUsed() + " active, " + all.totalQueuedCount()
                + " queued, limit " + all.globalInFlightMax() + ", queue threshold " + globalQueueThreshold
                + "; group: " + ofGroup + ")";
    }

    /**
     * Hands in all tasks and waits for all of them, whether or not some fail. If the calling thread is interrupted while it
     * waits, the tasks that it has not seen end are cancelled and listed as {@link TaskStatus#CANCELLED}, and the thread's
     * interrupt flag is set again.
     *
     * @return the results, in the order of {@code tasks}
     * @throws IllegalStateException after a shutdown; if that came in between, the tasks handed in so far are cancelled
     */
    public <T> List<GroupResult<T>> executeAll(List<GroupTask<T>> tasks) {
        Objects.requireNonNull(tasks, "tasks");
        int index = 0;
        for (GroupTask<T> task : tasks) {
            int at = index++;
            Objects.requireNonNull(task, () -> "tasks[" + at + "]");
        }
        requireOpen();
        List<TaskHandle<T>> handles = submitAll(tasks);
        try {
            for (TaskHandle<T> handle : handles) {
                awaitEnd(handle);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            cancelAll(handles);
        }
        return handles.stream().map(GroupExecutor::resultOf).toList();
    }

    private <T> List<TaskHandle<T>> submitAll(List<GroupTask<T>> tasks) {
        List<TaskHandle<T>> handles = new ArrayList<>(tasks.size());
        try {
            for (GroupTask<T> task : tasks) {
                handles.add(submit(task.groupKey(), task.taskId(), task.task()));
            }
        } catch (IllegalStateException shutDownMeanwhile) {
            cancelAll(handles); // the caller gets no handle to do it with
            throw shutDownMeanwhile;
        }
        return handles;
    }

    /** Last to first: the other way round, the place of one would go to the next. */
    private static void cancelAll(List<? extends TaskHandle<?>> handles) {
        handles.reversed().forEach(handle -> handle.cancel(true));
    }

    private static void awaitEnd(TaskHandle<?> handle) throws InterruptedException {
        try {
            handle.await();
        } catch (RejectedTaskException e) {
            // listed as such
        }
    }

    /** Of a task that has ended, or whose end is being announced. */
    private static <T> GroupResult<T> resultOf(TaskHandle<T> handle) {
        try {
            return handle.toCompletableFuture().join();
        } catch (CompletionException e) {
            return GroupResult.rejected(handle.groupKey(), handle.taskId());
        }
    }

    /**
     * Stops the tasks of one group: those that wait are cancelled, those that run are interrupted, and all their handles are
     * done, as far as a listener does not hold them up. The next task for the group is welcome; its limits are resolved anew. A
     * task that ignores the interruption keeps its place until it really ends. Other groups are not touched; does nothing if the
     * group is not known.
     */
    public void shutdownGroup(String groupKey) {
        Objects.requireNonNull(groupKey, "groupKey");
        dispatcher.stopGroup(groupKey);
        dispatcher.stopDetached(ticket ->
                ticket instanceof TaskHandle<?> task && task.groupKey().equals(groupKey));
    }

    /**
     * Forgets the group's limits, so that the next submit to it resolves them again; until then the old ones hold for what waits.
     * Tasks that run or wait are not disturbed and still count: a lower limit is reached as they end. Does nothing if the group is
     * not known.
     */
    public void evictGroup(String groupKey) {
        Objects.requireNonNull(groupKey, "groupKey");
        dispatcher.evict(groupKey);
    }

    /**
     * Stops now, unlike the method of that name of {@link java.util.concurrent.ExecutorService}: no more tasks are taken, those
     * that wait are cancelled, those that run are interrupted, and every handle is done, as far as a listener does not hold it up.
     * Does not wait for tasks that ignore the interruption, and nothing does later. Calling it again does nothing.
     */
    public void shutdown() {
        dispatcher.stop();
    }

    /**
     * Takes no more tasks, lets those that run and wait finish, and stops what is left when {@code timeout} is over, or when
     * the calling thread is interrupted, whose flag is then set again.
     *
     * @return whether all tasks finished; after a {@link #shutdown()}, whether none is on a thread any more
     * @throws IllegalArgumentException if {@code timeout} is negative
     */
    public boolean shutdown(Duration timeout) {
        Objects.requireNonNull(timeout, "timeout");
        if (timeout.isNegative()) {
            throw new IllegalArgumentException("timeout must not be negative, but is " + timeout);
        }
        dispatcher.close();
        boolean finished = false;
        try {
            finished = dispatcher.awaitTermination(Durations.saturatedNanos(timeout));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        dispatcher.stop();
        return finished;
    }

    /** The same as {@link #shutdown()}: stops now. */
    @Override
    public void close() {
        shutdown();
    }

    /** The group as it is now; empty if it is not known, and after a shutdown. Never blocks, never throws on a key. */
    public Optional<GroupStats> groupStats(String groupKey) {
        Objects.requireNonNull(groupKey, "groupKey");
        return Optional.ofNullable(dispatcher.group(groupKey)).map(GroupExecutor::statsOf);
    }

    private static GroupStats statsOf(Group group) {
        Limits limits = group.limits();
        return new GroupStats(
                group.key(), group.active(), group.queued(), limits.concurrency(), limits.queueThreshold());
    }

    /** The executor as it is now; all zero, but for the limit, after a shutdown. Never blocks, never throws. */
    public GroupExecutorStats stats() {
        Collection<Group> groups = dispatcher.groups();
        int known = 0;
        int active = 0;
        int queued = 0;
        for (Group group : groups) {
            known++;
            active += group.active();
            queued += group.queued();
        }
        int used = dispatcher.globalUsed();
        return new GroupExecutorStats(known, active, queued, used < 0 ? active : used, dispatcher.globalCap());
    }

    /**
     * The groups that are known now: those with tasks that run or wait, and those that had some within
     * {@link GroupPolicy.Builder#idleGroupTtl}. A snapshot; empty after a shutdown. Never blocks, never throws.
     */
    public Set<String> activeGroupKeys() {
        Set<String> keys = new HashSet<>();
        for (Group group : dispatcher.groups()) {
            keys.add(group.key());
        }
        return Set.copyOf(keys);
    }

    @Override
    public String toString() {
        GroupExecutorStats s = stats();
        return "GroupExecutor[" + (dispatcher.isClosed() ? "shut down, " : "") + s.activeGroupCount() + " groups, "
                + s.totalActiveCount() + " active, " + s.totalQueuedCount() + " queued, "
                + faults.count() + " faults in callbacks]";
    }
}
