package io.github.kobe.scope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.internal.time.FakeTimer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** At what times do scheduled tasks run? The test advances the clock, and everything runs on its thread. */
@Timeout(60)
class ScheduleRhythmTest {

    private final FakeTimer timer = new FakeTimer();
    private final ThreadScope scope = ThreadScope.open()
            .withScheduler(new Scheduler("hand", false, null, Runnable::run, timer))
            .withDeadline(Duration.ofSeconds(1_000));
    private final List<Long> times = new ArrayList<>();

    @AfterEach
    void close() {
        scope.close();
    }

    private static Duration seconds(long seconds) {
        return Duration.ofSeconds(seconds);
    }

    private void note() {
        times.add(TimeUnit.NANOSECONDS.toSeconds(timer.nanoTime()));
    }

    private void advance(long seconds) {
        timer.advance(TimeUnit.SECONDS.toNanos(seconds));
    }

    @Test
    void oneShotRunsOnceAtItsTime() {
        scope.schedule(seconds(5), this::note);
        advance(100);
        assertThat(times).containsExactly(5L);
    }

    @Test
    void fixedRateCountsFromTheDueTimeOfThePreviousRun() {
        scope.scheduleAtFixedRate(seconds(5), seconds(10), () -> {
            note();
            advance(3);
        });
        advance(40);
        assertThat(times).containsExactly(5L, 15L, 25L, 35L);
    }

    @Test
    void fixedRateCatchesUpWithMissedRuns() {
        scope.scheduleAtFixedRate(seconds(0), seconds(10), () -> {
            note();
            if (times.size() == 1) {
                advance(25);
            }
        });
        advance(42);
        assertThat(times).containsExactly(0L, 25L, 25L, 30L, 40L);
    }

    @Test
    void fixedDelayCountsFromTheCompletionOfThePreviousRun() {
        scope.scheduleWithFixedDelay(seconds(5), seconds(10), () -> {
            note();
            advance(3);
        });
        advance(40);
        assertThat(times).containsExactly(5L, 18L, 31L);
    }

    @Test
    void cancelledScheduleHasNoTimerEntry() {
        ScheduledTask task = scope.scheduleAtFixedRate(seconds(5), seconds(10), this::note);
        advance(16);
        task.cancel();
        advance(100);
        assertThat(times).containsExactly(5L, 15L);
    }

    @Test
    void deadlineCountsFromOpenAndCancelsSchedules() {
        ScheduledTask task = scope.scheduleAtFixedRate(seconds(0), seconds(400), this::note);
        advance(5_000);
        assertThat(times).containsExactly(0L, 400L, 800L);
        assertThat(task.isCancelled()).isTrue();
        assertThatThrownBy(() -> scope.submit(() -> "ran")).isInstanceOf(ScopeTimeoutException.class);
    }

    @Test
    void firstSubmitAfterTheDeadlineIsRejected() {
        advance(1_000);
        assertThatThrownBy(() -> scope.schedule(seconds(0), this::note)).isInstanceOf(ScopeTimeoutException.class);
        assertThatThrownBy(() -> scope.submit(() -> times.add(-1L))).isInstanceOf(ScopeTimeoutException.class);
        advance(100);
        assertThat(times).isEmpty();
        assertThat(scope.token().isCancelled()).isTrue();
    }

    @Test
    void firstScheduleHasOnlyTheTimeLeftUntilTheDeadline() {
        advance(900);
        scope.scheduleAtFixedRate(seconds(0), seconds(60), this::note);
        advance(5_000);
        assertThat(times).containsExactly(900L, 960L);
        assertThat(scope.token().isCancelled()).isTrue();
    }
}
