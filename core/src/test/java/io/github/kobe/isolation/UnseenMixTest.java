package io.github.kobe.isolation;

import static io.github.kobe.isolation.Mix.FOR_EVER;
import static io.github.kobe.isolation.Mix.MS;
import static io.github.kobe.isolation.Mix.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Does it hold on mixes that it was not made for? Played on virtual time, against a plain pool. */
class UnseenMixTest {

    private static Mix eightQuick(Mix mix, long scale, long jitter) {
        long[][] fast = {{50, 50}, {50, 100}, {100, 100}, {100, 100}, {200, 200}, {300, 300}, {400, 400}, {500, 500}};
        for (int i = 0; i < fast.length; i++) {
            mix.roughlyEvery("fast" + i, true, fast[i][0] * MS / scale, fast[i][1] * MS / scale, jitter);
        }
        return mix;
    }

    private static Mix twoSlow(Mix mix) {
        return mix.every("slow1", false, 2 * SECOND, 70 * MS).every("slow2", false, 2037 * MS, 70 * MS);
    }

    /** @param left at least this part of what quick work leaves to the others */
    private static void check(Supplier<Mix> mix, double p99, double left) {
        Mix.Outcome ours = mix.get().play();
        Mix.Outcome plain = mix.get().plain();
        double part = ours.work / (plain.work + plain.quietWork - ours.quietWork);
        assertThat(ours.p99()).as("p99 of what quick tasks waited, in ms").isLessThanOrEqualTo(p99);
        assertThat(part).as("work of the others, against what is left for them").isGreaterThanOrEqualTo(left);
        assertThat(ours.tooMany).as("starts over the limit").isZero();
    }

    /** The document's mix, at twice the speed, with clocks and threads that are late. */
    @ParameterizedTest
    @CsvSource({"50, 1, 0.98", "100, 1, 0.97", "200, 1, 0.97", "500, 1.1, 0.96", "900, 1.5, 0.95"})
    void documentOnARealMachine(long jitterMicros, double p99, double left) {
        long jitter = jitterMicros * MS / 1000;
        check(
                () -> eightQuick(new Mix(50).length(50 * SECOND), 2, jitter)
                        .roughlyEvery("slow1", false, SECOND, 50 * MS, jitter)
                        .roughlyEvery("slow2", false, 1500 * MS, 50 * MS, jitter),
                p99,
                left);
    }

    /** Shorter than what is short elsewhere, and so many that it matters how many places there are for them. */
    @ParameterizedTest
    @CsvSource({"50, 100, 10", "50, 300, 10", "50, 300, 1", "50, 500, 4"})
    void tasksOfAFractionOfAMillisecond(int tenants, long micros, int places) {
        long duration = micros * MS / 1000;
        check(
                () -> {
                    Mix mix = new Mix(50)
                            .length(15 * SECOND)
                            .random("slow1", false, 5 * SECOND, 150 * MS)
                            .random("slow2", false, 5 * SECOND, 150 * MS);
                    for (int i = 0; i < tenants; i++) {
                        mix.random("q" + i, true, duration, duration * tenants / places);
                    }
                    return mix;
                },
                0.6,
                0.93);
    }

    @Test
    void quickTenantsThatAllComeAtTheSameInstant() {
        check(
                () -> {
                    Mix mix = twoSlow(new Mix(50).length(60 * SECOND));
                    for (int i = 0; i < 10; i++) {
                        mix.every("q" + i, true, 50 * MS, SECOND);
                    }
                    return mix;
                },
                50,
                0.85);
    }

    @ParameterizedTest
    @CsvSource({"0, 2, 1000, 1", "15, 2, 1000, 1", "0, 5, 20, 1", "15, 10, 20, 8", "0, 5, 1000, 10"})
    void newTenantsHangThatHandInMuchAtOnce(long second, int tenants, int tasks, double p99) {
        Mix mix = eightQuick(new Mix(50).length(60 * SECOND), 1, MS / 10);
        for (int i = 0; i < tenants; i++) {
            mix.add("hung" + i, false, (second + i) * SECOND, t -> Long.MAX_VALUE, t -> FOR_EVER, tasks);
        }
        assertThat(mix.play().p99()).isLessThanOrEqualTo(p99);
    }

    /** Ten new quick tenants a second say nothing about the three slow ones that come with them. */
    @Test
    void newTenantsAllTheTimeSomeOfThemSlowHoldNobodyUp() {
        Mix mix = eightQuick(new Mix(50).length(60 * SECOND), 1, MS / 10)
                .random("slow0", false, 2 * SECOND, 200 * MS)
                .random("slow1", false, 2 * SECOND, 200 * MS);
        for (int i = 0; i < 600; i++) {
            few(mix, "quick" + i, true, i * 100 * MS, 20 * MS, 20 * MS, 5);
        }
        for (int i = 0; i < 200; i++) {
            few(mix, "new" + i, false, i * 300 * MS, 2 * SECOND, 50 * MS, 6);
        }
        assertThat(mix.play().p99()).isLessThanOrEqualTo(25);
    }

