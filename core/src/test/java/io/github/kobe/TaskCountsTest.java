package io.github.kobe;

import static io.github.kobe.RejectionReason.EXPIRED;
import static io.github.kobe.RejectionReason.GROUP_QUEUE_FULL;
import static io.github.kobe.RejectionReason.PAUSED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Do counts add up? */
class TaskCountsTest {

    private static final TaskCounts SOME =
            new TaskCounts(120, 100, 3, 2, 1, 4, Map.of(GROUP_QUEUE_FULL, 5L, EXPIRED, 2L));

    @Test
    void noneIsAllZero() {
        assertThat(TaskCounts.none()).isEqualTo(new TaskCounts(0, 0, 0, 0, 0, 0, Map.of()));
        assertThat(TaskCounts.none().rejected()).isZero();
    }

    @Test
    void rejectedIsTheSumOverTheReasons() {
        assertThat(SOME.rejected()).isEqualTo(7);
    }

    @Test
    void plusAddsAllCounts() {
        TaskCounts more = new TaskCounts(1, 2, 3, 4, 5, 6, Map.of(EXPIRED, 1L, PAUSED, 10L));
        TaskCounts sum = new TaskCounts(121, 102, 6, 6, 6, 10, Map.of(GROUP_QUEUE_FULL, 5L, EXPIRED, 3L, PAUSED, 10L));
        assertThat(SOME.plus(more)).isEqualTo(sum);
        assertThat(more.plus(SOME)).isEqualTo(sum);
        assertThat(SOME.plus(TaskCounts.none())).isEqualTo(SOME);
    }

    @Test
    void explicitZeroEqualsAMissingEntry() {
        assertThat(new TaskCounts(0, 0, 0, 0, 0, 0, Map.of(PAUSED, 0L))).isEqualTo(TaskCounts.none());
    }

    @Test
    void mapIsCopiedAndUnmodifiable() {
        Map<RejectionReason, Long> mine = new HashMap<>(Map.of(PAUSED, 1L));
        TaskCounts counts = new TaskCounts(0, 0, 0, 0, 0, 0, mine);
        mine.put(PAUSED, 99L);
        assertThat(counts.rejectedByReason()).isEqualTo(Map.of(PAUSED, 1L));
        assertThatThrownBy(() -> counts.rejectedByReason().put(PAUSED, 99L))
                .isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void toStringOmitsZeros() {
        assertThat(TaskCounts.none()).hasToString("0 submitted");
        assertThat(new TaskCounts(9, 0, 3, 0, 0, 0, Map.of())).hasToString("9 submitted, 3 failed");
        assertThat(SOME)
                .hasToString("120 submitted, 100 ok, 3 failed (1 timed out), 2 cancelled, 4 retried,"
                        + " 7 rejected (5 group queue full, 2 expired)");
    }
}
