package io.github.kobe.pool;

import java.time.Duration;
import java.util.Locale;

/** Decides how many workers to use, from statistics alone. */
final class UtilizationSizer {

    private final double target;

    /** @param target the fraction of their time that workers should be busy */
    UtilizationSizer(double target) {
        this.target = target;
    }

    /** The input: how many workers are used and may be used, how busy they were recently, and what is queued. */
    record Sample(int size, int min, int max, double busyShare, int queued, Duration oldestWaiting) {}

    /** The new size: one step towards the number of workers that would be busy for the target fraction of their time. */
    int decide(Sample s) {
        int enough = (int) Math.ceil(s.size * s.busyShare / target - 1e-9);
        if (s.queued > 0 && s.busyShare >= target) {
            return Math.clamp(Math.max(s.size + 1, enough), s.min, s.max);
        }
        if (s.queued == 0 && enough < s.size) {
            return Math.clamp(
                    s.size - (s.size - enough + 1) / 2,
                    s.min,
                    s.max); // half of the way, since low load may be temporary
        }
        return Math.clamp(s.size, s.min, s.max);
    }

    String explain(Sample s) {
        return String.format(
                Locale.ROOT,
                "%.0f%% busy of wanted %.0f%%, %d waiting, the oldest for %d ms",
                s.busyShare * 100,
                target * 100,
                s.queued,
                s.oldestWaiting.toMillis());
    }
}
