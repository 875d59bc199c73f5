package io.github.kobe.spring.boot;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupStats;
import io.github.kobe.LiveSettings;
import io.github.kobe.LiveSharedLimit;
import io.github.kobe.SharedLimitStats;
import io.github.kobe.fleet.Fleet;
import io.github.kobe.isolation.IsolationExecutor;
import io.github.kobe.pool.WorkerPool;
import io.github.kobe.spring.boot.EndpointDescriptors.Executor;
import io.github.kobe.spring.boot.EndpointDescriptors.ExecutorWithGroups;
import io.github.kobe.spring.boot.EndpointDescriptors.FleetPart;
import io.github.kobe.spring.boot.EndpointDescriptors.FleetWithGroups;
import io.github.kobe.spring.boot.EndpointDescriptors.Group;
import io.github.kobe.spring.boot.EndpointDescriptors.Isolation;
import io.github.kobe.spring.boot.EndpointDescriptors.Overview;
import io.github.kobe.spring.boot.EndpointDescriptors.Pool;
import io.github.kobe.spring.boot.EndpointDescriptors.Problem;
import io.github.kobe.spring.boot.EndpointDescriptors.Running;
import io.github.kobe.spring.boot.EndpointDescriptors.Shared;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;

/**
 * Shows executors and their groups, and changes their limits while tasks run. Changes need
 * {@code management.endpoint.groupconcurrency.access=unrestricted}. What is changed here wins over properties that change later, until it is reset.
 *
 * <p>A group is a parameter and not a part of the path, because web servers do not accept every key there. The answer to a mistake is 400, or 404 if there
 * is no such executor, and says what is wrong.
 */
@WebEndpoint(id = "groupconcurrency", defaultAccess = Access.READ_ONLY)
@RegisterReflectionForBinding({Overview.class, ExecutorWithGroups.class, FleetWithGroups.class, Problem.class})
public final class GroupConcurrencyEndpoint {

    private static final int DEFAULT_LIMIT = 50;
    private static final int MAX_LIMIT = 1_000;
    private static final int CONFLICT = 409;

    /** Which groups come first. */
    private static final Map<String, Comparator<GroupStats>> ORDERS = new TreeMap<>(Map.of(
            "oldest", Comparator.comparing(GroupStats::oldestWaiting).reversed(),
            "queued", Comparator.comparingInt(GroupStats::queuedCount).reversed(),
            "active", Comparator.comparingInt(GroupStats::activeCount).reversed(),
            "key", Comparator.comparing(GroupStats::groupKey)));

    private static final Comparator<SharedLimitStats> MOST_WAITING = Comparator.comparingInt(
                    SharedLimitStats::waitingGroupCount)
            .thenComparingInt(SharedLimitStats::activeCount)
            .reversed()
            .thenComparing(SharedLimitStats::name)
            .thenComparing(SharedLimitStats::value);

    private final Map<String, ExecutorSettings> executors;
    private final Map<String, WorkerPool> pools;
    private final Map<String, IsolationExecutor> isolation;
    private final Map<String, FleetSettings> fleets = new TreeMap<>();

    GroupConcurrencyEndpoint(
            Map<String, ExecutorSettings> executors,
            Map<String, WorkerPool> pools,
            Map<String, IsolationExecutor> isolation,
            Map<String, Fleet> fleets) {
        this.executors = new TreeMap<>(executors);
        this.pools = new TreeMap<>(pools);
        this.isolation = new TreeMap<>(isolation);
        fleets.forEach((name, fleet) -> this.fleets.put(name, new FleetSettings(name, fleet)));
    }

    // ---- show ------------------------------------------------------------------------------------------------------

    /** Returns all executors and pools, without groups. */
    @ReadOperation
    public WebEndpointResponse<Object> all() {
        return new WebEndpointResponse<>(new Overview(
                convert(executors, settings -> Executor.of(settings.executor())),
                convert(pools, pool -> Pool.of(pool.stats())),
                convert(isolation, executor -> Isolation.of(executor.stats())),
                convert(fleets, settings -> FleetPart.of(settings.fleet().stats()))));
    }

    private static <T, D> Map<String, D> convert(Map<String, T> beans, Function<T, D> descriptor) {
        Map<String, D> converted = new TreeMap<>();
        beans.forEach((name, bean) -> converted.put(name, descriptor.apply(bean)));
        return converted;
    }

