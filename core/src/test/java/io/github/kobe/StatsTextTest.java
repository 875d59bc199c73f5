package io.github.kobe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.internal.stats.Histogram;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Are the texts of statistics readable? */
class StatsTextTest {

    private static final TaskCounts COUNTS =
            new TaskCounts(120, 100, 3, 2, 1, 0, Map.of(RejectionReason.GROUP_QUEUE_FULL, 5L));

    private static TimeStats times(long... millis) {
        Histogram histogram = new Histogram();
        for (long each : millis) {
            histogram.record(each * 1_000_000);
        }
        return TimeStats.fromArray(histogram.snapshot());
    }

    private static GroupStats minimal(Map<String, Long> completedByTag) {
        return new GroupStats(
                "g",
                1,
                0,
                Integer.MAX_VALUE,
                Integer.MAX_VALUE,
                Integer.MAX_VALUE,
                Integer.MAX_VALUE,
                1,
                false,
                0,
                0,
                Duration.ZERO,
                TaskCounts.none(),
                TimeStats.none(),
                TimeStats.none(),
                completedByTag,
                Duration.ZERO,
                Duration.ZERO,
                Integer.MAX_VALUE);
    }

    @Test
    void groupWithEveryPart() {
        GroupStats stats = new GroupStats(
                "vip",
                3,
                12,
                5,
                4,
                100,
                4,
                3,
                true,
                2,
                6,
                Duration.ofMillis(45),
                COUNTS,
                times(9),
                times(250),
                Map.of("mail", 7L),
                Duration.ofSeconds(2),
                Duration.ofMillis(250),
                Integer.MAX_VALUE);
        assertThat(stats)
                .hasToString(
                        "group 'vip': 3/4 active (oldest 2 s), 12/100 queued (oldest 45 ms), 6 blocked submitters, 2 retrying, weight 3, paused"
                                + " | 120 submitted, 100 ok, 3 failed (1 timed out), 2 cancelled, 5 rejected (5 group queue full)"
                                + " | waiting p50 9ms p99 9ms max 9ms | running p50 250ms p99 250ms max 250ms"
                                + " | completed by tag: mail 7");
    }

    @Test
    void groupWithoutOptionalParts() {
        assertThat(minimal(Map.of())).hasToString("group 'g': 1 active, 0 queued | 0 submitted");
    }

    @Test
    void groupWhoseLimitIsShared() {
        GroupStats stats = new GroupStats(
                "vip",
                2,
                5,
                10,
                Integer.MAX_VALUE,
                4,
                10,
                1,
                false,
                0,
                0,
                Duration.ZERO,
                TaskCounts.none(),
                TimeStats.none(),
                TimeStats.none(),
                Map.of(),
                Duration.ZERO,
                Duration.ZERO,
                3);
        assertThat(stats)
                .hasToString(
                        "group 'vip': 2/10 active, 3 leased, 5 queued, 4/4 for the group's own limit | 0 submitted");
    }

    @Test
    void onlyTheMostFrequentOfManyTagsAreShown() {
        Map<String, Long> tags = new HashMap<>();
        for (int i = 1; i <= 9; i++) {
            tags.put("t" + i, i == 3 ? 100L : 10L);
        }
        assertThat(minimal(tags).toString())
                .endsWith(" | completed by tag: t3 100, t1 10, t2 10, t4 10, t5 10 and 4 more");
    }

    @Test
    void tagsAreCopiedAndUnmodifiable() {
        Map<String, Long> mine = new HashMap<>(Map.of("a", 1L));
        GroupStats stats = minimal(mine);
        mine.put("b", 1L);
        assertThat(stats.completedByTag()).isEqualTo(Map.of("a", 1L));
        assertThatThrownBy(() -> stats.completedByTag().put("b", 1L)).isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void executorWithEveryPart() {
        GroupExecutorStats stats =
                new GroupExecutorStats(2, 3, 12, 3, 10, 1, 4, 6, Duration.ofMillis(45), COUNTS, times(9), times(250));
        assertThat(stats)
                .hasToString(
                        "2 groups (1 paused): 3/10 active, 12 queued (oldest 45 ms), 6 blocked submitters, 4 retrying | "
                                + COUNTS
                                + " | waiting p50 9ms p99 9ms max 9ms | running p50 250ms p99 250ms max 250ms");
    }

    @Test
    void executorWhoseGlobalLimitIsShared() {
        GroupExecutorStats stats = new GroupExecutorStats(
                1, 2, 0, 2, 10, 0, 0, 0, Duration.ZERO, TaskCounts.none(), TimeStats.none(), TimeStats.none(), 4);
        assertThat(stats).hasToString("1 group: 2/10 active, 4 leased, 0 queued | 0 submitted");
    }

    @Test
    void executorWithoutOptionalParts() {
        GroupExecutorStats stats = new GroupExecutorStats(
                1,
                0,
                0,
                0,
                Integer.MAX_VALUE,
                0,
                0,
                0,
                Duration.ZERO,
                TaskCounts.none(),
                TimeStats.none(),
                TimeStats.none());
        assertThat(stats).hasToString("1 group: 0 active, 0 queued | 0 submitted");
    }
}
