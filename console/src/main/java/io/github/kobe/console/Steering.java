package io.github.kobe.console;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupStats;
import io.github.kobe.LiveSettings;
import io.github.kobe.LiveSharedLimit;
import io.github.kobe.SharedLimitStats;
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
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Changes settings of executors, and records who changed what. */
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
            return id("group", "the id of a group");
        }

        KeyId sharedValue() {
            return id("shared", "the id of a value of a shared limit");
        }

        private KeyId id(String name, String should) {
            KeyId id = values.get(name) instanceof String text ? KeyId.parse(text) : null;
            if (id == null) {
                throw wrong(name, should);
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
    final List<Setting> settings = Stream.of(
                    ofLimited("/api/group", this::group).map(this::oneAtATime),
                    ofLimited("/api/shared", this::sharedValue).map(this::oneAtATime),
                    // Changes of a fleet wait for the store, and must not keep others from changing an executor.
                    ofLimited("/api/fleet", this::fleetGroup),
                    Stream.of(new Setting("/api/fleet/total-limit", this::setTotalLimit)),
                    Stream.of(
                                    new Setting("/api/group/queue", this::setQueue),
                                    new Setting("/api/group/weight", this::setWeight),
                                    new Setting("/api/groups/limit", this::setGlobalLimit),
                                    new Setting("/api/groups/default-limit", this::setDefaultLimit),
                                    new Setting("/api/pool/min-workers", this::setMinWorkers),
                                    new Setting("/api/pool/max-workers", this::setMaxWorkers),
                                    new Setting("/api/pool/queue", this::setPoolQueue),
                                    new Setting("/api/isolation/limit", this::setIsolationLimit),
                                    new Setting("/api/isolation/queue", this::setIsolationQueue))
                            .map(this::oneAtATime))
            .flatMap(settings -> settings)
            .toList();

    Steering(Watched watched, ChangeLog log) {
        this.watched = watched;
        this.log = log;
    }

    /** The value before a change is the one that the change before it made. */
    private Setting oneAtATime(Setting setting) {
        return new Setting(setting.path, (order, who) -> {
            synchronized (this) {
                return setting.action.apply(order, who);
            }
        });
    }

    // ---- what has a limit, can be paused, and can be reset --------------------------------------------------------

    /** A group of an executor, a group of a fleet, or a value of a shared limit, as it was when the request came. Its text is its name in messages. */
    private interface Limited {

        /** The limit in force, in words. */
        String limit();

        void setLimit(int limit);

        boolean paused();

        void setPaused(boolean paused);

        /** The settings that {@link #reset} removes, in words. */
        String settings();

        void reset();

        /** Whose settings are in force after a reset. */
        default String afterReset() {
            return "those of the policy";
        }
    }

    private Stream<Setting> ofLimited(String path, Function<Order, Limited> find) {
        return Stream.of(
                new Setting(path + "/limit", (order, who) -> setLimit(find.apply(order), order.number(), who)),
                new Setting(path + "/pause", (order, who) -> setPaused(find.apply(order), order.flag(), who)),
                new Setting(path + "/reset", (order, who) -> reset(find.apply(order), who)));
    }

    private Change setLimit(Limited target, int limit, String who) {
        target.setLimit(limit);
        return log.add(who, "limit of " + target, target.limit(), text(limit));
    }

    private Change setPaused(Limited target, boolean paused, String who) {
        target.setPaused(paused);
        return log.add(who, "state of " + target, state(target.paused()), state(paused));
    }

    private Change reset(Limited target, String who) {
        target.reset();
        return log.add(who, "settings of " + target, target.settings(), target.afterReset());
    }

    private static String state(boolean paused) {
        return paused ? "paused" : "not paused";
    }

    // ---- groups --------------------------------------------------------------------------------------------------

    /**
     * A group of an executor.
     *
     * @param stats empty if the executor does not know it
     * @param live its settings made at run time; {@code null} if there are none
     */
    private record Group(
            GroupExecutor executor,
            String key,
            Optional<GroupStats> stats,
            @Nullable LiveSettings live) implements Limited {

        @Override
        public String limit() {
            return setting(GroupStats::maxConcurrency, LiveSettings::maxConcurrency);
        }

        @Override
        public void setLimit(int limit) {
            requireBelowGlobalLimit(executor, "maxConcurrency", limit);
            int inFlight = stats.map(GroupStats::maxInFlight).orElse(Integer.MAX_VALUE);
            if (limit > inFlight) {
                throw new IllegalArgumentException("maxConcurrency must be at most the in-flight limit of the group, "
                        + inFlight + ", but is " + limit);
            }
            executor.setMaxConcurrency(key, limit);
        }

        @Override
        public boolean paused() {
            return live != null && live.paused();
        }

        @Override
        public void setPaused(boolean paused) {
            if (paused) {
                executor.pauseGroup(key);
            } else {
                executor.resumeGroup(key);
            }
        }

        @Override
        public String settings() {
            return live == null ? "none" : live.toString();
        }

        @Override
        public void reset() {
            executor.resetGroup(key);
        }

        /** Returns a setting that is in force: a group without tasks has those that were made at run time. */
        String setting(ToIntFunction<GroupStats> ofStats, Function<LiveSettings, OptionalInt> ofLive) {
            if (stats.isPresent()) {
                return text(ofStats.applyAsInt(stats.get()));
            }
            return inPolicyUnless(live == null ? OptionalInt.empty() : ofLive.apply(live));
        }

        @Override
        public String toString() {
            return "group '" + Printable.of(key) + "' of '" + Printable.of(executor.name()) + "'";
        }
    }

    /** A limit that another one is below would seem to be accepted, and change nothing. */
    private static void requireBelowGlobalLimit(GroupExecutor executor, String name, int limit) {
        int global = executor.stats().globalInFlightMax();
        if (limit > global) {
            throw new IllegalArgumentException(
                    name + " must be at most the global limit of " + global + ", but is " + limit);
        }
    }

    private static String inPolicyUnless(OptionalInt made) {
        return made.isPresent() ? text(made.getAsInt()) : "that of the policy";
    }

    private Change setQueue(Order order, String who) {
        Group group = group(order);
        int capacity = order.limit();
        group.executor.setQueueThreshold(group.key, capacity);
        String from = group.setting(GroupStats::queueCapacity, LiveSettings::queueThreshold);
        return log.add(who, "queue of " + group, from, text(capacity));
    }

    private Change setWeight(Order order, String who) {
        Group group = group(order);
        int weight = order.number();
        group.executor.setWeight(group.key, weight);
        return log.add(
                who, "weight of " + group, group.setting(GroupStats::weight, LiveSettings::weight), text(weight));
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

    // ---- shared limits -------------------------------------------------------------------------------------------

    /**
     * A value of a shared limit.
     *
     * @param stats empty if no group belongs to it
     * @param live its settings made at run time; {@code null} if there are none
     */
    private record SharedValue(
            GroupExecutor executor,
            String name,
            String value,
            Optional<SharedLimitStats> stats,
            @Nullable LiveSharedLimit live)
            implements Limited {

        @Override
        public String limit() {
            return stats.isPresent()
                    ? text(stats.get().max())
                    : inPolicyUnless(live == null ? OptionalInt.empty() : live.max());
        }

        @Override
        public void setLimit(int limit) {
            requireBelowGlobalLimit(executor, "max", limit);
            executor.setSharedLimit(name, value, limit);
        }

        @Override
        public boolean paused() {
            return live != null && live.paused();
        }

        @Override
        public void setPaused(boolean paused) {
            if (paused) {
                executor.pauseSharedLimit(name, value);
            } else {
                executor.resumeSharedLimit(name, value);
            }
        }

        @Override
        public String settings() {
            return live == null ? "none" : "limit " + inPolicyUnless(live.max()) + ", " + state(live.paused());
        }

        @Override
        public void reset() {
            executor.resetSharedLimit(name, value);
        }

        @Override
        public String toString() {
            return "shared limit " + Printable.of(name) + " '" + Printable.of(value) + "' of '"
                    + Printable.of(executor.name()) + "'";
        }
    }

    private SharedValue sharedValue(Order order) {
        GroupExecutor executor = at(watched.groups(), order.executor());
        KeyId id = order.sharedValue();
        Optional<SharedLimitStats> stats = executor.sharedLimits().stream()
                .filter(known -> id.matches(SharedTable.textOf(known.name(), known.value())))
                .findFirst();
        Optional<LiveSharedLimit> live = executor.liveSharedLimits().stream()
                .filter(made -> id.matches(SharedTable.textOf(made.name(), made.value())))
                .findFirst();
        if (stats.isPresent()) {
            return new SharedValue(executor, stats.get().name(), stats.get().value(), stats, live.orElse(null));
        }
        LiveSharedLimit made = live.orElseThrow(
                () -> new NotFoundException("no group belongs to this value of the shared limit any more"));
        return new SharedValue(executor, made.name(), made.value(), stats, made);
    }

    // ---- executors ------------------------------------------------------------------------------------------------

    private Change setGlobalLimit(Order order, String who) {
        GroupExecutor executor = at(watched.groups(), order.executor());
        int limit = order.limit();
        String from = text(executor.stats().globalInFlightMax());
        executor.setGlobalMaxInFlight(limit);
        return log.add(who, "global limit of '" + Printable.of(executor.name()) + "'", from, text(limit));
    }

    private Change setDefaultLimit(Order order, String who) {
        GroupExecutor executor = at(watched.groups(), order.executor());
        int limit = order.number();
        String from = text(executor.defaultMaxConcurrency());
        executor.setDefaultMaxConcurrency(limit);
        return log.add(who, "default limit of '" + Printable.of(executor.name()) + "'", from, text(limit));
    }

    private Change setMinWorkers(Order order, String who) {
        return changePool(order, who, "minimum of workers", WorkerPoolStats::minWorkers, WorkerPool::setMinWorkers);
    }

    private Change setMaxWorkers(Order order, String who) {
        return changePool(order, who, "maximum of workers", WorkerPoolStats::maxWorkers, WorkerPool::setMaxWorkers);
    }

    private Change setPoolQueue(Order order, String who) {
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

    private Change setIsolationLimit(Order order, String who) {
        IsolationExecutor executor = at(watched.isolation(), order.executor());
        int limit = order.number();
        String from = text(executor.stats().maxConcurrency());
        executor.setMaxConcurrency(limit);
        return log.add(who, "limit of '" + Printable.of(executor.name()) + "'", from, text(limit));
    }

    private Change setIsolationQueue(Order order, String who) {
        IsolationExecutor executor = at(watched.isolation(), order.executor());
        int capacity = order.limit();
        String from = text(executor.queueCapacity());
        executor.setQueueCapacity(capacity);
        return log.add(who, "queue of '" + Printable.of(executor.name()) + "'", from, text(capacity));
    }

    // ---- fleets -----------------------------------------------------------------------------------------------------

    /** A group of a fleet. A change is in force on all nodes. */
    private record FleetGroup(Fleet fleet, FleetGroupStats stats) implements Limited {

        @Override
        public String limit() {
            return text(stats.limit());
        }

        @Override
        public void setLimit(int limit) {
            await(fleet.control().setLimit(stats.groupKey(), limit));
        }

        @Override
        public boolean paused() {
            return stats.paused();
        }

        @Override
        public void setPaused(boolean paused) {
            FleetControl control = fleet.control();
            await(paused ? control.pause(stats.groupKey()) : control.resume(stats.groupKey()));
        }

        @Override
        public String settings() {
            return "limit " + limit() + ", " + state(paused());
        }

        @Override
        public void reset() {
            await(fleet.control().resetLimit(stats.groupKey()));
            await(fleet.control().resume(stats.groupKey()));
        }

        @Override
        public String afterReset() {
            return "those of the policies";
        }

        @Override
        public String toString() {
            return "group '" + Printable.of(stats.groupKey()) + "' of fleet '" + Printable.of(fleet.name()) + "'";
        }
    }

    private FleetGroup fleetGroup(Order order) {
        Fleet fleet = at(watched.fleets(), order.executor());
        KeyId id = order.group();
        return new FleetGroup(
                fleet,
                fleet.groups()
                        .filter(group -> !group.groupKey().isEmpty() && id.matches(group.groupKey()))
                        .findFirst()
                        .orElseThrow(() -> new NotFoundException("this JVM does not use the group any more")));
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