    /** So many tasks, and never again. */
    private static void few(Mix mix, String key, boolean quiet, long from, long duration, long period, int number) {
        long last = from + (number - 1) * period;
        mix.add(key, quiet, from, t -> t < last ? t + period : Long.MAX_VALUE, t -> duration, 1);
    }

    /** As if what they all call were out of order. */
    @ParameterizedTest
    @CsvSource({"3, 5", "5, 80", "10, 150"})
    void quickTenantsHangTogether(int tenants, double p99) {
        Mix mix = eightQuick(new Mix(50).length(60 * SECOND), 1, MS / 10);
        for (int i = 0; i < 3; i++) {
            mix.random("slow" + i, false, 2 * SECOND, 100 * MS);
        }
        for (int i = 0; i < tenants; i++) {
            mix.add("hung" + i, false, 0, t -> t + 20 * tenants * MS, t -> t > 15 * SECOND ? FOR_EVER : 20 * MS, 1);
        }
        assertThat(mix.play().p99()).isLessThanOrEqualTo(p99);
    }

    /** Most of them less often than what is looked at to see how much quick work there is; the first time they are new. */
    @Test
    void tenantsThatCallNowAndThenAreKnown() {
        Mix mix = new Mix(50).length(90 * SECOND);
        for (int i = 0; i < 500; i++) {
            mix.random("quick" + i, true, 20 * MS, 10 * SECOND);
        }
        for (int i = 0; i < 2000; i++) {
            mix.random("slow" + i, false, 2 * SECOND, 61 * SECOND);
        }
        assertThat(mix.play().percentile(0.8)).isLessThanOrEqualTo(5);
    }

    @Test
    void manyTenantsHangOneAfterTheOther() {
        Mix mix = new Mix(50).length(100 * SECOND);
        eightQuick(mix, 1, MS / 10);
        for (int i = 0; i < 20; i++) {
            mix.add("hung" + i, false, i * SECOND, t -> t + 200 * MS, t -> FOR_EVER, 1);
        }
        Mix.Outcome ours = mix.play();
        assertThat(ours.p99()).as("p99 of what quick tasks waited, in ms").isLessThanOrEqualTo(20);
    }

    @Test
    void heavyTailedTenants() {
        check(
                () -> {
                    Mix mix = eightQuick(new Mix(50).length(60 * SECOND), 1, MS / 10);
                    for (int i = 0; i < 8; i++) {
                        mix.heavyTailed("tail" + i, false, 300 * MS, 120 * MS);
                    }
                    return mix;
                },
                50, // its mean is below the threshold, so up to a point it counts as quick
                0.9);
    }

