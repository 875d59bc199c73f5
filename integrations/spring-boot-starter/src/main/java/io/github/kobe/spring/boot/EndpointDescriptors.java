package io.github.kobe.spring.boot;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupExecutorStats;
import io.github.kobe.GroupStats;
import io.github.kobe.LiveSettings;
import io.github.kobe.LiveSharedLimit;
import io.github.kobe.RunningTask;
import io.github.kobe.SharedLimitStats;
import io.github.kobe.TaskCounts;
import io.github.kobe.fleet.FleetSharedLimitStats;
import io.github.kobe.fleet.FleetStats;
import io.github.kobe.fleet.FleetView;
import io.github.kobe.isolation.IsolationStats;
import io.github.kobe.pool.WorkerPoolStats;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/** The answers of {@link GroupConcurrencyEndpoint}. The JSON leaves out limits that do not exist and settings that were not made. */
final class EndpointDescriptors {

    private EndpointDescriptors() {}

    /** All executors and pools, by the names of their beans. */
    record Overview(
            Map<String, Executor> executors,
            Map<String, Pool> pools,
            Map<String, Isolation> isolation,
            Map<String, FleetPart> fleets)
            implements OperationResponseBody {}

    /**
     * A group executor.
     *
     * @param summary all in one line
     * @param groupsWithLiveSettings how many groups have settings that were made since the start; such a group need not be in use
     * @param sharedLimits how many values of shared limits are in use
     */
    record Executor(
            String summary,
            int active,
            int queued,
            int retrying,
            long oldestWaitingMillis,
            int groups,
            int pausedGroups,
            int groupsWithLiveSettings,
            int sharedLimits,
            int defaultMaxConcurrency,
            @Nullable Integer defaultQueueThreshold,
            @Nullable Integer globalMaxInFlight,
            @Nullable Integer globalQueueThreshold,
            TaskCounts counts) {

        static Executor of(GroupExecutor executor) {
            GroupExecutorStats stats = executor.stats();
            return new Executor(
                    stats.toString(),
                    stats.totalActiveCount(),
                    stats.totalQueuedCount(),
                    stats.totalRetryingCount(),
                    stats.oldestWaiting().toMillis(),
                    stats.activeGroupCount(),
                    stats.pausedGroupCount(),
                    executor.liveSettings().size(),
                    executor.sharedLimits().size(),
                    executor.defaultMaxConcurrency(),
                    limit(executor.defaultQueueThreshold()),
                    limit(stats.globalInFlightMax()),
                    limit(executor.globalQueueThreshold()),
                    stats.counts());
        }
    }

    /**
     * A group executor with some of its groups.
     *
     * @param notShown how many groups, or values of shared limits, there are beyond these
     * @param sharedLimits values of shared limits: those that were asked for, or those of the one group that was
     */
    record ExecutorWithGroups(
            String name,
            Executor executor,
            List<Group> groups,
            int notShown,
            @Nullable List<Shared> sharedLimits) implements OperationResponseBody {}

    /**
     * A value of a shared limit. If it is not in use, there is nothing but its live settings.
     *
     * @param held how many permits this instance holds, if it is a limit of the whole fleet
     * @param liveMax the maximum that was set since the start
     * @param waitingGroupKeys which groups wait; only if one value was asked for
     */
    record Shared(
            String sharedLimit,
            String value,
            @Nullable Integer active,
            @Nullable Integer max,
            @Nullable Integer held,
            @Nullable Integer groups,
            @Nullable Integer waitingGroups,
            boolean paused,
            boolean changedByHand,
            @Nullable Integer liveMax,
            @Nullable List<String> waitingGroupKeys) {

        static Shared of(
                SharedLimitStats stats, @Nullable LiveSharedLimit live, @Nullable List<String> waitingGroupKeys) {
            return new Shared(
                    stats.name(),
                    stats.value(),
                    stats.activeCount(),
                    limit(stats.max()),
                    limit(stats.leasedPermits()),
                    stats.groupCount(),
                    stats.waitingGroupCount(),
                    stats.paused(),
                    live != null,
                    live == null ? null : live.getMax(),
                    waitingGroupKeys);
        }

        static Shared notInUse(LiveSharedLimit live) {
            return new Shared(
                    live.name(), live.value(), null, null, null, null, null, live.paused(), true, live.getMax(), null);
        }

        Shared with(List<String> keys) {
            return new Shared(
                    sharedLimit, value, active, max, held, groups, waitingGroups, paused, changedByHand, liveMax, keys);
        }
    }

