package io.github.kobe.isolation;

import static io.github.kobe.isolation.Mix.FOR_EVER;
import static io.github.kobe.isolation.Mix.MS;
import static io.github.kobe.isolation.Mix.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Do quick tenants stay quick, and does the budget not stand idle? Played on virtual time, against a plain pool. */
class MixTest {

    /** The tenants of the document: eight quick ones that need 7.5 places. */
    private static Mix eightQuick(Mix mix, long scale) {
        long[][] fast = {{50, 50}, {50, 100}, {100, 100}, {100, 100}, {200, 200}, {300, 300}, {400, 400}, {500, 500}};
        for (int i = 0; i < fast.length; i++) {
            mix.every("fast" + i, true, fast[i][0] * MS / scale, fast[i][1] * MS / scale);
        }
        return mix;
    }

    private static Mix document(long scale) {
        return eightQuick(new Mix(50).length(100 * SECOND / scale), scale)
                .every("slow1", false, 2000 * MS / scale, 100 * MS / scale)
                .every("slow2", false, 3000 * MS / scale, 100 * MS / scale);
    }

    /** @param work at least this part of what the tenants that are not quick get from a plain pool */
    private static void check(Supplier<Mix> mix, double p99, double work) {
        Mix.Outcome ours = mix.get().play();
        Mix.Outcome plain = mix.get().plain();
        assertThat(ours.p99()).as("p99 of what quick tasks waited, in ms").isLessThanOrEqualTo(p99);
        assertThat(ours.work / plain.work)
                .as("work of the others, against a plain pool")
                .isGreaterThanOrEqualTo(work);
        assertThat(ours.most).as("running at once").isLessThanOrEqualTo(mix.get().budget);
    }

