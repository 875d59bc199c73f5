package io.github.kobe.isolation;

import static io.github.kobe.isolation.WorkloadMix.FOR_EVER;
import static io.github.kobe.isolation.WorkloadMix.MS;
import static io.github.kobe.isolation.WorkloadMix.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Do the promises hold for workloads that nothing was tuned for? On virtual time, compared with a plain pool. */
class UntunedMixTest {

    private static WorkloadMix eightFast(WorkloadMix mix, long scale, long jitter) {
        long[][] fast = {{50, 50}, {50, 100}, {100, 100}, {100, 100}, {200, 200}, {300, 300}, {400, 400}, {500, 500}};
        for (int i = 0; i < fast.length; i++) {
            mix.roughlyEvery("fast" + i, true, fast[i][0] * MS / scale, fast[i][1] * MS / scale, jitter);
        }
        return mix;
    }

    private static WorkloadMix twoSlow(WorkloadMix mix) {
        return mix.every("slow1", false, 2 * SECOND, 70 * MS).every("slow2", false, 2037 * MS, 70 * MS);
    }

    /** @param left at least this part of what fast tenants leave to the others */
    private static void check(Supplier<WorkloadMix> mix, double p99, double left) {
        WorkloadMix.Outcome ours = mix.get().play();
        WorkloadMix.Outcome plain = mix.get().plain();
        double part = ours.work / (plain.work + plain.fastWork - ours.fastWork);
        assertThat(ours.p99()).as("p99 of what fast tasks were queued, in ms").isLessThanOrEqualTo(p99);
        assertThat(part).as("work of the others, against what is left for them").isGreaterThanOrEqualTo(left);
        assertThat(ours.tooMany).as("starts over the limit").isZero();
    }

    /** The mix of the design document at twice the speed, with clocks and threads that are late. */
    @ParameterizedTest
    @CsvSource({"50, 1, 0.98", "100, 1, 0.97", "200, 1, 0.97", "500, 1.1, 0.96", "900, 1.5, 0.95"})
    void documentOnARealMachine(long jitterMicros, double p99, double left) {
        long jitter = jitterMicros * MS / 1000;
        check(
                () -> eightFast(new WorkloadMix(50).length(50 * SECOND), 2, jitter)
                        .roughlyEvery("slow1", false, SECOND, 50 * MS, jitter)
                        .roughlyEvery("slow2", false, 1500 * MS, 50 * MS, jitter),
                p99,
                left);
    }

    /** Tasks shorter than the longest tick, and so many that the size of the reserve matters. */
    @ParameterizedTest
    @CsvSource({"50, 100, 10", "50, 300, 10", "50, 300, 1", "50, 500, 4"})
    void tasksOfAFractionOfAMillisecond(int tenants, long micros, int permits) {
        long duration = micros * MS / 1000;
        check(
                () -> {
                    WorkloadMix mix = new WorkloadMix(50)
                            .length(15 * SECOND)
                            .random("slow1", false, 5 * SECOND, 150 * MS)
                            .random("slow2", false, 5 * SECOND, 150 * MS);
                    for (int i = 0; i < tenants; i++) {
                        mix.random("f" + i, true, duration, duration * tenants / permits);
                    }
                    return mix;
                },
                0.6,
                0.93);
    }

    @Test
    void fastTenantsThatAllSubmitAtTheSameInstant() {
        check(
                () -> {
                    WorkloadMix mix = twoSlow(new WorkloadMix(50).length(60 * SECOND));
                    for (int i = 0; i < 10; i++) {
                        mix.every("f" + i, true, 50 * MS, SECOND);
                    }
                    return mix;
                },
                50,
                0.85);
    }