    /**
     * A group. If it is not in use, there is nothing but its live settings.
     *
     * @param liveSettings settings that were made since the start
     * @param running its running tasks, the one that has been running for longest first; only if one group was asked for
     */
    record Group(
            String group,
            @Nullable Integer active,
            @Nullable Integer limit,
            @Nullable Integer queued,
            @Nullable Integer queueCapacity,
            @Nullable Integer weight,
            boolean paused,
            @Nullable Long oldestWaitingMillis,
            @Nullable Long oldestRunningMillis,
            @Nullable TaskCounts counts,
            @Nullable Settings liveSettings,
            @Nullable List<Running> running) {

        static Group of(GroupStats stats, @Nullable LiveSettings live, @Nullable List<Running> running) {
            return new Group(
                    stats.groupKey(),
                    stats.activeCount(),
                    EndpointDescriptors.limit(stats.limit()),
                    stats.queuedCount(),
                    EndpointDescriptors.limit(stats.queueCapacity()),
                    stats.weight(),
                    stats.paused(),
                    stats.oldestWaiting().toMillis(),
                    stats.oldestRunning().toMillis(),
                    stats.counts(),
                    Settings.of(live),
                    running);
        }

        static Group notInUse(String key, LiveSettings live) {
            return new Group(
                    key, null, null, null, null, null, live.paused(), null, null, null, Settings.of(live), null);
        }
    }

    /** Live settings of a group. */
    record Settings(
            @Nullable Integer maxConcurrency,
            @Nullable Integer maxInFlight,
            @Nullable Integer queueThreshold,
            @Nullable Integer weight) {

        static @Nullable Settings of(@Nullable LiveSettings live) {
            return live == null
                    ? null
                    : new Settings(
                            live.getMaxConcurrency(),
                            live.getMaxInFlight(),
                            live.getQueueThreshold(),
                            live.getWeight());
        }
    }

    /** A task that runs. */
    record Running(String taskId, String tag, long runningMillis, String thread, long threadId) {

        static Running of(RunningTask task) {
            return new Running(
                    task.taskId(), task.tag(), task.running().toMillis(), task.threadName(), task.threadId());
        }
    }

    /** A worker pool. */
    record Pool(String summary, int workers, int maxWorkers, int active, int queued, long oldestWaitingMillis) {

        static Pool of(WorkerPoolStats stats) {
            return new Pool(
                    stats.toString(),
                    stats.workers(),
                    stats.maxWorkers(),
                    stats.activeWorkers(),
                    stats.queuedTasks(),
                    stats.oldestWaiting().toMillis());
        }
    }

    /** An isolation executor. */
    record Isolation(String summary, int running, int maxConcurrency, int queued, int keys) {

        static Isolation of(IsolationStats stats) {
            return new Isolation(
                    stats.toString(),
                    stats.running(),
                    stats.maxConcurrency(),
                    stats.queued(),
                    stats.keys().size());
        }
    }

    /** What this instance has in a fleet. */
    record FleetPart(
            String fleet,
            String node,
            long held,
            long wanted,
            long used,
            long debt,
            int groups,
            List<Session> sessions,
            long exchanges,
            long lostCalls,
            long faults) {

        static FleetPart of(FleetStats stats) {
            return new FleetPart(
                    stats.fleet(),
                    stats.node(),
                    stats.held(),
                    stats.wanted(),
                    stats.used(),
                    stats.debt(),
                    stats.groups(),
                    stats.sessions().stream().map(Session::of).toList(),
                    stats.exchanges(),
                    stats.lostCalls(),
                    stats.faults());
        }
    }

    /** The session of an executor in a shard of the store. */
    record Session(String executor, int shard, String state, long leaseLeftMillis, long learningMillis, int nodes) {

