package io.github.kobe.soak;

import io.github.kobe.RetryPolicy;
import io.github.kobe.TaskOptions;
import java.time.Duration;
import java.util.List;

/**
 * The settings that a task is submitted with.
 *
 * @param options the options that are passed to the library
 * @param maxAttempts how often the task may run
 * @param hasTimeout whether the task has a timeout
 */
record TaskSpec(TaskOptions options, int maxAttempts, boolean hasTimeout) {

    static final TaskSpec DEFAULT = new TaskSpec(TaskOptions.defaults(), 1, false);

    private static final List<String> TAGS = List.of("", "", "red", "green");

    /** Returns random settings. At least one in three is {@link #DEFAULT}. */
    static TaskSpec random(RandomSource random) {
        if (random.oneIn(3)) {
            return DEFAULT;
        }
        TaskOptions.Builder options = TaskOptions.builder().tag(random.oneOf(TAGS));
        boolean hasTimeout = random.oneIn(6);
        if (hasTimeout) {
            options.timeout(random.micros(200, 4000));
        }
        if (random.oneIn(6)) {
            options.maxQueueTime(random.micros(200, 20_000));
        }
        if (random.oneIn(2)) {
            options.priority(random.below(5));
        }
        RetryPolicy retry = random.oneIn(3) ? randomRetry(random) : RetryPolicy.noRetry();
        addCallbacks(random, options.retry(retry));
        return new TaskSpec(options.build(), retry.maxAttempts(), hasTimeout);
    }

    /** Returns a policy with or without a delay, or one that keeps the permit between attempts, or one whose predicate may throw. */
    static RetryPolicy randomRetry(RandomSource random) {
        int attempts = random.between(2, 4);
        Duration delay = random.micros(0, 2000);
        return switch (random.below(5)) {
            case 0 -> RetryPolicy.attempts(attempts);
            case 1 -> RetryPolicy.fixedDelay(attempts, delay);
            case 2 -> RetryPolicy.fixedDelay(attempts, delay).keepingPermit();
            case 3 ->
                RetryPolicy.exponentialBackoff(attempts, delay, 2, Duration.ofMillis(10))
                        .withJitter(0.5);
            default ->
                RetryPolicy.attempts(attempts).retryIf(thrown -> {
                    if (thrown instanceof Error) {
                        throw new InjectedException("retryIf");
                    }
                    return true;
                });
        };
    }

    private static void addCallbacks(RandomSource random, TaskOptions.Builder options) {
        boolean fail = random.oneIn(3);
        if (random.oneIn(8)) {
            options.before(task -> InjectedException.throwIf(fail, "before"));
        }
        if (random.oneIn(8)) {
            options.after((task, thrown) -> InjectedException.throwIf(fail, "after"));
        }
        if (random.oneIn(8)) {
            options.recovery(thrown -> InjectedException.throwIf(fail, "recovery"));
        }
        if (random.oneIn(16)) {
            options.log(line -> InjectedException.throwIf(fail, "log"));
        }
    }
}