    /**
     * Returns an executor and its groups. Of a fleet: all nodes, and who holds what.
     *
     * @param executor the name of the bean
     * @param group only this group, with the shared limits that it belongs to
     * @param sharedLimit only values of the shared limit of this name
     * @param value only this value of it, with the groups that wait there
     * @param sort which groups come first: those whose "oldest" task has waited for longest, with most "queued" or "active" tasks, or by "key"
     * @param limit how many groups to return, from 1 to 1000
     */
    @ReadOperation
    public WebEndpointResponse<Object> executor(
            @Selector String executor,
            @Nullable String group,
            @Nullable String sharedLimit,
            @Nullable String value,
            @Nullable String sort,
            @Nullable Integer limit) {
        FleetSettings fleet = fleets.get(executor);
        if (fleet != null) {
            return answer(() -> {
                if (sharedLimit != null || value != null) {
                    requireNoGroup(group);
                    return fleet.showShared(requireName(sharedLimit, value), value, fleetLimit(sort, limit));
                }
                return fleet.show(group, fleetLimit(sort, limit));
            });
        }
        return answer(executor, settings -> {
            Comparator<GroupStats> order = ORDERS.get(sort == null ? "oldest" : sort);
            int number = limit == null ? DEFAULT_LIMIT : limit;
            if (order == null) {
                throw new IllegalArgumentException(
                        "sort must be one of " + ORDERS.keySet() + ", but is '" + sort + "'");
            }
            if (number < 1 || number > MAX_LIMIT) {
                throw new IllegalArgumentException("limit must be from 1 to " + MAX_LIMIT + ", but is " + number);
            }
            if (sharedLimit != null || value != null) {
                requireNoGroup(group);
                return withSharedLimits(executor, settings.executor(), requireName(sharedLimit, value), value, number);
            }
            return group == null
                    ? withGroups(executor, settings.executor(), order, number)
                    : withGroup(executor, settings.executor(), group, number);
        });
    }

    private static void requireNoSharedLimit(@Nullable Object... parameters) {
        if (Arrays.stream(parameters).anyMatch(Objects::nonNull)) {
            throw new IllegalArgumentException(
                    "sharedLimit, value and max are of an executor. For the whole fleet, use fleet.control()");
        }
    }

    private static void requireNoGroup(@Nullable String group) {
        if (group != null) {
            throw new IllegalArgumentException("give a group or a sharedLimit, not both");
        }
    }

    private static String requireName(@Nullable String sharedLimit, @Nullable String value) {
        if (sharedLimit == null) {
            throw new IllegalArgumentException("value is of a sharedLimit, and none is given: '" + value + "'");
        }
        return sharedLimit;
    }

    /** Values that are not in use but have settings come last. */
    private static ExecutorWithGroups withSharedLimits(
            String name, GroupExecutor executor, @Nullable String limit, @Nullable String value, int number) {
        Map<List<String>, LiveSharedLimit> live = new HashMap<>();
        executor.liveSharedLimits().forEach(settings -> live.put(List.of(settings.name(), settings.value()), settings));
        List<Shared> all = new ArrayList<>();
        executor.sharedLimits().stream()
                .sorted(MOST_WAITING)
                .forEach(stats -> all.add(Shared.of(stats, live.remove(List.of(stats.name(), stats.value())), null)));
        live.values().stream()
                .sorted(Comparator.comparing(LiveSharedLimit::name).thenComparing(LiveSharedLimit::value))
                .forEach(settings -> all.add(Shared.notInUse(settings)));
        List<Shared> matching = all.stream()
                .filter(shared -> limit == null || limit.equals(shared.sharedLimit()))
                .filter(shared -> value == null || value.equals(shared.value()))
                .toList();
        List<Shared> shown = matching.stream()
                .limit(number)
                .map(shared -> value == null ? shared : shared.with(waiting(executor, shared, number)))
                .toList();
        return new ExecutorWithGroups(name, Executor.of(executor), List.of(), matching.size() - shown.size(), shown);
    }

    private static List<String> waiting(GroupExecutor executor, Shared shared, int number) {
        return executor.groupsWaitingFor(shared.sharedLimit(), shared.value()).stream()
                .sorted()
                .limit(number)
                .toList();
    }

    private static int fleetLimit(@Nullable String sort, @Nullable Integer limit) {
        int number = limit == null ? DEFAULT_LIMIT : limit;
        if (sort != null || number < 1 || number > FleetSettings.MAX_GROUPS) {
            throw new IllegalArgumentException(
                    "a fleet has no sort, and limit must be from 1 to " + FleetSettings.MAX_GROUPS);
        }
        return number;
    }

    private static ExecutorWithGroups withGroups(
            String name, GroupExecutor executor, Comparator<GroupStats> order, int number) {
        Comparator<GroupStats> total = order.thenComparing(GroupStats::groupKey);
        PriorityQueue<GroupStats> first = new PriorityQueue<>(number + 1, total.reversed());
        int all = 0;
        try (Stream<GroupStats> groups = executor.groups()) {
            for (Iterator<GroupStats> next = groups.iterator(); next.hasNext(); all++) {
                first.add(next.next());
                if (first.size() > number) {
                    first.remove(); // the last one in the order
                }
            }
        }
        Map<String, LiveSettings> live = executor.liveSettings();
        List<Group> shown = first.stream()
                .sorted(total)
                .map(stats -> Group.of(stats, live.get(stats.groupKey()), null))
                .toList();
        return new ExecutorWithGroups(name, Executor.of(executor), shown, all - shown.size(), null);
    }