        static Session of(FleetStats.Session session) {
            return new Session(
                    session.executor(),
                    session.shard(),
                    session.state().name(),
                    session.leaseLeft().toMillis(),
                    session.learning().toMillis(),
                    session.nodes());
        }
    }

    /**
     * A fleet with all its nodes and some of its groups, or some values of one of its shared limits.
     *
     * @param notShown how many groups or values of this instance there are beyond these
     * @param problem why the store does not say more
     */
    record FleetWithGroups(
            String name,
            FleetPart here,
            @Nullable List<FleetNode> nodes,
            @Nullable List<FleetGroup> groups,
            @Nullable List<FleetShared> sharedLimits,
            int notShown,
            @Nullable String problem)
            implements OperationResponseBody {

        static FleetWithGroups of(String name, FleetPart here, FleetView view, int notShown) {
            return new FleetWithGroups(
                    name,
                    here,
                    nodes(view),
                    view.groups().stream().map(FleetGroup::of).toList(),
                    null,
                    notShown,
                    null);
        }

        static FleetWithGroups of(
                String name, FleetPart here, FleetView view, List<FleetShared> sharedLimits, int notShown) {
            return new FleetWithGroups(name, here, nodes(view), null, sharedLimits, notShown, null);
        }

        private static List<FleetNode> nodes(FleetView view) {
            return view.nodes().stream()
                    .map(node -> new FleetNode(
                            node.node(), node.sessions(), node.expiresIn().toMillis()))
                    .toList();
        }

        static FleetWithGroups unreachable(String name, FleetPart here, String problem) {
            return new FleetWithGroups(name, here, null, null, null, here.groups(), problem);
        }

        static FleetWithGroups unreachable(
                String name, FleetPart here, List<FleetShared> sharedLimits, int notShown, String problem) {
            return new FleetWithGroups(name, here, null, null, sharedLimits, notShown, problem);
        }
    }

    /**
     * A value of a shared limit of a fleet. If the store does not answer, the numbers are those of this instance, and there are no holders.
     *
     * @param heldHere how many permits this instance holds
     * @param usedHere how many permits are in use here
     */
    record FleetShared(
            String sharedLimit,
            String value,
            int limit,
            boolean paused,
            long held,
            long wanted,
            long debt,
            long heldHere,
            long usedHere,
            @Nullable List<Holder> holders) {

        static FleetShared of(
                String limit, String value, @Nullable FleetSharedLimitStats here, FleetView.@Nullable Group seen) {
            long heldHere = here == null ? 0 : here.held();
            long usedHere = here == null ? 0 : here.used();
            if (seen != null) {
                return new FleetShared(
                        limit,
                        value,
                        seen.limit(),
                        seen.paused(),
                        seen.held(),
                        seen.wanted(),
                        seen.debt(),
                        heldHere,
                        usedHere,
                        Holder.of(seen));
            }
            FleetSharedLimitStats known = Objects.requireNonNull(here);
            return new FleetShared(
                    limit,
                    value,
                    known.limit(),
                    known.paused(),
                    heldHere,
                    known.wanted(),
                    known.debt(),
                    heldHere,
                    usedHere,
                    null);
        }
    }

    /** A node of a fleet. */
    record FleetNode(String node, int sessions, long expiresInMillis) {}

    /** A group of a fleet. An empty key stands for the limit over all groups. */
    record FleetGroup(
            String group, int limit, boolean paused, long held, long wanted, long debt, List<Holder> holders) {

        static FleetGroup of(FleetView.Group group) {
            return new FleetGroup(
                    group.groupKey(),
                    group.limit(),
                    group.paused(),
                    group.held(),
                    group.wanted(),
                    group.debt(),
                    Holder.of(group));
        }
    }

    /** What a node has of a group. */
    record Holder(String node, long held, long wanted, long debt) {

        static List<Holder> of(FleetView.Group group) {
            return group.holders().stream()
                    .map(holder -> new Holder(holder.node(), holder.held(), holder.wanted(), holder.debt()))
                    .toList();
        }
    }

    /** Why a request was not answered otherwise. */
    record Problem(String error) implements OperationResponseBody {}

    private static @Nullable Integer limit(int limit) {
        return limit == Integer.MAX_VALUE ? null : limit;
    }
}
