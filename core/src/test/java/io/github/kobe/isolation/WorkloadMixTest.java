package io.github.kobe.isolation;

import static io.github.kobe.isolation.WorkloadMix.FOR_EVER;
import static io.github.kobe.isolation.WorkloadMix.MS;
import static io.github.kobe.isolation.WorkloadMix.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Do fast tenants stay fast, and is the budget used? On virtual time, compared with a plain pool. */
class WorkloadMixTest {

    /** The tenants of the design document: eight fast ones that need 7.5 permits. */
    private static WorkloadMix eightFast(WorkloadMix mix, long scale) {
        long[][] fast = {{50, 50}, {50, 100}, {100, 100}, {100, 100}, {200, 200}, {300, 300}, {400, 400}, {500, 500}};
        for (int i = 0; i < fast.length; i++) {
            mix.every("fast" + i, true, fast[i][0] * MS / scale, fast[i][1] * MS / scale);
        }
        return mix;
    }

    private static WorkloadMix document(long scale) {
        return eightFast(new WorkloadMix(50).length(100 * SECOND / scale), scale)
                .every("slow1", false, 2000 * MS / scale, 100 * MS / scale)
                .every("slow2", false, 3000 * MS / scale, 100 * MS / scale);
    }

    /** @param work at least this part of what the other tenants get from a plain pool */
    private static void check(Supplier<WorkloadMix> mix, double p99, double work) {
        WorkloadMix.Outcome ours = mix.get().play();
        WorkloadMix.Outcome plain = mix.get().plain();
        assertThat(ours.p99()).as("p99 of what fast tasks were queued, in ms").isLessThanOrEqualTo(p99);
        assertThat(ours.work / plain.work)
                .as("work of the others, against a plain pool")
                .isGreaterThanOrEqualTo(work);
        assertThat(ours.most).as("running at once").isLessThanOrEqualTo(mix.get().budget);
    }

    /** @param efficiency at least this part of what fast tenants leave to the others */
    private static void checkLeft(Supplier<WorkloadMix> mix, double p99, double efficiency) {
        WorkloadMix.Outcome ours = mix.get().play();
        WorkloadMix.Outcome plain = mix.get().plain();
        assertThat(ours.p99()).as("p99 of what fast tasks were queued, in ms").isLessThanOrEqualTo(p99);
        assertThat(ours.work / (plain.work + plain.fastWork - ours.fastWork))
                .as("work of the others, against what is left for them")
                .isGreaterThanOrEqualTo(efficiency);
    }

    // ---- the table of the issue ----------------------------------------------------------------------------------

    @ParameterizedTest
    @ValueSource(longs = {1, 10, 20})
    void documentAlsoIfTimeRunsFaster(long scale) {
        check(() -> document(scale), 1, 0.95);
    }

    @ParameterizedTest
    @CsvSource({"50, 1", "50, 2", "50, 10", "50, 200", "4, 3", "500, 20", "1, 5"})
    void onlySlowTenantsGetEverything(int budget, int tenants) {
        check(() -> onlySlow(budget, tenants, 2 * SECOND, 100 * SECOND), 0, 0.98);
        check(() -> onlySlow(budget, tenants, 100 * MS, 5 * SECOND), 0, 0.98);
    }

    private static WorkloadMix onlySlow(int budget, int tenants, long time, long length) {
        WorkloadMix mix = new WorkloadMix(budget).length(length);
        for (int i = 0; i < tenants; i++) {
            long duration = time * (2 + i % 3) / 2;
            mix.every("slow" + i, false, duration, Math.max(1, duration * tenants / budget / 2));
        }
        return mix;
    }

