package io.github.kobe;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.pool.Sizing;
import io.github.kobe.pool.ThreadKind;
import io.github.kobe.pool.WorkerPool;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

/** Does the text of a policy say what an executor will do, in one line of a log? */
class PolicyTextTest {

    @Test
    void defaultsAreShort() {
        assertThat(GroupPolicy.builder().build()).hasToString("GroupPolicy[max concurrency 1, rejection policy ABORT]");
        assertThat(WorkerPool.builder()).hasToString("WorkerPool[workers 1]");
    }

    @Test
    void everySettingOfAGroupPolicyThatDiffersIsShown() {
        GroupPolicy policy = GroupPolicy.builder()
                .name("orders")
                .defaultMaxConcurrencyPerGroup(2)
                .perGroupMaxConcurrency(Map.of("vip", 4))
                .concurrencyResolver(key -> 1)
                .defaultMaxInFlightPerGroup(8)
                .perGroupMaxInFlight(Map.of("vip", Integer.MAX_VALUE))
                .defaultQueueThresholdPerGroup(100)
                .queueThresholdResolver(key -> 1)
                .perGroupWeight(Map.of("vip", 3))
                .globalMaxInFlight(32)
                .globalQueueThreshold(1_000)
                .rejectionPolicy(RejectionPolicy.BLOCK)
                .maxBlockTime(Duration.ofSeconds(5))
                .fairnessPolicy(FairnessPolicy.SERVICE_TIME)
                .priorityAgeing(Duration.ofSeconds(2))
                .idleGroupTtl(Duration.ZERO)
                .maxGroups(50)
                .closeTimeout(Duration.ofSeconds(3))
                .recordTimes(true)
                .taskLifecycleListener(new TaskLifecycleListener() {})
                .build();
        assertThat(policy)
                .hasToString(
                        "GroupPolicy[name orders, max concurrency 2 (vip 4, resolver), max in flight 8 (vip unlimited),"
                                + " queue threshold 100 (resolver), weight 1 (vip 3), global max in flight 32,"
                                + " global queue threshold 1000, rejection policy BLOCK, max block time 5 s,"
                                + " fairness SERVICE_TIME, priority ageing 2 s, idle group ttl 0 ms, max groups 50,"
                                + " close timeout 3 s, records times, listener]");
    }

    @Test
    void handlerReplacesThePolicy() {
        RejectionHandler handler = new RejectionHandler() {
            @Override
            public <T> GroupResult<T> onRejected(String groupKey, String taskId, Callable<T> task) {
                return GroupResult.rejected(groupKey, taskId);
            }
        };
        assertThat(GroupPolicy.builder().rejectionHandler(handler).build())
                .hasToString("GroupPolicy[max concurrency 1, rejection handler]");
    }

    @Test
    void ofManyGroupsTheFirstFewAreShown() {
        Map<String, Integer> limits = new LinkedHashMap<>();
        for (int i = 1; i <= 1_000; i++) {
            limits.put("g" + i, i);
        }
        assertThat(GroupPolicy.builder().perGroupMaxConcurrency(limits).build())
                .hasToString("GroupPolicy[max concurrency 1 (g1 1, g2 2, g3 3, g4 4, g5 5, 995 more groups),"
                        + " rejection policy ABORT]");
    }

    @Test
    void everySettingOfAPoolThatDiffersIsShown() {
        assertThat(WorkerPool.builder()
                        .name("images")
                        .minWorkers(2)
                        .maxWorkers(8)
                        .sizing(Sizing.UTILIZATION, 0.8)
                        .keepAlive(Duration.ofSeconds(5))
                        .queueCapacity(100)
                        .rejectionPolicy(RejectionPolicy.DISCARD)
                        .threads(ThreadKind.VIRTUAL)
                        .grace(Duration.ofSeconds(2))
                        .maxZombies(1)
                        .closeTimeout(Duration.ofSeconds(3))
                        .recovery(fault -> {}))
                .hasToString("WorkerPool[name images, workers 2 to 8, sizing by utilization 0.8, keep alive 5 s,"
                        + " queue capacity 100, rejection policy DISCARD, threads VIRTUAL, grace 2 s, max zombies 1,"
                        + " close timeout 3 s, recovery]");
    }
}
