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
    static TaskSpec random(RandomSource random) {
        if (random.oneIn(3)) {
            return PLAIN;
        }
        TaskOptions.Builder options = TaskOptions.builder().tag(random.oneOf(TAGS));
        boolean timeout = random.oneIn(6);
        if (timeout) {
            options.timeout(random.micros(200, 4000));
        }
        if (random.oneIn(6)) {
            options.maxQueueTime(random.micros(200, 20_000));
        }
        if (random.oneIn(2)) {
            options.priority(random.below(5));
        }
        RetryPolicy retry = random.oneIn(3) ? retry(random) : RetryPolicy.noRetry();
        hooks(random, options.retry(retry));
        return new TaskSpec(options.build(), retry.maxAttempts(), timeout);
    }

    /** Some at once, some later, some with their place kept, and some whose functions throw. */
    static RetryPolicy retry(RandomSource random) {
        int attempts = random.between(2, 4);
        Duration delay = random.micros(0, 2000);
        return switch (random.below(5)) {
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

    private static void hooks(RandomSource random, TaskOptions.Builder options) {
        boolean bad = random.oneIn(3);
        if (random.oneIn(8)) {
            options.before(task -> InjectedException.throwIf(bad, "before"));
        }
        if (random.oneIn(8)) {
            options.after((task, fault) -> InjectedException.throwIf(bad, "after"));
        }
        if (random.oneIn(8)) {
            options.recovery(fault -> InjectedException.throwIf(bad, "recovery"));
        }
        if (random.oneIn(16)) {
            options.log(line -> InjectedException.throwIf(bad, "log"));
        }
    }
}
