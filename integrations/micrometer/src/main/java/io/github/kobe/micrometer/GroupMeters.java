package io.github.kobe.micrometer;

import io.github.kobe.GroupExecutor;
import io.github.kobe.Registration;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.BaseUnits;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** Registers and removes the meters of single groups, as {@link GroupSeries} decides. */
final class GroupMeters {

    private static final String PREFIX = GroupExecutorMetrics.PREFIX + "group.";

    /** What is registered for a series: always, and while it has a value. */
    private record Registered(List<Meter> meters, List<SnapshotMeters.OptionalGauge> optional) {}

    private final SnapshotMeters<ExecutorSnapshot> meters;
    private final GroupSeries groups;
    private final Map<GroupSeries.Series, Registered> shown = new HashMap<>();

    private GroupMeters(SnapshotMeters<ExecutorSnapshot> meters, GroupTags tags) {
        this.meters = meters;
        this.groups = new GroupSeries(tags);
    }

    /** @param registrations gets the one at the executor */
    static void add(
            SnapshotMeters<ExecutorSnapshot> meters,
            GroupTags tags,
            GroupExecutor executor,
            List<Registration> registrations) {
        GroupMeters groupMeters = new GroupMeters(meters, tags);
        registrations.add(executor.onGroupRetired(groupMeters.groups::retired));
        groupMeters.addSums(Tags.of("group", TagValues.OTHER), groupMeters.groups::rest);
        WeakReference<GroupExecutor> weak = new WeakReference<>(executor);
        meters.onSnapshot(snapshot -> {
            GroupExecutor live = weak.get();
            if (live != null) {
                groupMeters.refresh(live, snapshot);
            }
        });
    }

    private void refresh(GroupExecutor executor, ExecutorSnapshot snapshot) {
        GroupSeries.Change change = groups.refresh(executor, snapshot.stats(), meters.nanoTime());
        change.hidden().forEach(this::hide);
        change.shown().forEach(this::show);
        shown.values().forEach(registered -> registered.optional.forEach(SnapshotMeters.OptionalGauge::update));
    }

    private void hide(GroupSeries.Series series) {
        Registered registered = shown.remove(series);
        if (registered != null) {
            registered.meters.forEach(meters::remove);
            registered.optional.forEach(SnapshotMeters.OptionalGauge::remove);
        }
    }

    private void show(GroupSeries.Series series) {
        Tags tags = Tags.of("group", series.tagValue());
        List<Meter> always = addSums(tags, series::sample);
        always.add(meters.timeGauge(
                PREFIX + "queue.oldest",
                "How long the oldest queued task of the group has been queued",
                tags,
                snapshot -> series.sample().oldestNanos()));
        shown.put(
                series,
                new Registered(
                        always,
                        List.of(
                                meters.optionalGauge(
                                        PREFIX + "limit",
                                        BaseUnits.TASKS,
                                        "The limit of the group",
                                        tags,
                                        snapshot -> series.sample().limit()),
                                meters.optionalGauge(
                                        PREFIX + "weight",
                                        null,
                                        "The weight of the group",
                                        tags,
                                        snapshot -> series.sample().weight()))));
    }

    /** Adds the meters that can be summed over all groups, so that the rest has them too. */
    private List<Meter> addSums(Tags tags, Supplier<GroupSeries.Sample> sample) {
        List<Meter> added = new ArrayList<>();
        added.add(meters.gauge(
                PREFIX + "active",
                BaseUnits.TASKS,
                "Permits in use by the group",
                tags,
                snapshot -> sample.get().active()));
        added.add(meters.gauge(
                PREFIX + "queued",
                BaseUnits.TASKS,
                "Queued tasks of the group",
                tags,
                snapshot -> sample.get().queued()));
        added.add(meters.gauge(
                PREFIX + "paused",
                null,
                "Whether the group is paused; of several groups, how many are",
                tags,
                snapshot -> sample.get().paused()));
        for (int i = CountSlots.FIRST_OUTCOME; i < CountSlots.SIZE; i++) {
            int slot = i;
            added.add(meters.counter(
                    PREFIX + "completed",
                    BaseUnits.TASKS,
                    "Tasks of the group that have completed, with any outcome",
                    tags.and(CountSlots.tags(slot)),
                    snapshot -> sample.get().counts().get(slot)));
        }
        return added;
    }
}