    @ParameterizedTest
    @CsvSource({"0, 2, 1000, 1", "15, 2, 1000, 1", "0, 5, 20, 1", "15, 10, 20, 8", "0, 5, 1000, 10"})
    void newTenantsThatSubmitManyTasksAtOnceHang(long second, int tenants, int tasks, double p99) {
        WorkloadMix mix = eightFast(new WorkloadMix(50).length(60 * SECOND), 1, MS / 10);
        for (int i = 0; i < tenants; i++) {
            mix.add("hung" + i, false, (second + i) * SECOND, t -> Long.MAX_VALUE, t -> FOR_EVER, tasks);
        }
        assertThat(mix.play().p99()).isLessThanOrEqualTo(p99);
    }

    /** Ten new fast tenants a second say nothing about the three slow ones among them. */
    @Test
    void newTenantsAllTheTimeSomeOfThemSlowDelayNoFastOne() {
        WorkloadMix mix = eightFast(new WorkloadMix(50).length(60 * SECOND), 1, MS / 10)
                .random("slow0", false, 2 * SECOND, 200 * MS)
                .random("slow1", false, 2 * SECOND, 200 * MS);
        for (int i = 0; i < 600; i++) {
            few(mix, "fast" + i, true, i * 100 * MS, 20 * MS, 20 * MS, 5);
        }
        for (int i = 0; i < 200; i++) {
            few(mix, "new" + i, false, i * 300 * MS, 2 * SECOND, 50 * MS, 6);
        }
        assertThat(mix.play().p99()).isLessThanOrEqualTo(25);
    }

    /** A tenant with that many tasks. */
    private static void few(
            WorkloadMix mix, String key, boolean fast, long from, long duration, long period, int number) {
        long last = from + (number - 1) * period;
        mix.add(key, fast, from, t -> t < last ? t + period : Long.MAX_VALUE, t -> duration, 1);
    }

    /** As if a service that they all call were down. */
    @ParameterizedTest
    @CsvSource({"3, 5", "5, 80", "10, 150"})
    void fastTenantsHangTogether(int tenants, double p99) {
        WorkloadMix mix = eightFast(new WorkloadMix(50).length(60 * SECOND), 1, MS / 10);
        for (int i = 0; i < 3; i++) {
            mix.random("slow" + i, false, 2 * SECOND, 100 * MS);
        }
        for (int i = 0; i < tenants; i++) {
            mix.add("hung" + i, false, 0, t -> t + 20 * tenants * MS, t -> t > 15 * SECOND ? FOR_EVER : 20 * MS, 1);
        }
        assertThat(mix.play().p99()).isLessThanOrEqualTo(p99);
    }

    /** Most of them submit less often than once in a window; the first time they are new. */
    @Test
    void tenantsThatSubmitNowAndThenAreKnown() {
        WorkloadMix mix = new WorkloadMix(50).length(90 * SECOND);
        for (int i = 0; i < 500; i++) {
            mix.random("fast" + i, true, 20 * MS, 10 * SECOND);
        }
        for (int i = 0; i < 2000; i++) {
            mix.random("slow" + i, false, 2 * SECOND, 61 * SECOND);
        }
        assertThat(mix.play().percentile(0.8)).isLessThanOrEqualTo(5);
    }

    @Test
    void manyTenantsHangOneAfterTheOther() {
        WorkloadMix mix = new WorkloadMix(50).length(100 * SECOND);
        eightFast(mix, 1, MS / 10);
        for (int i = 0; i < 20; i++) {
            mix.add("hung" + i, false, i * SECOND, t -> t + 200 * MS, t -> FOR_EVER, 1);
        }
        WorkloadMix.Outcome ours = mix.play();
        assertThat(ours.p99()).as("p99 of what fast tasks were queued, in ms").isLessThanOrEqualTo(20);
    }

    @Test
    void heavyTailedTenants() {
        check(
                () -> {
                    WorkloadMix mix = eightFast(new WorkloadMix(50).length(60 * SECOND), 1, MS / 10);
                    for (int i = 0; i < 8; i++) {
                        mix.heavyTailed("tail" + i, false, 300 * MS, 120 * MS);
                    }
                    return mix;
                },
                50, // the mean is below the threshold, so in part they count as fast
                0.9);
    }