    @ParameterizedTest
    @CsvSource({"2000, 1", "1000, 1", "100, 1", "10, 1", "1, 1", "1000000, 10000"})
    void oneTenantHangsForEverAtAnyRate(long periodMillis, int batch) {
        WorkloadMix.Outcome ours = eightFast(new WorkloadMix(50), 1)
                .add("hung", false, 0, t -> t + periodMillis * MS, t -> FOR_EVER, batch)
                .play();
        assertThat(ours.p99()).isLessThanOrEqualTo(5);
    }

    @Test
    void fastTenantHangsLater() {
        WorkloadMix.Outcome ours = eightFast(new WorkloadMix(50), 1)
                .add("hung", false, 0, t -> t + 20 * MS, t -> t > 40 * SECOND ? FOR_EVER : 20 * MS, 1)
                .every("slow", false, 2 * SECOND, 100 * MS)
                .play();
        assertThat(ours.p99()).isLessThanOrEqualTo(5);
    }

    @Test
    void fastTenantBecomesHundredTimesSlower() {
        check(
                () -> eightFast(new WorkloadMix(50), 1)
                        .add("changing", false, 0, t -> t + 150 * MS, t -> (t > 20 * SECOND ? 5000 : 50) * MS, 1)
                        .every("slow", false, 2000 * MS, 130 * MS),
                5,
                0.9);
    }

    @Test
    void fastTenantBecomesSlowAndWantsMoreThanThereIs() {
        checkLeft(
                () -> eightFast(new WorkloadMix(50), 1)
                        .add("changing", false, 0, t -> t + 25 * MS, t -> (t > 20 * SECOND ? 5000 : 50) * MS, 1)
                        .every("slow", false, 2000 * MS, 100 * MS),
                5,
                0.9);
    }

    @Test
    void threeHundredFastTenantsAtRandom() {
        check(() -> atRandom(300, 50, 20 * MS, SECOND, 2 * SECOND), 15, 0.85);
    }

    private static WorkloadMix atRandom(int tenants, int budget, long duration, long period, long slow) {
        WorkloadMix mix = new WorkloadMix(budget).length(60 * SECOND);
        for (int i = 0; i < tenants; i++) {
            mix.random("fast" + i, true, duration, period);
        }
        for (int i = 0; i < 8; i++) {
            mix.random("slow" + i, false, slow, slow * 8 / budget * 10 / 13);
        }
        return mix;
    }

    @ParameterizedTest
    @CsvSource({"1, 6, 50, 1000", "3, 2, 20, 1000", "6, 1, 100, 2000"})
    void burstsTakeHardlyLongerThanOnAnIdleSystem(int tenants, int tasks, long millis, long period) {
        check(() -> bursts(tenants, tasks, millis * MS, period * MS), 0.5 * millis, 0.85);
    }

    private static WorkloadMix bursts(int tenants, int tasks, long duration, long period) {
        WorkloadMix mix = new WorkloadMix(50).length(120 * SECOND);
        for (int i = 0; i < tenants; i++) {
            mix.bursts("burst" + i, true, duration, period, tasks);
        }
        return mix.every("slow1", false, 2000 * MS, 70 * MS).every("slow2", false, 2037 * MS, 70 * MS);
    }

    // ---- others ----------------------------------------------------------------------------------------------------

    @Test
    void manySlowTenantsWithFewTasksEach() {
        checkLeft(() -> manyMedium(200, 2 * SECOND, 1), 1, 0.95);
    }

    @Test
    void tenantsThatAreOnlyRatherSlow() {
        checkLeft(() -> manyMedium(200, 900 * MS, 5), 1, 0.95);
    }

    private static WorkloadMix manyMedium(int tenants, long duration, long scale) {
        WorkloadMix mix = eightFast(new WorkloadMix(50).length(60 * SECOND), scale);
        for (int i = 0; i < tenants; i++) {
            mix.random("mid" + i, false, duration, duration * tenants / 60);
        }
        return mix;
    }

