package io.github.kobe.consumer;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupResult;
import io.github.kobe.LiveSharedLimit;
import io.github.kobe.Rejection;
import io.github.kobe.RejectionPolicy;
import io.github.kobe.RunningTask;
import io.github.kobe.SharedLimit;
import io.github.kobe.TaskHandle;
import io.github.kobe.isolation.IsolationExecutor;
import io.github.kobe.isolation.IsolationPolicy;
import io.github.kobe.isolation.Lane;
import io.github.kobe.pool.WorkerPool;
import io.github.kobe.scope.ThreadScope;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Do statistics and results become JSON without annotations or configuration, except for durations as text? */
@Timeout(60)
class JsonTest {

    private static final ObjectMapper MAPPER = JsonMapper.builder()
            .addModule(new JavaTimeModule())
            .disable(SerializationFeature.WRITE_DURATIONS_AS_TIMESTAMPS)
            .build();

    /** Writes and reads it. All components of a record must be there. */
    private static JsonNode json(Object value) throws IOException {
        JsonNode read = MAPPER.readTree(MAPPER.writeValueAsString(value));
        if (value.getClass().isRecord()) {
            assertThat(names(read))
                    .containsAll(Arrays.stream(value.getClass().getRecordComponents())
                            .map(RecordComponent::getName)
                            .toList());
        }
        return read;
    }

    private static List<String> names(JsonNode node) {
        List<String> names = new ArrayList<>();
        node.fieldNames().forEachRemaining(names::add);
        return names;
    }

