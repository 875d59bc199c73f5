package io.github.kobe.benchmarks;

import io.github.kobe.benchmarks.Row.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Empty tasks over many tenants that an {@code IsolationExecutor} tracks, compared with groups of a {@code GroupExecutor}. Tenants submit
 * in random order. A full run also submits in the order of first use: the state of consecutive tenants is then consecutive in memory, which
 * favours the processor's prefetching and therefore the groups, whose state is smaller.
 */
final class TrackedTenants {

    private static final int TENANTS = 100_000;
    private static final int TASKS = 200_000;
    private static final int PERMITS = 64;
    private static final long SEED = 2026;
    private static final String GLOBAL_LIMIT = "groups under a global limit";
    private static final String GROUP_LIMITS = "groups with their own limits only";
    private static final String[] KEYS = keys();

    private TrackedTenants() {}

    static List<Row> rows(RunLength length) throws InterruptedException {
        Fork fork = fork(length, true);
        List<Row> rows = new ArrayList<>();
        rows.add(row("dispatch, 100,000 tracked tenants, against " + GLOBAL_LIMIT, fork, GLOBAL_LIMIT, 0.5));
        if (!length.quick()) {
            rows.add(row("dispatch, 100,000 tracked tenants, against " + GROUP_LIMITS, fork, GROUP_LIMITS, null));
            rows.add(row(
                    "dispatch, 100,000 tracked tenants in the order of first use, against " + GLOBAL_LIMIT,
                    fork(length, false),
                    GLOBAL_LIMIT,
                    null));
        }
        return rows;
    }

    static List<LibraryWorkload> libraryWorkloads(RunLength length) {
        String[] order = shuffledKeys();
        return List.of(LibraryWorkload.of(
                "dispatch, 100,000 tracked tenants, per task",
                Unit.NANOS,
                TASKS,
                afterFirstUse(TrackedTenants::newIsolationExecutor),
                executor -> Dispatch.submitAll(executor, order, TASKS)));
    }

    private static Fork fork(RunLength length, boolean shuffled) throws InterruptedException {
        return Fork.run(
                length.pick(2, 1),
                TrackedTenants.class,
                length.pick(4, 2),
                length.pick(9, 3),
                length.quick() || !shuffled ? 0 : 1,
                shuffled ? 1 : 0);
    }

    private static Row row(String name, Fork fork, String baseline, @Nullable Double promise) {
        return new Row(
                name, Unit.SPEEDUP, null, fork.quartiles(baseline), promise == null ? null : Promise.atLeast(promise));
    }

    /**
     * The forked JVM. Arguments: warm-up rounds, rounds, whether to compare with {@link #GROUP_LIMITS} as well (1 or 0), whether to submit
     * in random order (1 or 0).
     */
    public static void main(String[] args) throws InterruptedException {
        boolean withGroupLimits = args[2].equals("1");
        String[] order = args[3].equals("1") ? shuffledKeys() : KEYS;
        InterleavedRounds rounds = new InterleavedRounds()
                .add(
                        GLOBAL_LIMIT,
                        afterFirstUse(GroupExecutorAdapter.with(
                                policy -> policy.defaultMaxConcurrencyPerGroup(Integer.MAX_VALUE)
                                        .globalMaxInFlight(PERMITS))))
                .add(IsolationExecutorAdapter.NAME, afterFirstUse(TrackedTenants::newIsolationExecutor));
        if (withGroupLimits) {
            rounds.add(GROUP_LIMITS, afterFirstUse(GroupExecutorAdapter.withLimit(Dispatch.LIMIT)));
        }
        rounds.run(
                Integer.parseInt(args[0]),
                Integer.parseInt(args[1]),
                executor -> Dispatch.submitAll(executor, order, TASKS));
        for (String baseline : withGroupLimits ? List.of(GLOBAL_LIMIT, GROUP_LIMITS) : List.of(GLOBAL_LIMIT)) {
            Fork.print(baseline, rounds.speedups(IsolationExecutorAdapter.NAME, baseline));
        }
    }

    private static ExecutorAdapter newIsolationExecutor() {
        return new IsolationExecutorAdapter(
                policy -> policy.maxConcurrency(PERMITS).queueCapacity(TASKS).statsWindow(Duration.ofMinutes(1)));
    }

    /** Returns executors that every tenant has used once before the measurement. */
    private static Supplier<ExecutorAdapter> afterFirstUse(Supplier<ExecutorAdapter> executors) {
        return () -> {
            ExecutorAdapter executor = executors.get();
            try {
                Dispatch.submitAll(executor, KEYS, TENANTS);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            return executor;
        };
    }

    private static String[] keys() {
        String[] keys = new String[TENANTS];
        Arrays.setAll(keys, i -> "tenant-" + i);
        return keys;
    }

    private static String[] shuffledKeys() {
        String[] order = KEYS.clone();
        Collections.shuffle(Arrays.asList(order), new Random(SEED));
        return order;
    }
}
