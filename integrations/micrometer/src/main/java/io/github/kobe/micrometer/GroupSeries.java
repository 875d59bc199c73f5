package io.github.kobe.micrometer;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupExecutorStats;
import io.github.kobe.GroupStats;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The numbers of the groups that have meters of their own, and of the rest. Knows nothing of a registry.
 *
 * <p>A series is one group or, if groups are mapped, one class of groups. It is <em>shown</em>, which takes one of at most {@code maxSeries}
 * slots, or it is <em>hidden</em>: it had no activity for an hour, but the executor still knows its group. There are at most
 * {@value #HIDDEN_PER_SLOT} hidden series for each slot; if there are as many, a silent series stays. A series whose group has retired is not
 * hidden but dropped. Fixed series are never dropped. So the memory is bounded, whatever keys are used.
 *
 * <p><b>Counters never go back and add up.</b> The executor counts all tasks since it was made. The counts of a group begin at zero again when
 * the group returns after it was retired. So the count of a group is what its retired predecessors counted, as the executor reports it when they
 * retire, plus its own count. Each series exports the increases of that count while it is shown. The rest is computed:
 * <pre>   rest = total - what all series export - what dropped series had exported   </pre>
 * The rest never goes back either: if the computed rest is less than before, it stays.
 *
 * <p><b>Reports are late.</b> The executor reports a retired group on another thread. Until then neither the series nor the report contains the tasks of
 * that group, but the total does. If the rest took them, they would be exported twice when the report comes. So the rest is exported a second late, and
 * without what was reported for series during that second. All numbers are then at most the true ones, and when nothing changes they become exact.
 * Only if a report took longer than a second, the sum is too high, until the rest has grown as much.
 *
 * <p><b>Other races.</b>
 * <ul>
 *   <li>A group retires while it is read. The reports are read first, then the group. So the count may be too low, but never too high. The next
 *       refresh adds what is missing.
 *   <li>A group is used for the first time. If every known group had a series at the last refresh, then none of its tasks is in the rest yet,
 *       because the total was read before the groups. So the series begins with its whole count. Otherwise part of its count may be in
 *       the rest, and the series begins at zero. In both cases it takes at most what is not exported yet, so the sum is not too high.
 *   <li>A report for a series that is being dropped is lost for the series. The total contains it, so it goes to the rest.
 * </ul>
 */
final class GroupSeries {

    private static final int HIDDEN_PER_SLOT = 4;

    /** How long a report may take. */
    private static final long REPORT_NANOS = Duration.ofSeconds(1).toNanos();

    private static final long SILENCE_NANOS = Duration.ofHours(1).toNanos();

    /**
     * The numbers of a series. For a class they are sums over its groups, except for the oldest queued task.
     *
     * @param limit {@link Double#NaN} if there is none, or if no group is known
     * @param weight {@link Double#NaN} if no group is known
     */
    record Sample(
            long active, long queued, long paused, long oldestNanos, double limit, double weight, Counts counts) {}

    /** One group or one class of groups. Only the thread that refreshes changes it, except for {@link #retired}. */
    static final class Series {

        private final String name;

        /** What groups of this series had counted when they retired. */
        private final AtomicLongArray retired = new AtomicLongArray(CountSlots.SIZE);

        /** The highest count so far. */
        private final long[] counted = new long[CountSlots.SIZE];

        private final long[] exported = new long[CountSlots.SIZE];

        private boolean isNew = true;
        private boolean shown;
        private long lastActive;

        private volatile Sample sample;

        private Series(String name) {
            this.name = name;
            this.sample = Reading.ofNew(this).sample();
        }

        /** Returns the value of the tag. */
        String tagValue() {
            return TagValues.ofKey(name);
        }

        Sample sample() {
            return sample;
        }
    }

    /** Adds up the groups of a series during a refresh. */
    private static final class Reading {

        private final Series series;
        private final long[] counts;
        private int groups;
        private long active;
        private long queued;
        private long retrying;
        private long paused;
        private long oldestNanos;
        private double limit;
        private double weight;

        private Reading(Series series, long[] counts) {
            this.series = series;
            this.counts = counts;
        }

        /** For a series that no report has come for. */
        static Reading ofNew(Series series) {
            return new Reading(series, new long[CountSlots.SIZE]);
        }

        /** Reads what retired groups have reported. The groups must be read later. */
        static Reading of(Series series) {
            return new Reading(series, copy(series.retired));
        }

        void add(GroupStats group) {
            groups++;
            active += group.activeCount();
            queued += group.queuedCount();
            retrying += group.retryingCount();
            paused += group.paused() ? 1 : 0;
            oldestNanos = Math.max(oldestNanos, group.oldestWaiting().toNanos());
            limit += SnapshotMeters.limit(group.limit()); // NaN stays NaN
            weight += group.weight();
            long[] own = CountSlots.of(group.counts());
            for (int i = 0; i < own.length; i++) {
                counts[i] += own[i];
            }
        }

        boolean hasIncreased() {
            for (int i = 0; i < counts.length; i++) {
                if (counts[i] > series.counted[i]) {
                    return true;
                }
            }
            return false;
        }

        boolean isActive() {
            return active > 0 || queued > 0 || retrying > 0;
        }

        Sample sample() {
            return new Sample(
                    active,
                    queued,
                    paused,
                    oldestNanos,
                    groups == 0 ? Double.NaN : limit,
                    groups == 0 ? Double.NaN : weight,
                    Counts.copyOf(series.exported));
        }
    }

    /**
     * A computed rest.
     *
     * @param counts the rest, including tasks of retired groups of series that had not been reported
     * @param reported what had been reported for series
     */
    private record Candidate(Counts counts, Counts reported, long time) {}

    /** What a refresh changed. */
    record Change(Collection<Series> shown, Collection<Series> hidden) {}

    private final GroupTags tags;
    private final SeriesNames names;
    private final Map<String, Series> series = new ConcurrentHashMap<>();

    /** What series that were dropped had exported. */
    private final long[] dropped = new long[CountSlots.SIZE];

    private final long[] restExported = new long[CountSlots.SIZE];
    private volatile Sample rest = new Sample(0, 0, 0, 0, Double.NaN, Double.NaN, Counts.copyOf(restExported));

    /** How many series are shown, or will be at the next refresh. Guarded by this. */
    private int slotsInUse;

    /** Whether every known group had a series, or belongs to the rest, at the end of the last refresh. */
    private boolean allHadSeries = true;

    /** What was reported for groups that have a series, in total. */
    private final AtomicLongArray reported = new AtomicLongArray(CountSlots.SIZE);

    /** What the rest will export when a second is over; {@code null} before the first refresh. */
    private @Nullable Candidate candidate;

    GroupSeries(GroupTags tags) {
        this.tags = tags;
        this.names = new SeriesNames(tags);
        tags.fixedSeries().forEach(this::tryAdd);
    }

    /** Returns what belongs to no series. */
    Sample rest() {
        return rest;
    }

    /** A group was retired. May be called by any thread. */
    void retired(GroupStats group) {
        String name = names.of(group.groupKey());
        Series found = name == null ? null : find(name);
        if (found != null) {
            long[] counts = CountSlots.of(group.counts());
            add(found.retired, counts);
            add(reported, counts);
        }
    }

    private static void add(AtomicLongArray sums, long[] counts) {
        for (int i = 0; i < counts.length; i++) {
            sums.addAndGet(i, counts[i]);
        }
    }

    private static long[] copy(AtomicLongArray sums) {
        long[] copy = new long[sums.length()];
        for (int i = 0; i < copy.length; i++) {
            copy[i] = sums.get(i);
        }
        return copy;
    }

    /** Returns the series of that name, a new one if there is a slot; {@code null} if there is none. */
    private @Nullable Series find(String name) {
        Series known = series.get(name);
        return known != null ? known : tryAdd(name);
    }

    private synchronized @Nullable Series tryAdd(String name) {
        Series known = series.get(name);
        if (known != null || slotsInUse >= tags.maxSeries()) {
            return known;
        }
        slotsInUse++;
        Series added = new Series(name);
        series.put(name, added);
        return added;
    }

    private synchronized boolean hasFreeSlot() {
        return slotsInUse < tags.maxSeries();
    }

    private synchronized boolean tryTakeSlot() {
        if (slotsInUse >= tags.maxSeries()) {
            return false;
        }
        slotsInUse++;
        return true;
    }

    /** Whether there may be one more hidden series. The fixed ones may all be hidden. */
    private synchronized boolean mayHideOneMore() {
        return tags.isFixed() || series.size() - slotsInUse < HIDDEN_PER_SLOT * tags.maxSeries();
    }

    private synchronized void freeSlot() {
        slotsInUse--;
    }

    // ---- refresh, by one thread at a time ---------------------------------------------------------------------

    /**
     * Reads the groups.
     *
     * @param total a snapshot of all groups, taken before this call
     */
    Change refresh(GroupExecutor executor, GroupExecutorStats total, long now) {
        boolean newSeriesAreUncounted = allHadSeries;
        Counts reportedBefore = Counts.copyOf(copy(reported));
        Collection<Reading> readings = read(executor);
        Change change = new Change(new ArrayList<>(), new ArrayList<>());
        long[] totals = CountSlots.of(total.counts());
        for (Reading reading : readings) {
            if (!reading.series.isNew) {
                update(reading, now, change);
            }
        }
        for (Reading reading : readings) {
            if (reading.series.isNew) {
                begin(reading, newSeriesAreUncounted ? unexported(totals) : new long[CountSlots.SIZE], now, change);
            }
        }
        exportRest(totals, reportedBefore, now);
        updateRest(total, readings);
        return change;
    }

    /**
     * Reads all series. After a shutdown the executor still has the statistics of groups that it has reported as retired, and they must not be
     * counted twice. So if a shutdown begins meanwhile, everything is read again.
     */
    private Collection<Reading> read(GroupExecutor executor) {
        while (true) {
            boolean wasShutDown = isShutDown(executor);
            Map<Series, Reading> readings = new HashMap<>();
            series.values().forEach(known -> readings.put(known, Reading.of(known)));
            if (wasShutDown) {
                allHadSeries = addAll(notRetired(executor).iterator(), readings);
            } else if (tags.isMapped()) {
                try (Stream<GroupStats> groups = executor.groups()) {
                    allHadSeries = addAll(groups.iterator(), readings);
                }
            } else {
                allHadSeries = addOneByOne(executor, readings);
            }
            if (wasShutDown || !isShutDown(executor)) {
                return readings.values();
            }
        }
    }

    /** A view of a group knows it, the executor does not tell. */
    private static boolean isShutDown(GroupExecutor executor) {
        return executor.asExecutorService("").isShutdown();
    }

    /** If a group is still active after its statistics were read, it had not retired when they were read, so nothing was reported yet. */
    private static List<GroupStats> notRetired(GroupExecutor executor) {
        List<GroupStats> groups;
        try (Stream<GroupStats> all = executor.groups()) {
            groups = all.toList();
        }
        Set<String> active = executor.activeGroupKeys();
        return groups.stream()
                .filter(group -> active.contains(group.groupKey()))
                .toList();
    }

    /** Adds every group to its series. Returns whether every group has one, or belongs to the rest. */
    private boolean addAll(Iterator<GroupStats> groups, Map<Series, Reading> readings) {
        boolean allHave = true;
        while (groups.hasNext()) {
            GroupStats group = groups.next();
            String name = names.of(group.groupKey());
            Series found = name == null ? null : find(name);
            if (found != null) {
                readings.computeIfAbsent(found, Reading::ofNew).add(group);
            } else if (name != null) {
                allHave = false;
            }
        }
        return allHave;
    }

    /** Every series is one group, so few groups are read, however many there are. */
    private boolean addOneByOne(GroupExecutor executor, Map<Series, Reading> readings) {
        boolean allHave = tags.isFixed() || addNewGroups(executor);
        for (Series known : series.values()) {
            Reading reading = readings.computeIfAbsent(known, Reading::ofNew);
            executor.groupStats(known.name).ifPresent(reading::add);
        }
        return allHave;
    }

    /** Every group that the stream returns has a series or gets one, so the loop ends soon when there are many groups. */
    private boolean addNewGroups(GroupExecutor executor) {
        if (!hasFreeSlot()) {
            return false;
        }
        try (Stream<GroupStats> groups = executor.groups()) {
            for (Iterator<GroupStats> i = groups.iterator(); i.hasNext(); ) {
                if (find(i.next().groupKey()) == null) {
                    return false;
                }
            }
        }
        return true;
    }

    /** Returns what neither a series nor the rest has exported. */
    private long[] unexported(long[] totals) {
        long[] left = new long[CountSlots.SIZE];
        for (int i = 0; i < left.length; i++) {
            long sum = dropped[i] + restExported[i];
            for (Series known : series.values()) {
                sum += known.exported[i];
            }
            left[i] = Math.max(0, totals[i] - sum);
        }
        return left;
    }

    private void begin(Reading reading, long[] available, long now, Change change) {
        Series added = reading.series;
        for (int i = 0; i < available.length; i++) {
            added.counted[i] = reading.counts[i];
            added.exported[i] = Math.min(reading.counts[i], available[i]);
        }
        added.isNew = false;
        added.shown = true;
        added.lastActive = now;
        added.sample = reading.sample();
        change.shown.add(added);
    }

    private void update(Reading reading, long now, Change change) {
        Series known = reading.series;
        boolean active = reading.isActive() || reading.hasIncreased();
        if (active) {
            known.lastActive = now;
            if (!known.shown && tryTakeSlot()) {
                known.shown = true;
                change.shown.add(known);
            }
        }
        for (int i = 0; i < known.counted.length; i++) {
            long increase = Math.max(0, reading.counts[i] - known.counted[i]);
            known.counted[i] += increase;
            known.exported[i] += known.shown ? increase : 0; // what a hidden series counts goes to the rest
        }
        known.sample = reading.sample();
        if (!active) {
            removeIfSilent(reading, now, change);
        }
    }

    private void removeIfSilent(Reading reading, long now, Change change) {
        Series known = reading.series;
        boolean drop = reading.groups == 0 && !tags.isFixed();
        boolean silent = now - known.lastActive >= SILENCE_NANOS;
        if (known.shown && silent && (drop || mayHideOneMore())) {
            known.shown = false;
            freeSlot();
            change.hidden.add(known);
        }
        if (!known.shown && drop) {
            for (int i = 0; i < dropped.length; i++) {
                dropped[i] += known.exported[i];
            }
            series.remove(known.name);
        }
    }

    /** Exports the candidate if it is a second old, and then takes a new one. */
    private void exportRest(long[] totals, Counts reportedBefore, long now) {
        Candidate last = candidate;
        if (last != null && now - last.time < REPORT_NANOS) {
            return;
        }
        for (int i = 0; last != null && i < restExported.length; i++) {
            long late = reported.get(i) - last.reported.get(i);
            restExported[i] = Math.max(restExported[i], last.counts.get(i) - late);
        }
        long[] next = unexported(totals);
        for (int i = 0; i < next.length; i++) {
            next[i] += restExported[i];
        }
        if (last == null) { // nothing is late: groups that retired before this object was registered are not reported
            System.arraycopy(next, 0, restExported, 0, next.length);
        }
        candidate = new Candidate(Counts.copyOf(next), reportedBefore, now);
    }

    private void updateRest(GroupExecutorStats total, Collection<Reading> readings) {
        long active = total.totalActiveCount();
        long queued = total.totalQueuedCount();
        long paused = total.pausedGroupCount();
        for (Reading reading : readings) {
            if (reading.series.shown) {
                active -= reading.active;
                queued -= reading.queued;
                paused -= reading.paused;
            }
        }
        rest = new Sample(
                Math.max(0, active),
                Math.max(0, queued),
                Math.max(0, paused),
                0,
                Double.NaN,
                Double.NaN,
                Counts.copyOf(restExported));
    }
}
