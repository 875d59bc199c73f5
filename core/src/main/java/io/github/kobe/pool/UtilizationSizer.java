package io.github.kobe.pool;

import java.time.Duration;
import java.util.Locale;

/** Decides how many workers to use, from figures alone. */
final class UtilizationSizer {

    private final double goal;

    /** @param goal the part of their time that workers are to be busy */
    UtilizationSizer(double goal) {
        this.goal = goal;
    }

    /** What there is to see: how many workers are used now and may be, how busy they were lately, and what waits. */
    record Figures(int size, int min, int max, double busyShare, int queued, Duration oldestWaiting) {}

    /** A step towards as many as would be busy for the wanted part of their time; {@code size} if that is how it is. */
    int decide(Figures f) {
        int enough = (int) Math.ceil(f.size * f.busyShare / goal - 1e-9);
        if (f.queued > 0 && f.busyShare >= goal) {
            return Math.clamp(Math.max(f.size + 1, enough), f.min, f.max);
        }
        if (f.queued == 0 && enough < f.size) {
            return Math.clamp(f.size - (f.size - enough + 1) / 2, f.min, f.max); // half the way: it may be a lull
        }
        return Math.clamp(f.size, f.min, f.max);
    }

    String why(Figures f) {
        return String.format(
                Locale.ROOT,
                "%.0f%% busy of wanted %.0f%%, %d waiting, the oldest for %d ms",
                f.busyShare * 100,
                goal * 100,
                f.queued,
                f.oldestWaiting.toMillis());
    }
}
