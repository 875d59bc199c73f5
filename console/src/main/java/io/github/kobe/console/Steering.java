package io.github.kobe.console;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupStats;
import io.github.kobe.LiveSettings;
import io.github.kobe.fleet.Fleet;
import io.github.kobe.fleet.FleetControl;
import io.github.kobe.fleet.FleetGroupStats;
import io.github.kobe.isolation.IsolationExecutor;
import io.github.kobe.pool.WorkerPool;
import io.github.kobe.pool.WorkerPoolStats;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Changes settings of executors, and records who changed what. One change at a time, so that the value before a change is the one that the change
 * before it made.
 */
final class Steering {

    /** The request names something that does not exist. */
    static final class NotFoundException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        NotFoundException(String message) {
            super(message);
        }
    }

    /** What a request asks for. */
    record Order(Map<String, @Nullable Object> values) {

        int executor() {
            if (values.get("executor") instanceof Long position && position >= 0 && position < Integer.MAX_VALUE) {
                return position.intValue();
            }
            throw wrong("executor", "the position of an executor");
        }

        KeyId group() {
            KeyId id = values.get("group") instanceof String text ? KeyId.parse(text) : null;
            if (id == null) {
                throw wrong("group", "the id of a group");
            }
            return id;
        }

        int number() {
            if (values.get("value") instanceof Long number && number == number.intValue()) {
                return number.intValue();
            }
            throw wrong("value", "a whole number");
        }

        /** No limit if the value is {@code null}. */
        int limit() {
            return values.containsKey("value") && values.get("value") == null ? Integer.MAX_VALUE : number();
        }

        boolean flag() {
            if (values.get("value") instanceof Boolean flag) {
                return flag;
            }
            throw wrong("value", "true or false");
        }

        private static IllegalArgumentException wrong(String name, String should) {
            return new IllegalArgumentException(name + " must be " + should);
        }
    }

    /** Makes the change that an order asks for, by a user. */
    @FunctionalInterface
    interface Action {
        Change apply(Order order, String who);
    }

    /** A setting that can be changed. */
    record Setting(String path, Action action) {}

    private static final int PATIENCE_SECONDS = 20;

    private final Watched watched;
    private final ChangeLog log;

    /** Every setting that the console can change. */
    final List<Setting> settings = List.of(
            new Setting("/api/group/limit", this::setLimit),
            new Setting("/api/group/queue", this::setQueue),
            new Setting("/api/group/weight", this::setWeight),
            new Setting("/api/group/pause", this::pause),
            new Setting("/api/group/reset", this::reset),
            new Setting("/api/groups/limit", this::setGlobalLimit),
            new Setting("/api/groups/default-limit", this::setDefaultLimit),
            new Setting("/api/pool/min-workers", this::setMinWorkers),
            new Setting("/api/pool/max-workers", this::setMaxWorkers),
            new Setting("/api/pool/queue", this::setPoolQueue),
            new Setting("/api/isolation/limit", this::setIsolationLimit),
            new Setting("/api/isolation/queue", this::setIsolationQueue),
            new Setting("/api/fleet/limit", this::setFleetLimit),
            new Setting("/api/fleet/pause", this::pauseInFleet),
            new Setting("/api/fleet/reset", this::resetInFleet),
            new Setting("/api/fleet/total-limit", this::setTotalLimit));

    Steering(Watched watched, ChangeLog log) {
        this.watched = watched;
        this.log = log;
    }

    // ---- one group -----------------------------------------------------------------------------------------------

    private synchronized Change setLimit(Order order, String who) {
        Group group = group(order);
        int limit = order.number();
        requireReachable(group, limit);
        String from = group.setting(GroupStats::maxConcurrency, LiveSettings::maxConcurrency);
        group.executor.setMaxConcurrency(group.key, limit);
        return log.add(who, "limit of " + group, from, text(limit));
    }

    /** A limit that another one is below would seem to be accepted, and change nothing. */
    private static void requireReachable(Group group, int limit) {
        int global = group.executor.stats().globalInFlightMax();
        if (limit > global) {
            throw new IllegalArgumentException(
                    "maxConcurrency must be at most the global limit of " + global + ", but is " + limit);
        }
        int inFlight = group.stats.map(GroupStats::maxInFlight).orElse(Integer.MAX_VALUE);
        if (limit > inFlight) {
            throw new IllegalArgumentException("maxConcurrency must be at most the in-flight limit of the group, "
                    + inFlight + ", but is " + limit);
        }
    }

    private synchronized Change setQueue(Order order, String who) {
        Group group = group(order);
        int capacity = order.limit();
        String from = group.setting(GroupStats::queueCapacity, LiveSettings::queueThreshold);
        group.executor.setQueueThreshold(group.key, capacity);
        return log.add(who, "queue of " + group, from, text(capacity));
    }

    private synchronized Change setWeight(Order order, String who) {
        Group group = group(order);
        int weight = order.number();
        String from = group.setting(GroupStats::weight, LiveSettings::weight);
        group.executor.setWeight(group.key, weight);
        return log.add(who, "weight of " + group, from, text(weight));
    }

    private synchronized Change pause(Order order, String who) {
        Group group = group(order);
        boolean paused = order.flag();
        String from = state(group.live != null && group.live.paused());
        if (paused) {
            group.executor.pauseGroup(group.key);
        } else {
            group.executor.resumeGroup(group.key);
        }
        return log.add(who, "state of " + group, from, state(paused));
    }

    private static String state(boolean paused) {
        return paused ? "paused" : "not paused";
    }

    private synchronized Change reset(Order order, String who) {
        Group group = group(order);
        String from = group.live == null ? "none" : group.live.toString();
        group.executor.resetGroup(group.key);
        return log.add(who, "settings of " + group, from, "those of the policy");
    }

    /**
     * A group that a request names.
     *
     * @param stats empty if the executor does not know it
     * @param live its settings made at run time; {@code null} if there are none
     */
    private record Group(
            GroupExecutor executor,
            String key,
            Optional<GroupStats> stats,
            @Nullable LiveSettings live) {

        /** Returns a setting that is in force: a group without tasks has those that were made at run time. */
        String setting(ToIntFunction<GroupStats> ofStats, Function<LiveSettings, OptionalInt> ofLive) {
            if (stats.isPresent()) {
                return text(ofStats.applyAsInt(stats.get()));
            }
            OptionalInt made = live == null ? OptionalInt.empty() : ofLive.apply(live);
            return made.isPresent() ? text(made.getAsInt()) : "that of the policy";
        }

        @Override
        public String toString() {
            return "group '" + Printable.of(key) + "' of '" + Printable.of(executor.name()) + "'";
        }
    }

    private Group group(Order order) {
        GroupExecutor executor = at(watched.groups(), order.executor());
        String key = keyOf(executor, order.group());
        if (key == null) {
            throw new NotFoundException("the group is idle, and the executor has forgotten it");
        }
        return new Group(
                executor, key, executor.groupStats(key), executor.liveSettings().get(key));
    }

    /** Returns the key of a group that is known or has settings; {@code null} if there is none. */
    static @Nullable String keyOf(GroupExecutor executor, KeyId id) {
        for (String key : executor.activeGroupKeys()) {
            if (id.matches(key)) {
                return key;
            }
        }
        for (String key : executor.liveSettings().keySet()) {
            if (id.matches(key)) {
                return key;
            }
        }
        return null;
    }

    // ---- executors ------------------------------------------------------------------------------------------------

    private synchronized Change setGlobalLimit(Order order, String who) {
        GroupExecutor executor = at(watched.groups(), order.executor());
        int limit = order.limit();
        String from = text(executor.stats().globalInFlightMax());
        executor.setGlobalMaxInFlight(limit);
        return log.add(who, "global limit of '" + Printable.of(executor.name()) + "'", from, text(limit));
    }

    private synchronized Change setDefaultLimit(Order order, String who) {
        GroupExecutor executor = at(watched.groups(), order.executor());
        int limit = order.number();
        String from = text(executor.defaultMaxConcurrency());
        executor.setDefaultMaxConcurrency(limit);
        return log.add(who, "default limit of '" + Printable.of(executor.name()) + "'", from, text(limit));
    }

    private synchronized Change setMinWorkers(Order order, String who) {
        return changePool(order, who, "minimum of workers", WorkerPoolStats::minWorkers, WorkerPool::setMinWorkers);
    }

    private synchronized Change setMaxWorkers(Order order, String who) {
        return changePool(order, who, "maximum of workers", WorkerPoolStats::maxWorkers, WorkerPool::setMaxWorkers);
    }

    private synchronized Change setPoolQueue(Order order, String who) {
        return changePool(order, who, "queue", WorkerPoolStats::queueCapacity, WorkerPool::setQueueCapacity);
    }

    /** Sets a number of something. */
    @FunctionalInterface
    private interface Setter<T> {
        void set(T target, int number);
    }

    private Change changePool(
            Order order, String who, String what, ToIntFunction<WorkerPoolStats> before, Setter<WorkerPool> setter) {
        WorkerPool pool = at(watched.pools(), order.executor());
        int number = order.limit();
        String from = text(before.applyAsInt(pool.stats()));
        setter.set(pool, number);
        return log.add(who, what + " of pool '" + Printable.of(pool.name()) + "'", from, text(number));
    }

    private synchronized Change setIsolationLimit(Order order, String who) {
        IsolationExecutor executor = at(watched.isolation(), order.executor());
        int limit = order.number();
        String from = text(executor.stats().maxConcurrency());
        executor.setMaxConcurrency(limit);
        return log.add(who, "limit of '" + Printable.of(executor.name()) + "'", from, text(limit));
    }

    private synchronized Change setIsolationQueue(Order order, String who) {
        IsolationExecutor executor = at(watched.isolation(), order.executor());
        int capacity = order.limit();
        String from = text(executor.queueCapacity());
        executor.setQueueCapacity(capacity);
        return log.add(who, "queue of '" + Printable.of(executor.name()) + "'", from, text(capacity));
    }

    // ---- fleets -----------------------------------------------------------------------------------------------------

    // These wait for the store, so not one at a time: a change of a fleet must not keep others from changing an
    // executor.

    private Change setFleetLimit(Order order, String who) {
        Fleet fleet = at(watched.fleets(), order.executor());
        FleetGroupStats group = groupOf(fleet, order.group());
        int limit = order.number();
        await(fleet.control().setLimit(group.groupKey(), limit));
        return log.add(who, "limit of " + name(fleet, group), text(group.limit()), text(limit));
    }

    private Change pauseInFleet(Order order, String who) {
        Fleet fleet = at(watched.fleets(), order.executor());
        FleetGroupStats group = groupOf(fleet, order.group());
        boolean paused = order.flag();
        FleetControl control = fleet.control();
        await(paused ? control.pause(group.groupKey()) : control.resume(group.groupKey()));
        return log.add(who, "state of " + name(fleet, group), state(group.paused()), state(paused));
    }

    private Change resetInFleet(Order order, String who) {
        Fleet fleet = at(watched.fleets(), order.executor());
        FleetGroupStats group = groupOf(fleet, order.group());
        await(fleet.control().resetLimit(group.groupKey()));
        await(fleet.control().resume(group.groupKey()));
        String from = "limit " + text(group.limit()) + ", " + state(group.paused());
        return log.add(who, "settings of " + name(fleet, group), from, "those of the policies");
    }

    private Change setTotalLimit(Order order, String who) {
        Fleet fleet = at(watched.fleets(), order.executor());
        int limit = order.number();
        String from = fleet.groups()
                .filter(group -> group.groupKey().isEmpty())
                .findFirst()
                .map(total -> text(total.limit()))
                .orElse("that of the nodes");
        await(fleet.control().setTotalLimit(limit));
        return log.add(who, "total limit of fleet '" + Printable.of(fleet.name()) + "'", from, text(limit));
    }

    private static FleetGroupStats groupOf(Fleet fleet, KeyId id) {
        return fleet.groups()
                .filter(group -> !group.groupKey().isEmpty() && id.matches(group.groupKey()))
                .findFirst()
                .orElseThrow(() -> new NotFoundException("this JVM does not use the group any more"));
    }

    private static String name(Fleet fleet, FleetGroupStats group) {
        return "group '" + Printable.of(group.groupKey()) + "' of fleet '" + Printable.of(fleet.name()) + "'";
    }

    private static void await(CompletableFuture<Void> change) {
        try {
            change.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new IllegalStateException(
                    "the store of the fleet does not answer, the change may not be in force", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("the console is being closed", e);
        }
    }

    private static <T> T at(List<T> executors, int position) {
        if (position >= executors.size()) {
            throw new NotFoundException("there is no executor at position " + position);
        }
        return executors.get(position);
    }

    private static String text(int number) {
        return number == Integer.MAX_VALUE ? "no limit" : Integer.toString(number);
    }
}
