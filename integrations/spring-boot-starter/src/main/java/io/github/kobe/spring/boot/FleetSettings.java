package io.github.kobe.spring.boot;

import io.github.kobe.fleet.Fleet;
import io.github.kobe.fleet.FleetGroupStats;
import io.github.kobe.fleet.FleetSharedLimitStats;
import io.github.kobe.fleet.FleetView;
import io.github.kobe.spring.boot.EndpointDescriptors.FleetPart;
import io.github.kobe.spring.boot.EndpointDescriptors.FleetShared;
import io.github.kobe.spring.boot.EndpointDescriptors.FleetWithGroups;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Shows a fleet and changes its limits, for the endpoint. Waits for the store, which answers or fails within seconds. */
record FleetSettings(String name, Fleet fleet) {

    /** As many as one call of the store can have. */
    static final int MAX_GROUPS = 64;

    private static final long PATIENCE_SECONDS = 60;

    /** The groups that need attention first. */
    private static final Comparator<FleetGroupStats> ORDER = Comparator.comparingLong(FleetGroupStats::debt)
            .thenComparingLong(group -> group.wanted() - group.held())
            .thenComparingLong(FleetGroupStats::held)
            .reversed()
            .thenComparing(FleetGroupStats::groupKey);

    private static final Comparator<FleetSharedLimitStats> SHARED_ORDER = Comparator.comparingLong(
                    FleetSharedLimitStats::debt)
            .thenComparingLong(limit -> limit.wanted() - limit.held())
            .thenComparingLong(FleetSharedLimitStats::held)
            .reversed()
            .thenComparing(FleetSharedLimitStats::value);

    /** The store did not answer. */
    static final class UnreachableException extends RuntimeException {
        private static final long serialVersionUID = 1;

        UnreachableException(String message) {
            super(message);
        }
    }

    /**
     * Returns the part of this instance and, if the store answers, all nodes and what they hold of some groups.
     *
     * @param group only this group; {@code null} for those of this instance
     */
    FleetWithGroups show(@Nullable String group, int limit) {
        List<String> known =
                fleet.groups().sorted(ORDER).map(FleetGroupStats::groupKey).toList();
        List<String> shown = group != null ? List.of(group) : known.subList(0, Math.min(limit, known.size()));
        int notShown = group != null ? 0 : known.size() - shown.size();
        try {
            FleetView view = await(fleet.look(shown));
            return FleetWithGroups.of(name, FleetPart.of(fleet.stats()), view, notShown);
        } catch (UnreachableException e) {
            return FleetWithGroups.unreachable(name, FleetPart.of(fleet.stats()), String.valueOf(e.getMessage()));
        }
    }

    /**
     * Returns the part of this instance and, if the store answers, all nodes and what they hold of some values of a shared limit.
     *
     * @param value only this value; {@code null} for those of this instance
     */
    FleetWithGroups showShared(String limit, @Nullable String value, int number) {
        Map<String, FleetSharedLimitStats> here = new LinkedHashMap<>();
        fleet.sharedLimits()
                .filter(stats -> stats.name().equals(limit))
                .sorted(SHARED_ORDER)
                .forEach(stats -> here.put(stats.value(), stats));
        List<String> shown = value != null
                ? List.of(value)
                : here.keySet().stream().limit(number).toList();
        int notShown = value != null ? 0 : here.size() - shown.size();
        try {
            FleetView view = await(fleet.lookAtSharedLimit(limit, shown));
            Map<String, FleetView.Group> seen =
                    view.groups().stream().collect(Collectors.toMap(FleetView.Group::groupKey, Function.identity()));
            return FleetWithGroups.of(
                    name, FleetPart.of(fleet.stats()), view, values(limit, shown, here, seen), notShown);
        } catch (UnreachableException e) {
            return FleetWithGroups.unreachable(
                    name,
                    FleetPart.of(fleet.stats()),
                    values(limit, shown, here, Map.of()),
                    notShown,
                    String.valueOf(e.getMessage()));
        }
    }

    /** Those that this instance or the store knows. */
    private static List<FleetShared> values(
            String limit,
            List<String> shown,
            Map<String, FleetSharedLimitStats> here,
            Map<String, FleetView.Group> seen) {
        return shown.stream()
                .filter(value -> here.containsKey(value) || seen.containsKey(value))
                .map(value -> FleetShared.of(limit, value, here.get(value), seen.get(value)))
                .toList();
    }

    /** Changes a group for the whole fleet. {@code null}: no change. */
    void change(String group, @Nullable Integer limit, @Nullable Boolean paused) {
        if (limit != null) {
            await(fleet.control().setLimit(group, limit));
        }
        if (paused != null) {
            await(paused ? fleet.control().pause(group) : fleet.control().resume(group));
        }
    }

    void changeTotal(int limit) {
        await(fleet.control().setTotalLimit(limit));
    }

    void reset(String group) {
        await(fleet.control().resetLimit(group));
        await(fleet.control().resume(group));
    }

    void resetTotal() {
        await(fleet.control().resetTotalLimit());
    }

    private static <T> T await(CompletableFuture<T> answer) {
        try {
            return answer.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            Throwable why = e instanceof ExecutionException ? e.getCause() : e;
            throw new UnreachableException("the store of the fleet does not answer: " + why);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UnreachableException("interrupted");
        }
    }
}