    @Test
    void tenantsWithAlternatelyShortAndLongTasks() {
        checkLeft(
                () -> {
                    WorkloadMix mix = eightFast(new WorkloadMix(50).length(60 * SECOND), 1);
                    for (int i = 0; i < 4; i++) {
                        mix.add(
                                "alternating" + i,
                                false,
                                i,
                                t -> t + 60 * MS,
                                t -> (t / (60 * MS)) % 2 == 0 ? 5 * MS : 2 * SECOND,
                                1);
                    }
                    return mix;
                },
                1,
                0.95);
    }

    @Test
    void fastTenantWithARareLongTask() {
        checkLeft(
                () -> document(1)
                        .add("rare", true, 0, t -> t + 100 * MS, t -> t % (5 * SECOND) == 0 ? 4 * SECOND : 20 * MS, 1),
                1,
                0.9);
    }

    @Test
    void newKeysEachWithOneSlowTask() {
        checkLeft(
                () -> {
                    WorkloadMix mix = eightFast(new WorkloadMix(50).length(60 * SECOND), 1);
                    for (int i = 0; i < 2000; i++) {
                        mix.add("new" + i, false, i * 30 * MS, t -> Long.MAX_VALUE, t -> 2 * SECOND, 1);
                    }
                    return mix;
                },
                1,
                0.95);
    }

    @Test
    void newKeysEachWithOneFastTask() {
        check(
                () -> {
                    WorkloadMix mix = new WorkloadMix(50).length(30 * SECOND);
                    for (int i = 0; i < 6000; i++) {
                        mix.add("new" + i, true, i * 5 * MS, t -> Long.MAX_VALUE, t -> 20 * MS, 1);
                    }
                    return mix.every("slow1", false, 2 * SECOND, 100 * MS).every("slow2", false, 3 * SECOND, 100 * MS);
                },
                1,
                0.9);
    }

    @Test
    void newFastTenantsFindPermitsAlthoughOneHangs() {
        WorkloadMix mix =
                new WorkloadMix(50).length(60 * SECOND).add("hung", false, 0, t -> t + 20 * MS, t -> FOR_EVER, 1);
        eightFast(mix, 1);
        for (int i = 0; i < 4; i++) {
            mix.add("late" + i, true, (5 + 4 * i) * SECOND, t -> t + 100 * MS, t -> 50 * MS, 1);
        }
        assertThat(mix.play().p99()).isLessThanOrEqualTo(5);
    }

    @Test
    void fastTenantsThatWantMoreThanThereIsDivideIt() {
        check(
                () -> {
                    WorkloadMix mix = new WorkloadMix(10).length(20 * SECOND);
                    for (int i = 0; i < 20; i++) {
                        mix.random("f" + i, false, 20 * MS, 30 * MS);
                    }
                    return mix;
                },
                0,
                0.98);
    }

    @Test
    void slowTenantIsNotStarvedByFastOnesThatWantEverything() {
        WorkloadMix mix = new WorkloadMix(10).length(60 * SECOND);
        for (int i = 0; i < 40; i++) {
            mix.random("f" + i, true, 20 * MS, 60 * MS);
        }
        WorkloadMix.Outcome ours = mix.every("slow", false, 2 * SECOND, SECOND).play();
        assertThat(ours.work / SECOND).as("permit-seconds of 600").isGreaterThan(50);
    }

    @Test
    void smallBudget() {
        checkLeft(
                () -> new WorkloadMix(4)
                        .length(60 * SECOND)
                        .every("fast", true, 20 * MS, 100 * MS)
                        .every("slow", false, 2 * SECOND, 300 * MS),
                1,
                0.75);
    }

    @Test
    void largeBudget() {
        check(
                () -> {
                    WorkloadMix mix = eightFast(new WorkloadMix(500).length(60 * SECOND), 1);
                    for (int i = 0; i < 10; i++) {
                        mix.every("slow" + i, false, 2 * SECOND, 35 * MS);
                    }
                    return mix;
                },
                1,
                0.95);
    }
}