    private static GroupExecutor executor() {
        return GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder()
                .defaultQueueThresholdPerGroup(0)
                .rejectionPolicy(RejectionPolicy.DISCARD)
                .recordTimes(true)
                .build());
    }

    /** A result of a task that was rejected because another one runs. */
    private static GroupResult<String> rejected(GroupExecutor executor) throws InterruptedException {
        CountDownLatch rejected = new CountDownLatch(1);
        TaskHandle<?> blocker = executor.submit("group", () -> {
            rejected.await();
            return "done";
        });
        GroupResult<String> result = executor.submit("group", () -> "never").await();
        rejected.countDown();
        blocker.await();
        return result;
    }

    @Test
    void statisticsOfGroupsAndExecutors() throws Exception {
        try (GroupExecutor executor = executor()) {
            rejected(executor);
            JsonNode group = json(executor.groupStats("group").orElseThrow());
            assertThat(group.at("/groupKey").asText()).isEqualTo("group");
            assertThat(Duration.parse(group.at("/oldestWaiting").asText())).isZero();
            assertThat(group.at("/counts/submitted").asLong()).isEqualTo(2);
            assertThat(group.at("/counts/rejectedByReason/GROUP_QUEUE_FULL").asLong())
                    .isEqualTo(1);
            JsonNode all = json(executor.stats());
            assertThat(all.at("/counts/succeeded").asLong()).isEqualTo(1);
            assertThat(all.at("/runningTime/count").asLong()).isEqualTo(1);
        }
    }

    @Test
    void distributionOfTimes() throws Exception {
        try (GroupExecutor executor = executor()) {
            executor.submit("group", () -> "value").await();
            var times = executor.stats().runningTime();
            JsonNode json = json(times);
            assertThat(names(json)).containsExactlyInAnyOrder("count", "total", "mean", "p50", "p90", "p99", "max");
            assertThat(json.at("/count").asLong()).isEqualTo(times.count());
            assertThat(Duration.parse(json.at("/total").asText())).isEqualTo(times.total());
            assertThat(Duration.parse(json.at("/mean").asText())).isEqualTo(times.mean());
            assertThat(Duration.parse(json.at("/p50").asText())).isEqualTo(times.p50());
            assertThat(Duration.parse(json.at("/p90").asText())).isEqualTo(times.p90());
            assertThat(Duration.parse(json.at("/p99").asText())).isEqualTo(times.p99());
            assertThat(Duration.parse(json.at("/max").asText())).isEqualTo(times.max());
        }
    }

    @Test
    void liveSettings() throws Exception {
        try (GroupExecutor executor = executor()) {
            executor.setMaxConcurrency("group", 4);
            executor.pauseGroup("group");
            JsonNode json = json(executor.liveSettings().get("group"));
            assertThat(json.at("/maxConcurrency").asInt()).isEqualTo(4);
            assertThat(json.at("/weight").isNull()).isTrue();
            assertThat(json.at("/paused").asBoolean()).isTrue();
        }
    }

    @Test
    void sharedLimits() throws Exception {
        GroupPolicy policy = GroupPolicy.builder()
                .sharedLimit(SharedLimit.by("tenant", key -> key).max(3))
                .build();
        try (GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(policy)) {
            executor.call("acme", () -> 1);
            executor.setSharedLimit("tenant", "acme", 5);
            executor.pauseSharedLimit("tenant", "globex");
            JsonNode stats = json(executor.sharedLimitStats("tenant", "acme").orElseThrow());
            assertThat(stats.at("/value").asText()).isEqualTo("acme");
            assertThat(stats.at("/max").asInt()).isEqualTo(5);
            for (LiveSharedLimit live : executor.liveSharedLimits()) {
                JsonNode json = json(live);
                assertThat(json.at("/paused").asBoolean())
                        .isEqualTo(live.value().equals("globex"));
                assertThat(json.at("/max").isNull()).isEqualTo(live.value().equals("globex"));
            }
        }
    }

    @Test
    void runningTasks() throws Exception {
        try (GroupExecutor executor = executor()) {
            CountDownLatch started = new CountDownLatch(1);
            CountDownLatch listed = new CountDownLatch(1);
            TaskHandle<?> handle = executor.submit("group", "task", () -> {
                started.countDown();
                listed.await();
                return "done";
            });
            started.await();
            RunningTask task = executor.runningTasks("group").get(0);
            JsonNode json = json(task);
            assertThat(json.at("/taskId").asText()).isEqualTo("task");
            assertThat(Duration.parse(json.at("/running").asText())).isEqualTo(task.running());
            listed.countDown();
            handle.await();
        }
    }

    @Test
    void statisticsOfPools() throws Exception {
        try (WorkerPool pool = WorkerPool.builder().name("jobs").build()) {
            pool.submit(() -> "value").await();
            JsonNode json = json(pool.stats());
            assertThat(json.at("/name").asText()).isEqualTo("jobs");
            assertThat(json.at("/lifetimeCounts/succeeded").asLong()).isEqualTo(1);
        }
    }

    @Test
    void statisticsOfIsolation() throws Exception {
        try (IsolationExecutor executor =
                IsolationExecutor.create(IsolationPolicy.builder().build())) {
            executor.submit("tenant", () -> "value").await();
            JsonNode json = json(executor.stats());
            assertThat(names(json.get("lanes"))).hasSize(Lane.values().length);
            assertThat(json.at("/lanes/FAST/waiting/count").asLong()).isEqualTo(1);
            assertThat(json.at("/keys/tenant/lane").asText()).isEqualTo("FAST");
            json(executor.stats("tenant").orElseThrow());
        }
    }

    @Test
    void metricsOfScopes() throws Exception {
        try (ThreadScope scope = ThreadScope.open()) {
            scope.submit(() -> "value").await();
            JsonNode json = json(scope.metrics());
            assertThat(json.at("/succeeded").asLong()).isEqualTo(1);
            assertThat(Duration.parse(json.at("/totalDuration").asText())).isPositive();
        }
    }

    @Test
    void results() throws Exception {
        try (GroupExecutor executor = executor()) {
            JsonNode succeeded =
                    json(executor.submit("group", "task", () -> "value").await());
            assertThat(succeeded.at("/status").asText()).isEqualTo("SUCCESS");
            assertThat(succeeded.at("/value").asText()).isEqualTo("value");
            JsonNode failed = json(executor.submit("group", "task", () -> {
                        throw new IOException("no answer");
                    })
                    .await());
            assertThat(failed.at("/error/message").asText()).isEqualTo("no answer");
            GroupResult<String> full = rejected(executor);
            assertThat(json(full).at("/rejection/reason").asText()).isEqualTo("GROUP_QUEUE_FULL");
            Rejection rejection = full.rejection();
            assertThat(Duration.parse(json(rejection).at("/waited").asText())).isEqualTo(rejection.waited());
            assertThat(names(failed)).as("methods that throw are no properties").doesNotContain("orThrow");
        }
    }
}
