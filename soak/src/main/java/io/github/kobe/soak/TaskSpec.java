package io.github.kobe.soak;

import io.github.kobe.RetryPolicy;
import io.github.kobe.TaskOptions;
import java.time.Duration;
import java.util.List;

/**
 * What a task was submitted with.
 *
 * @param options what the library is told
 * @param attempts how often it may run
 * @param timeout whether its time is limited
 */
record TaskSpec(TaskOptions options, int attempts, boolean timeout) {

    static final TaskSpec PLAIN = new TaskSpec(TaskOptions.defaults(), 1, false);

    private static final List<String> TAGS = List.of("", "", "red", "green");

    /** A third of all are plain. */
    static TaskSpec random(RandomSource dice) {
        if (dice.oneIn(3)) {
            return PLAIN;
        }
        TaskOptions.Builder options = TaskOptions.builder().tag(dice.oneOf(TAGS));
        boolean timeout = dice.oneIn(6);
        if (timeout) {
            options.timeout(dice.micros(200, 4000));
        }
        if (dice.oneIn(6)) {
            options.maxQueueTime(dice.micros(200, 20_000));
        }
        if (dice.oneIn(2)) {
            options.priority(dice.below(5));
        }
        RetryPolicy retry = dice.oneIn(3) ? retry(dice) : RetryPolicy.noRetry();
        hooks(dice, options.retry(retry));
        return new TaskSpec(options.build(), retry.maxAttempts(), timeout);
    }

    /** Some at once, some later, some with their place kept, and some whose functions throw. */
    static RetryPolicy retry(RandomSource dice) {
        int attempts = dice.between(2, 4);
        Duration delay = dice.micros(0, 2000);
        return switch (dice.below(5)) {
            case 0 -> RetryPolicy.attempts(attempts);
            case 1 -> RetryPolicy.fixedDelay(attempts, delay);
            case 2 -> RetryPolicy.fixedDelay(attempts, delay).keepingPlace();
            case 3 ->
                RetryPolicy.exponentialBackoff(attempts, delay, 2, Duration.ofMillis(10))
                        .withJitter(0.5);
            default ->
                RetryPolicy.attempts(attempts).retryIf(fault -> {
                    if (fault instanceof Error) {
                        throw new InjectedException("retryIf");
                    }
                    return true;
                });
        };
    }

    private static void hooks(RandomSource dice, TaskOptions.Builder options) {
        boolean bad = dice.oneIn(3);
        if (dice.oneIn(8)) {
            options.before(task -> InjectedException.throwIf(bad, "before"));
        }
        if (dice.oneIn(8)) {
            options.after((task, fault) -> InjectedException.throwIf(bad, "after"));
        }
        if (dice.oneIn(8)) {
            options.recovery(fault -> InjectedException.throwIf(bad, "recovery"));
        }
        if (dice.oneIn(16)) {
            options.log(line -> InjectedException.throwIf(bad, "log"));
        }
    }
}
