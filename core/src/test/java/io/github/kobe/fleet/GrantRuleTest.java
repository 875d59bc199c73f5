package io.github.kobe.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.fleet.ShardState.Entry;
import io.github.kobe.fleet.ShardState.Group;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Who gets the permits of a group? Sessions are listed in the order of their turns. */
class GrantRuleTest {

    private static Group group(String granted, String wanted) {
        Group group = new Group("g");
        List<Integer> has = numbers(granted);
        List<Integer> wants = numbers(wanted);
        for (int i = 0; i < has.size(); i++) {
            Entry e = new Entry("s" + (char) ('a' + i));
            e.granted = has.get(i);
            e.wanted = wants.get(i);
            e.turn = ++group.turns;
            group.entries.put(e.session, e);
        }
        return group;
    }

    private static List<Integer> numbers(String text) {
        return Arrays.stream(text.trim().split(" +")).map(Integer::valueOf).toList();
    }

    private static String granted(Group group) {
        return group.entries.values().stream().map(e -> "" + e.granted).collect(Collectors.joining(" "));
    }

    private static String targets(Group group) {
        return group.entries.values().stream().map(e -> "" + e.target).collect(Collectors.joining(" "));
    }

    @ParameterizedTest
    @CsvSource({
        // limit, granted, wanted, granted afterwards
        "10, 0,         10,      10", // one session gets what it wants
        "10, 0,         3,       3",
        "10, 0 0,       10 10,   5 5", // fair shares
        "10, 0 0 0,     10 10 10, 4 3 3", // the one that has waited longest gets the last one
        "10, 0 0 0,     1 10 10, 1 5 4", // what one does not want goes to the others
        "10, 5 0,       10 10,   5 5", // the one with the fewest first
        "10, 5 3,       10 10,   5 5",
        "10, 6 3,       10 10,   6 4",
        "10, 5 5,       10 10,   5 5", // nothing is free
        "10, 9 4,       10 10,   9 4", // debt: nothing is granted
        "10, 8 0,       0 1,     8 1", // those that want nothing get nothing
        "1,  0 0 0,     5 5 5,   1 0 0",
        "2,  0 0 0,     5 5 5,   1 1 0",
        "100, 7 0 3 0,  9 100 4 2, 9 85 4 2",
        "1000000000, 0 0, 2000000000 2000000000, 500000000 500000000"
    })
    void freePermitsGoToTheSessionWithTheFewest(int limit, String has, String wants, String expected) {
        Group group = group(has, wants);
        GrantRule.grantFree(group, limit);
        assertThat(granted(group)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({
        // limit, granted, wanted, targets
        "10, 10 0,    10 10,  5 0", // the first one has 5 too many
        "10, 10 0,    10 1,   9 0", // the second one wants only one
        "10, 10 0,    0 3,    0 0", // what is not wanted goes first
        "10, 6 4,     6 4,    -1 -1", // nobody waits
        "10, 5 5,     10 10,  5 5", // both wait, and both have their share
        "10, 4 3 3,   9 9 9,  4 3 3", // the remainder does not move
        "10, 3 4 3,   9 9 9,  3 4 3",
        "10, 10 0 0,  9 9 9,  4 0 0",
        "1,  1 0,     5 5,    0 0", // more sessions than permits: they go round
        "1,  1 0 0,   5 5 5,  0 0 0",
        "2,  1 1 0,   5 5 5,  0 1 0", // the one that has had it for longest
        "2,  2 0 0,   5 5 5,  0 0 0",
        "3,  2 1 0,   5 5 5,  1 1 0",
        "3,  1 1 0,   5 5 5,  1 1 0", // one is free
        "5,  6 4,     6 4,    3 2", // the limit was lowered
        "5,  6 0,     2 0,    2 0"
    })
    void holdersMayKeepTheirShare(int limit, String has, String wants, String expected) {
        Group group = group(has, wants);
        GrantRule.setTargets(group, limit, false, false);
        assertThat(targets(group)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({
        // limit, granted, wanted, least, granted afterwards, targets
        "4, 2 2,   9 3,   0 3, 2 2,   1 2", // both have their share, which is too little for the second one
        "4, 1 2,   9 3,   0 3, 2 2,   1 2", // the first one has waited longer, and has too little too
        "4, 2 1,   3 9,   3 0, 3 1,   2 1", // it gets what is free, and waits behind the others from now on
        "4, 0 0,   4 4,   4 0, 4 0,   2 0",
        "4, 1 1,   4 1,   4 0, 3 1,   3 0", // what is missing is asked for
        "2, 0 1 1, 2 5 5, 2 0 0, 0 1 1, 0 0 0",
        "2, 0 0 0, 5 5 2, 0 0 2, 1 1 0, 0 0 0", // those that have waited longer, and have nothing, come first
        "4, 2 2,   9 9,   0 5, 2 2,   2 2", // more than the limit
        "4, 2 2,   9 2,   0 3, 2 2,   2 2" // more than it wants
    })
    void permitsAreSavedForATaskThatCostsMoreThanAShare(
            int limit, String has, String wants, String least, String expected, String targets) {
        Group group = group(has, wants);
        List<Integer> leasts = numbers(least);
        int i = 0;
        for (Entry e : group.entries.values()) {
            e.least = leasts.get(i++);
        }
        GrantRule.grantFree(group, limit);
        assertThat(granted(group)).isEqualTo(expected);
        GrantRule.setTargets(group, limit, false, false);
        assertThat(targets(group)).isEqualTo(targets);
    }

    @Test
    void pausedGroupMayUseNothing() {
        Group group = group("3 2 0", "3 2 0");
        GrantRule.setTargets(group, 10, true, false);
        assertThat(targets(group)).isEqualTo("0 0 0");
    }

    @Test
    void nobodyIsAskedWhileTheShardLearns() {
        Group group = group("10 0", "10 10");
        GrantRule.setTargets(group, 10, false, true);
        assertThat(targets(group)).isEqualTo("-1 -1");
    }

    @Test
    void grantsInStepsAreThoseOfOnePermitAfterTheOther() {
        for (long seed = 0; seed < 3_000; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            int sessions = 1 + random.nextInt(5);
            String has = randoms(random, sessions, 6);
            String wants = randoms(random, sessions, 12);
            int limit = 1 + random.nextInt(40);
            Group inSteps = group(has, wants);
            Group oneByOne = group(has, wants);
            GrantRule.grantFree(inSteps, limit);
            for (long free = limit - oneByOne.granted(); free > 0; free--) {
                oneByOne.entries.values().stream()
                        .filter(Entry::isUnmet)
                        .min(Comparator.<Entry>comparingInt(e -> e.granted).thenComparingLong(e -> e.turn))
                        .ifPresent(e -> {
                            e.granted++;
                            e.turn = ++oneByOne.turns;
                        });
            }
            assertThat(granted(inSteps)).as("seed %d: %s, %s", seed, has, wants).isEqualTo(granted(oneByOne));
            assertThat(order(inSteps)).as("order, seed %d", seed).isEqualTo(order(oneByOne));
        }
    }

    private static String randoms(SplittableRandom random, int count, int bound) {
        return random.ints(count, 0, bound).mapToObj(String::valueOf).collect(Collectors.joining(" "));
    }

    private static List<String> order(Group group) {
        return group.entries.values().stream()
                .sorted(Comparator.comparingLong(e -> e.turn))
                .map(e -> e.session)
                .toList();
    }

    @Test
    void handingOnEndsAtFairShares() {
        for (long seed = 0; seed < 1_000; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            int sessions = 1 + random.nextInt(5);
            int limit = sessions + random.nextInt(20);
            Group group = group(randoms(random, sessions, 6), randoms(random, sessions, 30));
            for (int round = 0; round < 10; round++) {
                GrantRule.setTargets(group, limit, false, false);
                group.entries.values().stream()
                        .filter(e -> e.target != Grant.NO_TARGET)
                        .forEach(e -> e.granted = Math.min(e.granted, e.target));
                GrantRule.grantFree(group, limit);
            }
            assertThat(group.granted()).isLessThanOrEqualTo(limit);
            int least = group.entries.values().stream()
                    .filter(Entry::isUnmet)
                    .mapToInt(e -> e.granted)
                    .min()
                    .orElse(Integer.MAX_VALUE - 1);
            assertThat(group.entries.values())
                    .as("seed %d", seed)
                    .allMatch(e -> least > limit || e.granted <= least + 1);
        }
    }
}