    /** @param efficiency at least this part of what quick work leaves to the others */
    private static void checkLeft(Supplier<Mix> mix, double p99, double efficiency) {
        Mix.Outcome ours = mix.get().play();
        Mix.Outcome plain = mix.get().plain();
        assertThat(ours.p99()).as("p99 of what quick tasks waited, in ms").isLessThanOrEqualTo(p99);
        assertThat(ours.work / (plain.work + plain.quietWork - ours.quietWork))
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

    private static Mix onlySlow(int budget, int tenants, long time, long length) {
        Mix mix = new Mix(budget).length(length);
        for (int i = 0; i < tenants; i++) {
            long duration = time * (2 + i % 3) / 2;
            mix.every("slow" + i, false, duration, Math.max(1, duration * tenants / budget / 2));
        }
        return mix;
    }

    @ParameterizedTest
    @CsvSource({"2000, 1", "1000, 1", "100, 1", "10, 1", "1, 1", "1000000, 10000"})
    void oneTenantHangsForEverAtAnyRate(long periodMillis, int batch) {
        Mix.Outcome ours = eightQuick(new Mix(50), 1)
                .add("hung", false, 0, t -> t + periodMillis * MS, t -> FOR_EVER, batch)
                .play();
        assertThat(ours.p99()).isLessThanOrEqualTo(5);
    }

    @Test
    void quickTenantHangsAtNoon() {
        Mix.Outcome ours = eightQuick(new Mix(50), 1)
                .add("hung", false, 0, t -> t + 20 * MS, t -> t > 40 * SECOND ? FOR_EVER : 20 * MS, 1)
                .every("slow", false, 2 * SECOND, 100 * MS)
                .play();
        assertThat(ours.p99()).isLessThanOrEqualTo(5);
    }

    @Test
    void quickTenantTurnsHundredTimesSlower() {
        check(
                () -> eightQuick(new Mix(50), 1)
                        .add("turner", false, 0, t -> t + 150 * MS, t -> (t > 20 * SECOND ? 5000 : 50) * MS, 1)
                        .every("slow", false, 2000 * MS, 130 * MS),
                5,
                0.9);
    }

    @Test
    void quickTenantTurnsSlowAndWantsMoreThanThereIs() {
        checkLeft(
                () -> eightQuick(new Mix(50), 1)
                        .add("turner", false, 0, t -> t + 25 * MS, t -> (t > 20 * SECOND ? 5000 : 50) * MS, 1)
                        .every("slow", false, 2000 * MS, 100 * MS),
                5,
                0.9);
    }

    @Test
    void threeHundredQuickTenantsAtRandom() {
        check(() -> atRandom(300, 50, 20 * MS, SECOND, 2 * SECOND), 15, 0.85);
    }

    private static Mix atRandom(int tenants, int budget, long duration, long period, long slow) {
        Mix mix = new Mix(budget).length(60 * SECOND);
        for (int i = 0; i < tenants; i++) {
            mix.random("quick" + i, true, duration, period);
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

    private static Mix bursts(int tenants, int tasks, long duration, long period) {
        Mix mix = new Mix(50).length(120 * SECOND);
        for (int i = 0; i < tenants; i++) {
            mix.bursts("burst" + i, true, duration, period, tasks);
        }
        return mix.every("slow1", false, 2000 * MS, 70 * MS).every("slow2", false, 2037 * MS, 70 * MS);
    }

    // ---- others ----------------------------------------------------------------------------------------------------

    @Test
    void manySlowTenantsWithFewTasksEach() {
        checkLeft(() -> crowd(200, 2 * SECOND, 1), 1, 0.95);
    }

    @Test
    void tenantsThatAreOnlyRatherSlow() {
        checkLeft(() -> crowd(200, 900 * MS, 5), 1, 0.95);
    }

    private static Mix crowd(int tenants, long duration, long scale) {
        Mix mix = eightQuick(new Mix(50).length(60 * SECOND), scale);
        for (int i = 0; i < tenants; i++) {
            mix.random("mid" + i, false, duration, duration * tenants / 60);
        }
        return mix;
    }

    @Test
    void tenantsWhoseTasksAreShortAndLongInTurn() {
        checkLeft(
                () -> {
                    Mix mix = eightQuick(new Mix(50).length(60 * SECOND), 1);
                    for (int i = 0; i < 4; i++) {
                        mix.add(
                                "turn" + i,
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
    void quickTenantWithARareLongTask() {
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
                    Mix mix = eightQuick(new Mix(50).length(60 * SECOND), 1);
                    for (int i = 0; i < 2000; i++) {
                        mix.add("new" + i, false, i * 30 * MS, t -> Long.MAX_VALUE, t -> 2 * SECOND, 1);
                    }
                    return mix;
                },
                1,
                0.95);
    }

    @Test
    void newKeysEachWithOneQuickTask() {
        check(
                () -> {
                    Mix mix = new Mix(50).length(30 * SECOND);
                    for (int i = 0; i < 6000; i++) {
                        mix.add("new" + i, true, i * 5 * MS, t -> Long.MAX_VALUE, t -> 20 * MS, 1);
                    }
                    return mix.every("slow1", false, 2 * SECOND, 100 * MS).every("slow2", false, 3 * SECOND, 100 * MS);
                },
                1,
                0.9);
    }

    @Test
    void newQuickTenantsFindPlacesAlthoughOneHangs() {
        Mix mix = new Mix(50).length(60 * SECOND).add("hung", false, 0, t -> t + 20 * MS, t -> FOR_EVER, 1);
        eightQuick(mix, 1);
        for (int i = 0; i < 4; i++) {
            mix.add("late" + i, true, (5 + 4 * i) * SECOND, t -> t + 100 * MS, t -> 50 * MS, 1);
        }
        assertThat(mix.play().p99()).isLessThanOrEqualTo(5);
    }

    @Test
    void quickTenantsThatWantMoreThanThereIsShareIt() {
        check(
                () -> {
                    Mix mix = new Mix(10).length(20 * SECOND);
                    for (int i = 0; i < 20; i++) {
                        mix.random("q" + i, false, 20 * MS, 30 * MS);
                    }
                    return mix;
                },
                0,
                0.98);
    }

    @Test
    void slowTenantIsNotStarvedByQuickOnesThatWantEverything() {
        Mix mix = new Mix(10).length(60 * SECOND);
        for (int i = 0; i < 40; i++) {
            mix.random("q" + i, true, 20 * MS, 60 * MS);
        }
        Mix.Outcome ours = mix.every("slow", false, 2 * SECOND, SECOND).play();
        assertThat(ours.work / SECOND).as("place-seconds of 600").isGreaterThan(50);
    }

    @Test
    void smallBudget() {
        checkLeft(
                () -> new Mix(4)
                        .length(60 * SECOND)
                        .every("quick", true, 20 * MS, 100 * MS)
                        .every("slow", false, 2 * SECOND, 300 * MS),
                1,
                0.75);
    }

    @Test
    void largeBudget() {
        check(
                () -> {
                    Mix mix = eightQuick(new Mix(500).length(60 * SECOND), 1);
                    for (int i = 0; i < 10; i++) {
                        mix.every("slow" + i, false, 2 * SECOND, 35 * MS);
                    }
                    return mix;
                },
                1,
                0.95);
    }
}