    /** A report among requests: while it runs, other tasks of the tenant start, although slow tenants want all permits. */
    @ParameterizedTest
    @CsvSource({"50, 2, 30", "500, 2, 1", "500, 10, 60"})
    void tenantsWithALongTaskNowAndThen(int oneIn, long seconds, double p99) {
        check(
                () -> {
                    WorkloadMix mix = saturated(new WorkloadMix(50).length(60 * SECOND));
                    SplittableRandom random = new SplittableRandom(3);
                    for (int i = 0; i < 8; i++) {
                        mix.add(
                                "now and then" + i,
                                true,
                                i * MS,
                                t -> t + 1 + (long) (-Math.log(1 - random.nextDouble()) * 100 * MS),
                                t -> random.nextInt(oneIn) == 0 ? seconds * SECOND : 20 * MS,
                                1);
                    }
                    return mix;
                },
                p99,
                0.88);
    }

    @Test
    void heavyTailedTenantsAmongSlowOnes() {
        check(
                () -> {
                    WorkloadMix mix = saturated(new WorkloadMix(50).length(60 * SECOND));
                    for (int i = 0; i < 8; i++) {
                        mix.heavyTailed("tail" + i, true, 20 * MS, 50 * MS);
                    }
                    return mix;
                },
                60,
                0.88);
    }

    private static WorkloadMix saturated(WorkloadMix mix) {
        return mix.random("slow1", false, SECOND, 30 * MS).random("slow2", false, SECOND, 30 * MS);
    }

    /** No tenant is faster than others, so nothing is reserved when one of them begins to hang. */
    @ParameterizedTest
    @CsvSource({"4, 5, 70", "4, 100, 70", "8, 5, 15", "8, 20, 15", "16, 5, 5", "16, 20, 1", "50, 5, 1"})
    void oneOfEqualsHangs(int budget, long period, double p99) {
        WorkloadMix mix = new WorkloadMix(budget).length(60 * SECOND);
        for (int i = 0; i < 4; i++) {
            mix.random("fast" + i, true, 20 * MS, 640 * MS / budget);
        }
        long time = Math.min(10, period * budget / 8) * MS;
        mix.add("hung", false, 0, t -> t + period * MS, t -> t > 20 * SECOND ? FOR_EVER : time, 1);
        assertThat(mix.play().p99()).isLessThanOrEqualTo(p99);
    }

    /** Others want all permits, but a key of which some tasks never complete is probed. */
    @ParameterizedTest
    @CsvSource({"1, 100", "3, 250"})
    void someTasksOfATenantHang(int tasks, double p99) {
        WorkloadMix mix = someHang(saturated(new WorkloadMix(50).length(120 * SECOND)), 20 * MS, 20 * MS, tasks);
        assertThat(mix.play().p99()).isLessThanOrEqualTo(p99);
    }

    /** A tenant of which that many tasks never complete, from the 20th second on. */
    private static WorkloadMix someHang(WorkloadMix mix, long duration, long period, int tasks) {
        int[] hung = new int[1];
        return mix.add(
                "some", true, 0, t -> t + period, t -> t >= 20 * SECOND && hung[0]++ < tasks ? FOR_EVER : duration, 1);
    }

    /** A small budget is not kept free for others that want it now and then. */
    @Test
    void someTasksOfATenantHangInASmallBudget() {
        WorkloadMix mix = new WorkloadMix(6).length(60 * SECOND);
        for (int i = 0; i < 3; i++) {
            mix.random("others" + i, false, 20 * MS, 200 * MS);
        }
        assertThat(someHang(mix, 20 * MS, 50 * MS, 3).play().max()).isLessThanOrEqualTo(2_000);
    }

