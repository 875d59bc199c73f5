package io.github.kobe;

import static io.github.kobe.TestKit.executor;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.github.kobe.TestKit.BlockingTask;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Do competing groups start tasks in proportion to their weights? The kernel's FairnessTest checks shares of time on a virtual clock. */
@Timeout(120)
class FairShareTest {

    private static final int STARTS = 10_000;

    /** Returns the groups of the first starts. Every group has queued tasks all the time. */
    private static List<String> firstStarts(
            int globalLimit, int starts, List<String> keys, UnaryOperator<GroupPolicy.Builder> settings) {
        List<String> log = Collections.synchronizedList(new ArrayList<>());
        try (GroupExecutor executor = executor(b -> settings.apply(b.globalMaxInFlight(globalLimit)))) {
            List<BlockingTask> blockers = new ArrayList<>();
            for (int i = 0; i < globalLimit; i++) {
                blockers.add(BlockingTask.in(executor, "blocker " + i));
            }
            for (int i = 0; i < starts; i++) {
                for (String key : keys) {
                    executor.submit(key, "t", () -> log.add(key));
                }
            }
            blockers.forEach(BlockingTask::release);
            TestKit.eventually(() -> assertThat(log).hasSizeGreaterThanOrEqualTo(starts));
        }
        return first(log, starts);
    }

    /** Copies under the lock, because tasks stopped by the closing executor may still add to the log. */
    private static List<String> first(List<String> log, int count) {
        synchronized (log) {
            return List.copyOf(log.subList(0, count));
        }
    }

    private static double count(List<String> log, String key) {
        return Collections.frequency(log, key);
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "1, 100", "4, 4", "4, 100", "16, 100"})
    void startsOfWeightsThreeAndOneAreThreeToOne(int globalLimit, int groupLimit) {
        List<String> log = firstStarts(
                globalLimit,
                STARTS,
                List.of("three", "one"),
                b -> b.perGroupWeight(Map.of("three", 3)).defaultMaxConcurrencyPerGroup(groupLimit));
        assertThat(count(log, "three") / count(log, "one")).isCloseTo(3, within(0.06));
    }

    @Test
    void weightResolverIsUsedForGroupsWithoutOwnWeight() {
        List<String> log = firstStarts(
                1,
                STARTS,
                List.of("three", "one"),
                b -> b.weightResolver(String::length).perGroupWeight(Map.of("one", 1)));
        assertThat(count(log, "three") / count(log, "one")).isCloseTo(5, within(0.1));
    }

    @Test
    void hundredEqualGroupsGetEqualStarts() {
        List<String> keys = hundredKeys();
        List<String> log = firstStarts(4, 5_000, keys, b -> b.defaultMaxConcurrencyPerGroup(4));
        assertThat(jain(keys.stream().mapToDouble(key -> count(log, key)).toArray()))
                .isGreaterThanOrEqualTo(0.99);
    }

    private static List<String> hundredKeys() {
        return IntStream.range(0, 100).mapToObj(i -> "g" + i).toList();
    }

    /** Jain's fairness index: 1 if all shares are equal, 1/n if one group has everything. */
    private static double jain(double... shares) {
        double sum = 0;
        double squares = 0;
        for (double share : shares) {
            sum += share;
            squares += share * share;
        }
        return sum * sum / (shares.length * squares);
    }

    @Test
    void weightSetWhileTasksAreQueuedAppliesAtOnce() {
        List<String> log = Collections.synchronizedList(new ArrayList<>());
        try (GroupExecutor executor = executor(b -> b.globalMaxInFlight(1))) {
            BlockingTask blocker = BlockingTask.in(executor, "blocker");
            for (int i = 0; i < STARTS; i++) {
                executor.submit("a", "t", () -> log.add("a"));
                executor.submit("b", "t", () -> log.add("b"));
            }
            executor.setWeight("a", 4);
            blocker.release();
            TestKit.eventually(() -> assertThat(log).hasSizeGreaterThanOrEqualTo(STARTS));
        }
        List<String> first = first(log, STARTS);
        assertThat(count(first, "a") / count(first, "b")).isCloseTo(4, within(0.08));
    }
}
