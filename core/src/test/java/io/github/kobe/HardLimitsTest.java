package io.github.kobe;

import static io.github.kobe.TestKit.await;
import static io.github.kobe.TestKit.executor;
import static io.github.kobe.TestKit.letOthersRun;
import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.TestKit.Peak;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Does a group use its limit fully and never exceed it? */
@Timeout(60)
class HardLimitsTest {

    @Test
    void groupNeverRunsMoreThanItsOwnSetting() {
        try (GroupExecutor executor =
                executor(b -> b.perGroupMaxConcurrency(Map.of("g", 2)).defaultMaxConcurrencyPerGroup(9))) {
            assertRunsExactly(2, executor, "g");
        }
    }

    @Test
    void groupWithoutSettingHasTheDefaultLimit() {
        try (GroupExecutor executor =
                executor(b -> b.perGroupMaxConcurrency(Map.of("other", 9)).defaultMaxConcurrencyPerGroup(3))) {
            assertRunsExactly(3, executor, "g");
        }
    }

    @Test
    void defaultLimitIsOne() {
        try (GroupExecutor executor = executor(b -> b)) {
            assertRunsExactly(1, executor, "g");
        }
    }

    @Test
    void resolverSetsTheLimitOfEachGroup() {
        try (GroupExecutor executor = executor(b -> b.concurrencyResolver(key -> key.startsWith("vip") ? 4 : 1))) {
            assertRunsExactly(4, executor, "vip-1");
            assertRunsExactly(1, executor, "standard");
        }
    }

    @Test
    void inFlightLimitOfTheGroupApplies() {
        try (GroupExecutor executor =
                executor(b -> b.defaultMaxConcurrencyPerGroup(20).perGroupMaxInFlight(Map.of("g", 5)))) {
            assertRunsExactly(5, executor, "g");
            assertRunsExactly(20, executor, "other");
        }
    }

    @Test
    void defaultInFlightLimitAppliesToOtherGroups() {
        try (GroupExecutor executor = executor(b -> b.defaultMaxConcurrencyPerGroup(20)
                .defaultMaxInFlightPerGroup(4)
                .perGroupMaxInFlight(Map.of("other", 6)))) {
            assertRunsExactly(4, executor, "g");
            assertRunsExactly(6, executor, "other");
        }
    }

    @Test
    void smallerOfConcurrencyAndInFlightLimitApplies() {
        try (GroupExecutor executor =
                executor(b -> b.defaultMaxConcurrencyPerGroup(2).defaultMaxInFlightPerGroup(7))) {
            assertRunsExactly(2, executor, "g");
        }
    }

    @Test
    void withoutOtherSettingsOnlyTheGroupsConcurrencyLimitApplies() {
        try (GroupExecutor executor = executor(b -> b.defaultMaxConcurrencyPerGroup(40))) {
            assertRunsExactly(40, executor, "g");
        }
    }

    @Test
    void groupsRunConcurrently() throws Exception {
        CyclicBarrier allAtOnce = new CyclicBarrier(5);
        try (GroupExecutor executor = executor(b -> b.defaultMaxConcurrencyPerGroup(1))) {
            List<TaskHandle<Integer>> handles = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                handles.add(executor.submit("g" + i, "t", () -> allAtOnce.await(30, TimeUnit.SECONDS)));
            }
            assertThat(handles).allSatisfy(h -> assertThat(resultOf(h).status()).isEqualTo(TaskStatus.SUCCESS));
        }
    }

    @Test
    void tenBusyGroupsStayWithinTheirLimits() {
        int groups = 10;
        List<Peak> peaks = new ArrayList<>();
        List<TaskHandle<Integer>> handles = new ArrayList<>();
        try (GroupExecutor executor = executor(b -> b.concurrencyResolver(key -> 1 + Integer.parseInt(key) % 3))) {
            for (int g = 0; g < groups; g++) {
                peaks.add(new Peak());
            }
            for (int i = 0; i < 100; i++) {
                for (int g = 0; g < groups; g++) {
                    Peak peak = peaks.get(g);
                    int answer = i;
                    handles.add(executor.submit(
                            Integer.toString(g),
                            "t" + i,
                            () -> peak.during(() -> {
                                TestKit.yieldToOthers();
                                return answer;
                            })));
                }
            }
            for (int i = 0; i < handles.size(); i++) {
                assertThat(resultOf(handles.get(i)).value()).isEqualTo(i / groups);
            }
        }
        for (int g = 0; g < groups; g++) {
            assertThat(peaks.get(g).most()).as("peak of group %s", g).isBetween(1, 1 + g % 3);
        }
    }

    /** Exactly {@code limit} tasks overlap. One task too many, at any time, would show in the peak. */
    private static void assertRunsExactly(int limit, GroupExecutor executor, String group) {
        int tasks = 2 * limit + 3;
        Peak peak = new Peak();
        CountDownLatch full = new CountDownLatch(limit);
        Semaphore mayLeave = new Semaphore(0);
        List<TaskHandle<String>> handles = new ArrayList<>();
        for (int i = 0; i < tasks; i++) {
            handles.add(executor.submit(
                    group,
                    "t" + i,
                    () -> peak.during(() -> {
                        full.countDown();
                        mayLeave.acquire();
                        return "done";
                    })));
        }
        await(full);
        letOthersRun();
        assertThat(peak.now()).isEqualTo(limit);
        for (int i = 0; i < tasks; i++) {
            mayLeave.release();
            TestKit.yieldToOthers();
        }
        assertThat(handles).allSatisfy(h -> assertThat(resultOf(h).value()).isEqualTo("done"));
        assertThat(peak.most()).isEqualTo(limit);
    }
}