    /** Permits that others hold already are not reserved for them a second time. */
    @Test
    void tenantThatSeemsHungGetsPermitsThatNoOtherWants() {
        WorkloadMix mix = new WorkloadMix(50).length(300 * SECOND);
        for (int i = 0; i < 15; i++) {
            mix.add("even" + i % 10, false, i * SECOND / 15, t -> t + 1001 * MS, t -> SECOND, 2);
        }
        assertThat(someHang(mix, SECOND, 1500 * MS, 3).play().max()).isZero();
    }

    @ParameterizedTest
    @CsvSource({"2", "8"})
    void tenantsThatAllBecomeSlowAtOnceDoNotWait(int tenants) {
        WorkloadMix mix = new WorkloadMix(50).length(200 * SECOND);
        for (int i = 0; i < tenants; i++) {
            mix.add(
                    "changing" + i,
                    true,
                    i * MS,
                    t -> t + (t > 40 * SECOND ? 60 * SECOND * tenants / 45 : 100 * MS),
                    t -> t > 40 * SECOND ? 60 * SECOND : 500 * MS,
                    1);
        }
        assertThat(mix.play().max()).isZero();
    }

    @Test
    void tenantsThatAreAlternatelyFastAndSlow() {
        check(
                () -> {
                    WorkloadMix mix = twoSlow(eightFast(new WorkloadMix(50).length(100 * SECOND), 1, MS / 10));
                    for (int i = 0; i < 4; i++) {
                        long shift = i * SECOND;
                        mix.add(
                                "changing" + i,
                                false,
                                0,
                                t -> t + 100 * MS,
                                t -> ((t + shift) / (5 * SECOND)) % 2 == 0 ? 20 * MS : 2 * SECOND,
                                1);
                    }
                    return mix;
                },
                100, // when one becomes slow, it is fast by all that is known
                0.85);
    }

    @Test
    void fastTenantsComeBackAfterAPause() {
        check(
                () -> {
                    WorkloadMix mix = twoSlow(new WorkloadMix(50).length(120 * SECOND));
                    for (int i = 0; i < 6; i++) {
                        mix.add(
                                "f" + i,
                                true,
                                i * 10 * MS,
                                t -> t % (30 * SECOND) > 10 * SECOND
                                        ? (t / (30 * SECOND) + 1) * 30 * SECOND
                                        : t + 60 * MS,
                                t -> 50 * MS,
                                1);
                    }
                    return mix;
                },
                50, // the pause is longer than the window
                0.9);
    }

    @Test
    void budgetOfTwo() {
        check(
                () -> new WorkloadMix(2)
                        .length(60 * SECOND)
                        .every("fast", true, 10 * MS, 100 * MS)
                        .every("slow", false, SECOND, 300 * MS),
                1,
                0.5);
    }

    @Test
    void budgetOfFiveHundred() {
        check(
                () -> {
                    WorkloadMix mix = new WorkloadMix(500).length(30 * SECOND);
                    for (int i = 0; i < 100; i++) {
                        mix.random("f" + i, true, 30 * MS, 100 * MS);
                    }
                    for (int i = 0; i < 20; i++) {
                        mix.random("slow" + i, false, 2 * SECOND, 70 * MS);
                    }
                    return mix;
                },
                5,
                0.9);
    }

    @Test
    void allAreFastAndWantMoreThanThereIs() {
        check(
                () -> {
                    WorkloadMix mix = new WorkloadMix(20).length(20 * SECOND);
                    for (int i = 0; i < 40; i++) {
                        mix.random("f" + i, false, (10 + i) * MS, 40 * MS);
                    }
                    return mix;
                },
                0,
                0.88); // some are faster than others and have a reserve
    }

    @Test
    void budgetThatChangesOften() {
        Supplier<WorkloadMix> mix = () -> twoSlow(eightFast(new WorkloadMix(60).length(60 * SECOND), 1, MS / 10))
                .resize(10 * SECOND, 25)
                .resize(20 * SECOND, 60)
                .resize(30 * SECOND, 20)
                .resize(40 * SECOND, 50);
        check(mix, 800, 0.9); // nothing starts until slow tasks of two seconds have paid off a lowered limit
    }
}