    private static ExecutorWithGroups withGroup(String name, GroupExecutor executor, String key, int number) {
        LiveSettings live = executor.liveSettings().get(key);
        List<Group> shown = executor
                .groupStats(key)
                .map(stats -> Group.of(stats, live, running(executor, key, number)))
                .or(() -> Optional.ofNullable(live).map(settings -> Group.notInUse(key, settings)))
                .stream()
                .toList();
        return new ExecutorWithGroups(name, Executor.of(executor), shown, 0, sharedLimitsOf(executor, key));
    }

    /** Those that a group belongs to; {@code null} if there are none. */
    private static @Nullable List<Shared> sharedLimitsOf(GroupExecutor executor, String key) {
        List<Shared> limits = executor.sharedLimits(key).stream()
                .map(stats -> Shared.of(stats, liveOf(executor, stats), null))
                .toList();
        return limits.isEmpty() ? null : limits;
    }

    private static @Nullable LiveSharedLimit liveOf(GroupExecutor executor, SharedLimitStats stats) {
        return executor.liveSharedLimits().stream()
                .filter(live -> live.name().equals(stats.name()) && live.value().equals(stats.value()))
                .findFirst()
                .orElse(null);
    }

    private static List<Running> running(GroupExecutor executor, String key, int number) {
        return executor.runningTasks(key).stream()
                .limit(number)
                .map(Running::of)
                .toList();
    }

    // ---- change ----------------------------------------------------------------------------------------------------

    /**
     * Changes settings of a group, or of a value of a shared limit ({@code sharedLimit}, {@code value}, and some of {@code max} and {@code paused}), or, without
     * both, of the executor. What is absent stays as it is. If a value is wrong, nothing changes. Of a fleet:
     * maxConcurrency and paused of a group, or totalLimit, on all nodes.
     *
     * @param executor the name of the bean
     */
    @WriteOperation
    public WebEndpointResponse<Object> change(
            @Selector String executor,
            @Nullable String group,
            @Nullable Integer maxConcurrency,
            @Nullable Integer maxInFlight,
            @Nullable Integer queueThreshold,
            @Nullable Integer weight,
            @Nullable Boolean paused,
            @Nullable Integer defaultMaxConcurrency,
            @Nullable Integer defaultQueueThreshold,
            @Nullable Integer globalMaxInFlight,
            @Nullable Integer globalQueueThreshold,
            @Nullable Integer totalLimit,
            @Nullable String sharedLimit,
            @Nullable String value,
            @Nullable Integer max) {
        Map<GroupSetting, Integer> ofGroup = new EnumMap<>(GroupSetting.class);
        putIfPresent(ofGroup, GroupSetting.MAX_CONCURRENCY, maxConcurrency);
        putIfPresent(ofGroup, GroupSetting.MAX_IN_FLIGHT, maxInFlight);
        putIfPresent(ofGroup, GroupSetting.QUEUE_THRESHOLD, queueThreshold);
        putIfPresent(ofGroup, GroupSetting.WEIGHT, weight);
        Map<ExecutorSetting, Integer> ofExecutor = new EnumMap<>(ExecutorSetting.class);
        putIfPresent(ofExecutor, ExecutorSetting.DEFAULT_MAX_CONCURRENCY, defaultMaxConcurrency);
        putIfPresent(ofExecutor, ExecutorSetting.DEFAULT_QUEUE_THRESHOLD, defaultQueueThreshold);
        putIfPresent(ofExecutor, ExecutorSetting.GLOBAL_MAX_IN_FLIGHT, globalMaxInFlight);
        putIfPresent(ofExecutor, ExecutorSetting.GLOBAL_QUEUE_THRESHOLD, globalQueueThreshold);
        boolean changesGroup = !ofGroup.isEmpty() || paused != null;
        FleetSettings fleet = fleets.get(executor);
        if (fleet != null) {
            boolean others = !ofExecutor.isEmpty() || ofGroup.size() > (maxConcurrency == null ? 0 : 1);
            return answer(() -> {
                requireNoSharedLimit(sharedLimit, value, max);
                return change(fleet, group, maxConcurrency, paused, totalLimit, others);
            });
        }
        return answer(executor, settings -> {
            if (sharedLimit != null || value != null || max != null) {
                if (sharedLimit == null
                        || value == null
                        || (max == null && paused == null)
                        || group != null
                        || totalLimit != null
                        || !ofGroup.isEmpty()
                        || !ofExecutor.isEmpty()) {
                    throw new IllegalArgumentException(
                            "give sharedLimit, value, and some of max, paused; nothing else");
                }
                settings.setByHand(sharedLimit, value, max, paused);
                return withSharedLimits(executor, settings.executor(), sharedLimit, value, DEFAULT_LIMIT);
            }
            if (totalLimit != null) {
                throw new IllegalArgumentException("totalLimit is a setting of a fleet, and this is an executor");
            }
            if (group != null && changesGroup && ofExecutor.isEmpty()) {
                settings.setByHand(group, ofGroup, paused);
                return withGroup(executor, settings.executor(), group, DEFAULT_LIMIT);
            }
            if (group == null && !changesGroup && !ofExecutor.isEmpty()) {
                settings.setByHand(ofExecutor);
                return new ExecutorWithGroups(executor, Executor.of(settings.executor()), List.of(), 0, null);
            }
            throw new IllegalArgumentException(
                    "give a group and some of maxConcurrency, maxInFlight, queueThreshold, weight, paused; or no group and some of"
                            + " defaultMaxConcurrency, defaultQueueThreshold, globalMaxInFlight, globalQueueThreshold");
        });
    }