    /** A report among requests: while it runs the tenant's other tasks get on, though slow tenants want all places there are. */
    @ParameterizedTest
    @CsvSource({"50, 2, 30", "500, 2, 1", "500, 10, 60"})
    void tenantsWithALongTaskNowAndThen(int oneIn, long seconds, double p99) {
        check(
                () -> {
                    Mix mix = saturated(new Mix(50).length(60 * SECOND));
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
    void heavyTailedTenantsAmongThoseThatAreSlow() {
        check(
                () -> {
                    Mix mix = saturated(new Mix(50).length(60 * SECOND));
                    for (int i = 0; i < 8; i++) {
                        mix.heavyTailed("tail" + i, true, 20 * MS, 50 * MS);
                    }
                    return mix;
                },
                60,
                0.88);
    }

    private static Mix saturated(Mix mix) {
        return mix.random("slow1", false, SECOND, 30 * MS).random("slow2", false, SECOND, 30 * MS);
    }

    /** Nothing is kept for anyone, since nobody is quicker than others, when one of them begins to hang. */
    @ParameterizedTest
    @CsvSource({"4, 5, 70", "4, 100, 70", "8, 5, 15", "8, 20, 15", "16, 5, 5", "16, 20, 1", "50, 5, 1"})
    void oneOfEqualsHangs(int budget, long period, double p99) {
        Mix mix = new Mix(budget).length(60 * SECOND);
        for (int i = 0; i < 4; i++) {
            mix.random("quick" + i, true, 20 * MS, 640 * MS / budget);
        }
        long time = Math.min(10, period * budget / 8) * MS;
        mix.add("hung", false, 0, t -> t + period * MS, t -> t > 20 * SECOND ? FOR_EVER : time, 1);
        assertThat(mix.play().p99()).isLessThanOrEqualTo(p99);
    }

    /** Others want all places, but a key of which some tasks never end is tried again. */
    @ParameterizedTest
    @CsvSource({"1, 100", "3, 250"})
    void someTasksOfATenantHang(int tasks, double p99) {
        Mix mix = someHang(saturated(new Mix(50).length(120 * SECOND)), 20 * MS, 20 * MS, tasks);
        assertThat(mix.play().p99()).isLessThanOrEqualTo(p99);
    }

    /** A tenant of which so many tasks never end, from a third of a minute on. */
    private static Mix someHang(Mix mix, long duration, long period, int tasks) {
        int[] hung = new int[1];
        return mix.add(
                "some", true, 0, t -> t + period, t -> t >= 20 * SECOND && hung[0]++ < tasks ? FOR_EVER : duration, 1);
    }

    /** Nor is a small budget kept free for others that want it now and then. */
    @Test
    void someTasksOfATenantHangWhereThereIsLittleRoom() {
        Mix mix = new Mix(6).length(60 * SECOND);
        for (int i = 0; i < 3; i++) {
            mix.random("others" + i, false, 20 * MS, 200 * MS);
        }
        assertThat(someHang(mix, 20 * MS, 50 * MS, 3).play().max()).isLessThanOrEqualTo(2_000);
    }

    /** What others have at work already is not kept for them a second time. */
    @Test
    void whoSeemsToHangHasWhatNobodyWants() {
        Mix mix = new Mix(50).length(300 * SECOND);
        for (int i = 0; i < 15; i++) {
            mix.add("even" + i % 10, false, i * SECOND / 15, t -> t + 1001 * MS, t -> SECOND, 2);
        }
        assertThat(someHang(mix, SECOND, 1500 * MS, 3).play().max()).isZero();
    }

    @ParameterizedTest
    @CsvSource({"2", "8"})
    void allTurnSlowAtOnceAndWaitForNobody(int tenants) {
        Mix mix = new Mix(50).length(200 * SECOND);
        for (int i = 0; i < tenants; i++) {
            mix.add(
                    "turns" + i,
                    true,
                    i * MS,
                    t -> t + (t > 40 * SECOND ? 60 * SECOND * tenants / 45 : 100 * MS),
                    t -> t > 40 * SECOND ? 60 * SECOND : 500 * MS,
                    1);
        }
        assertThat(mix.play().max()).isZero();
    }

    @Test
    void tenantsThatAreQuickAndSlowByTurns() {
        check(
                () -> {
                    Mix mix = twoSlow(eightQuick(new Mix(50).length(100 * SECOND), 1, MS / 10));
                    for (int i = 0; i < 4; i++) {
                        long shift = i * SECOND;
                        mix.add(
                                "turns" + i,
                                false,
                                0,
                                t -> t + 100 * MS,
                                t -> ((t + shift) / (5 * SECOND)) % 2 == 0 ? 20 * MS : 2 * SECOND,
                                1);
                    }
                    return mix;
                },
                100, // when one turns, it is quick by all that is known
                0.85);
    }

    @Test
    void quickTenantsComeBackAfterAWhile() {
        check(
                () -> {
                    Mix mix = twoSlow(new Mix(50).length(120 * SECOND));
                    for (int i = 0; i < 6; i++) {
                        mix.add(
                                "q" + i,
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
                50, // they were away for longer than is remembered
                0.9);
    }

    @Test
    void budgetOfTwo() {
        check(
                () -> new Mix(2)
                        .length(60 * SECOND)
                        .every("quick", true, 10 * MS, 100 * MS)
                        .every("slow", false, SECOND, 300 * MS),
                1,
                0.5);
    }

    @Test
    void budgetOfFiveHundred() {
        check(
                () -> {
                    Mix mix = new Mix(500).length(30 * SECOND);
                    for (int i = 0; i < 100; i++) {
                        mix.random("q" + i, true, 30 * MS, 100 * MS);
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
    void allAreQuickAndWantMoreThanThereIs() {
        check(
                () -> {
                    Mix mix = new Mix(20).length(20 * SECOND);
                    for (int i = 0; i < 40; i++) {
                        mix.random("q" + i, false, (10 + i) * MS, 40 * MS);
                    }
                    return mix;
                },
                0,
                0.88); // some are quicker than others, and have their reserve
    }

    @Test
    void budgetThatIsChangedAgainAndAgain() {
        Supplier<Mix> mix = () -> twoSlow(eightQuick(new Mix(60).length(60 * SECOND), 1, MS / 10))
                .resize(10 * SECOND, 25)
                .resize(20 * SECOND, 60)
                .resize(30 * SECOND, 20)
                .resize(40 * SECOND, 50);
        check(mix, 800, 0.9); // nothing may start until slow tasks of two seconds have made up for a lowered limit
    }
}
