package io.github.kobe.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLoad;
import io.github.kobe.LiveSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Which groups are on a page, and in which order? */
class GroupTableTest {

    private final GroupExecutor executor = ConsoleKit.executor(b -> b);

    @AfterEach
    void close() {
        executor.close();
    }

    private static GroupLoad load(String key, int running, int queued, long waitMillis, boolean paused) {
        return new GroupLoad(key, running, queued, 4, 100, paused, Duration.ofMillis(waitMillis));
    }

    private Snapshot.Groups groups(List<GroupLoad> loads, Map<String, LiveSettings> live) {
        return new Snapshot.Groups(executor, executor.stats(), loads, live);
    }

    private static LiveSettings limited(int limit) {
        return new LiveSettings(
                OptionalInt.of(limit), OptionalInt.empty(), OptionalInt.empty(), OptionalInt.empty(), false);
    }

    private static List<String> keys(GroupTable table) {
        return table.rows().stream().map(row -> row.load().groupKey()).toList();
    }

    private static final List<GroupLoad> LOADS = List.of(
            load("idle", 0, 0, 0, false),
            load("Busy", 3, 0, 0, false),
            load("late", 1, 2, 900, false),
            load("long", 2, 50, 100, false),
            load("stopped", 0, 1, 400, true));

    private GroupTable table(String query) {
        return GroupTable.of(List.of(groups(LOADS, Map.of("idle", limited(2), "gone", limited(3)))), View.parse(query));
    }

    @Test
    void oldestWaitComesFirst() {
        assertThat(keys(table(""))).containsExactly("late", "stopped", "long", "Busy", "idle");
    }

    @Test
    void otherOrdersCanBeAskedFor() {
        assertThat(keys(table("sort=queued"))).containsExactly("long", "late", "stopped", "Busy", "idle");
        assertThat(keys(table("sort=running"))).containsExactly("Busy", "long", "late", "idle", "stopped");
        assertThat(keys(table("sort=key"))).containsExactly("Busy", "idle", "late", "long", "stopped");
    }

    @Test
    void searchFindsPartsOfKeysInAnyCase() {
        assertThat(keys(table("search=L"))).containsExactly("late", "long", "idle");
        assertThat(keys(table("search=bUS"))).containsExactly("Busy");
        assertThat(table("search=nothing")).isEqualTo(new GroupTable(0, List.of()));
    }

    @Test
    void filtersShowWhatWaitsIsPausedOrWasChanged() {
        assertThat(keys(table("filter=waiting"))).containsExactly("late", "stopped", "long");
        assertThat(keys(table("filter=paused"))).containsExactly("stopped");
        GroupTable changed = table("filter=changed&sort=key");
        assertThat(keys(changed)).containsExactly("gone", "idle");
        assertThat(changed.matching()).isEqualTo(2);
        assertThat(changed.rows().getFirst().known()).isFalse();
        assertThat(changed.rows().getFirst().load().limit()).isEqualTo(3);
        assertThat(changed.rows().getLast().known()).isTrue();
        assertThat(keys(table("filter=changed&search=go"))).containsExactly("gone");
    }

    @Test
    void pagesFollowEachOther() {
        List<String> all = new ArrayList<>();
        for (int page = 0; page < 3; page++) {
            GroupTable table = table("size=2&page=" + page);
            assertThat(table.matching()).isEqualTo(5);
            all.addAll(keys(table));
        }
        assertThat(all).isEqualTo(keys(table("")));
        assertThat(table("size=2&page=3").rows()).isEmpty();
    }

    @Test
    void groupsOfSeveralExecutorsAreRankedTogetherOrApart() {
        List<Snapshot.Groups> two = List.of(
                groups(List.of(load("a", 0, 1, 10, false), load("b", 0, 1, 30, false)), Map.of()),
                groups(List.of(load("a", 0, 1, 20, false)), Map.of()));
        GroupTable both = GroupTable.of(two, View.parse(""));
        assertThat(both.rows()).extracting(GroupTable.Row::executor).containsExactly(0, 1, 0);
        assertThat(both.matching()).isEqualTo(3);
        GroupTable second = GroupTable.of(two, View.parse("executor=1"));
        assertThat(second.rows()).extracting(GroupTable.Row::executor).containsExactly(1);
        assertThat(GroupTable.of(two, View.parse("executor=7")).rows()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(View.Sort.class)
    void pageOfManyGroupsIsThatOfASort(View.Sort sort) {
        SplittableRandom random = new SplittableRandom(11);
        List<GroupLoad> loads = new ArrayList<>();
        for (int i = 0; i < 3_000; i++) {
            int queued = random.nextInt(4);
            loads.add(load("g" + i, random.nextInt(4), queued, queued == 0 ? 0 : random.nextInt(1, 9), false));
        }
        Comparator<GroupLoad> byKey = Comparator.comparing(GroupLoad::groupKey);
        Comparator<GroupLoad> byRunning =
                Comparator.comparingInt(GroupLoad::activeCount).reversed().thenComparing(byKey);
        Comparator<GroupLoad> byQueued =
                Comparator.comparingInt(GroupLoad::queuedCount).reversed().thenComparing(byRunning);
        Comparator<GroupLoad> byWait =
                Comparator.comparing(GroupLoad::oldestWaiting).reversed().thenComparing(byQueued);
        Comparator<GroupLoad> order = switch (sort) {
            case WAIT -> byWait;
            case QUEUED -> byQueued;
            case RUNNING -> byRunning;
            case KEY -> byKey;
        };
        View view = View.parse("size=20&page=7&sort=" + sort.name().toLowerCase(java.util.Locale.ROOT));
        GroupTable table = GroupTable.of(List.of(groups(loads, Map.of())), view);
        assertThat(table.rows())
                .extracting(GroupTable.Row::load)
                .isEqualTo(loads.stream().sorted(order).skip(140).limit(20).toList());
    }
}