    private static FleetWithGroups change(
            FleetSettings fleet,
            @Nullable String group,
            @Nullable Integer maxConcurrency,
            @Nullable Boolean paused,
            @Nullable Integer totalLimit,
            boolean others) {
        boolean changesGroup = maxConcurrency != null || paused != null;
        if (group != null && changesGroup && totalLimit == null && !others) {
            fleet.change(group, maxConcurrency, paused);
        } else if (group == null && !changesGroup && totalLimit != null && !others) {
            fleet.changeTotal(totalLimit);
        } else {
            throw new IllegalArgumentException(
                    "of a fleet, give a group and some of maxConcurrency, paused; or no group and totalLimit");
        }
        return fleet.show(group, DEFAULT_LIMIT);
    }

    private static <K> void putIfPresent(Map<K, Integer> values, K key, @Nullable Integer value) {
        if (value != null) {
            values.put(key, value);
        }
    }

    /**
     * Removes the changes of a group or of a value of a shared limit, also a pause, or, without both, of the executor itself. The properties apply again.
     *
     * @param executor the name of the bean
     */
    @DeleteOperation
    public WebEndpointResponse<Object> reset(
            @Selector String executor, @Nullable String group, @Nullable String sharedLimit, @Nullable String value) {
        FleetSettings fleet = fleets.get(executor);
        if (fleet != null) {
            return answer(() -> {
                requireNoSharedLimit(sharedLimit, value);
                if (group == null) {
                    fleet.resetTotal();
                } else {
                    fleet.reset(group);
                }
                return fleet.show(group, DEFAULT_LIMIT);
            });
        }
        return answer(executor, settings -> {
            if (sharedLimit != null || value != null) {
                requireNoGroup(group);
                String limit = requireName(sharedLimit, value);
                if (value == null) {
                    throw new IllegalArgumentException("give the value of the sharedLimit");
                }
                settings.executor().resetSharedLimit(limit, value);
                return withSharedLimits(executor, settings.executor(), limit, value, DEFAULT_LIMIT);
            }
            if (group == null) {
                settings.reset();
                return new ExecutorWithGroups(executor, Executor.of(settings.executor()), List.of(), 0, null);
            }
            settings.reset(group);
            return withGroup(executor, settings.executor(), group, DEFAULT_LIMIT);
        });
    }

    private WebEndpointResponse<Object> answer(String name, Function<ExecutorSettings, Object> operation) {
        ExecutorSettings settings = executors.get(name);
        if (settings == null) {
            return problem(
                    "there is no executor of this name, only " + executors.keySet()
                            + (fleets.isEmpty() ? "" : " and the fleets " + fleets.keySet()),
                    WebEndpointResponse.STATUS_NOT_FOUND);
        }
        return answer(() -> operation.apply(settings));
    }

    private static WebEndpointResponse<Object> answer(Supplier<Object> operation) {
        try {
            return new WebEndpointResponse<>(operation.get());
        } catch (IllegalArgumentException e) {
            return problem(e.getMessage(), WebEndpointResponse.STATUS_BAD_REQUEST);
        } catch (IllegalStateException e) { // settings of too many groups
            return problem(e.getMessage(), CONFLICT);
        } catch (FleetSettings.UnreachableException e) {
            return problem(e.getMessage(), WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE);
        }
    }

    private static WebEndpointResponse<Object> problem(@Nullable String error, int status) {
        return new WebEndpointResponse<>(new Problem(String.valueOf(error)), status);
    }
}
