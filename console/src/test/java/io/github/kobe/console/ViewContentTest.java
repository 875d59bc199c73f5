package io.github.kobe.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.github.kobe.GroupExecutor;
import io.github.kobe.RejectionPolicy;
import io.github.kobe.TaskOptions;
import io.github.kobe.console.ConsoleKit.Blocker;
import io.github.kobe.isolation.IsolationExecutor;
import io.github.kobe.isolation.IsolationPolicy;
import io.github.kobe.pool.Sizing;
import io.github.kobe.pool.WorkerPool;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Does a client get the numbers of the executors? */
@Timeout(60)
class ViewContentTest {

    @Test
    void groupInDetail() {
        try (GroupExecutor executor = ConsoleKit.executor(b -> b.recordTimes(true)
                        .defaultMaxConcurrencyPerGroup(1)
                        .defaultQueueThresholdPerGroup(2)
                        .globalMaxInFlight(9)
                        .rejectionPolicy(RejectionPolicy.DISCARD));
                Site site = Site.of(Console.builder().add(executor).title("shop"))) {
            TaskOptions mail = TaskOptions.builder().tag("mail").build();
            executor.submit("a", "first", () -> 1, mail).join();
            executor.setWeight("a", 3);
            Blocker blocker = Blocker.in(executor, "a", 5);
            JsonNode view = site.view("detail=0." + Site.id("a"));
            assertThat(view.get("title").asText()).isEqualTo("shop");
            assertThat(view.get("editable").asBoolean()).isFalse();
            JsonNode total = view.get("groups").get("executors").get(0);
            assertThat(total.get("name").asText()).isEqualTo("orders");
            assertThat(total.get("running").asInt()).isEqualTo(1);
            assertThat(total.get("limit").asInt()).isEqualTo(9);
            assertThat(total.get("queued").asInt()).isEqualTo(2);
            assertThat(total.get("groups").asInt()).isEqualTo(1);
            assertThat(total.get("changed").asInt()).isEqualTo(1);
            assertThat(total.get("rejected").asInt()).isEqualTo(2);
            JsonNode detail = view.get("groups").get("detail");
            assertThat(detail.get("running").asInt()).isEqualTo(1);
            assertThat(detail.get("queued").asInt()).isEqualTo(2);
            assertThat(detail.get("wait").asDouble()).isPositive();
            assertThat(detail.get("oldestRunning").asDouble()).isPositive();
            assertThat(detail.get("weight").asInt()).isEqualTo(3);
            assertThat(detail.get("live").get("weight").asInt()).isEqualTo(3);
            assertThat(detail.get("live").has("limit")).isFalse();
            assertThat(detail.get("reasons").get("group queue full").asInt()).isEqualTo(2);
            assertThat(detail.get("tags").get(0).get("tag").asText()).isEqualTo("mail");
            assertThat(detail.get("ran").get("count").asInt()).isEqualTo(1);
            assertThat(detail.get("ran").get("p99").asDouble()).isPositive();
            assertThat(detail.get("tasks").get(0).get("task").asText()).isEqualTo("task-0");
            blocker.release();
        }
    }

    @Test
    void unlimitedIsWrittenAsNull() {
        try (GroupExecutor executor = ConsoleKit.executor(b -> b);
                Site site = Site.of(Console.builder().add(executor))) {
            executor.submit("a", "t", () -> 1).join();
            JsonNode groups = site.view("").get("groups");
            assertThat(groups.get("executors").get(0).get("limit").isNull()).isTrue();
            assertThat(groups.get("rows").get(0).get("capacity").isNull()).isTrue();
        }
    }

    @Test
    void pool() {
        try (WorkerPool pool = WorkerPool.builder()
                        .name("sums")
                        .minWorkers(1)
                        .maxWorkers(3)
                        .queueCapacity(10)
                        .sizing(Sizing.UTILIZATION, 0.5)
                        .build();
                Site site = Site.of(Console.builder().add(pool))) {
            Blocker blocker = new Blocker();
            for (int i = 0; i < 5; i++) {
                pool.submit(blocker::run);
            }
            ConsoleKit.eventually(() -> {
                JsonNode view = site.view("tab=pools").get("pools").get(0);
                assertThat(view.get("name").asText()).isEqualTo("sums");
                assertThat(view.get("active").asInt() + view.get("queued").asInt())
                        .isEqualTo(5);
                assertThat(view.get("max").asInt()).isEqualTo(3);
                assertThat(view.get("capacity").asInt()).isEqualTo(10);
                assertThat(view.get("advice").asText()).isNotEmpty();
                assertThat(view.get("tasks")).isNotEmpty();
                assertThat(view.get("decisions")).isNotEmpty();
                assertThat(view.get("decisions").get(0).get("why").asText()).isNotEmpty();
            });
            blocker.release();
        }
    }

    @Test
    void isolation() {
        try (IsolationExecutor executor = IsolationExecutor.create(IsolationPolicy.builder()
                        .name("calls")
                        .maxConcurrency(4)
                        .slowThreshold(Duration.ofMillis(1))
                        .build());
                Site site = Site.of(Console.builder().add(executor))) {
            for (int i = 0; i < 5; i++) {
                executor.submit("slow", () -> {
                            Thread.sleep(2);
                            return 1;
                        })
                        .join();
            }
            Blocker blocker = new Blocker();
            for (int i = 0; i < 9; i++) {
                executor.submit("tenant", blocker::run);
            }
            ConsoleKit.eventually(() -> {
                JsonNode view = site.view("tab=isolation").get("isolation").get(0);
                assertThat(view.get("name").asText()).isEqualTo("calls");
                assertThat(view.get("limit").asInt()).isEqualTo(4);
                assertThat(view.get("running").asInt() + view.get("queued").asInt())
                        .isEqualTo(9);
                assertThat(view.get("capacity").asInt()).isEqualTo(100_000);
                assertThat(view.get("lanes")).hasSize(6);
                assertThat(view.get("known").asInt()).isEqualTo(2);
                assertThat(view.get("keys").get(0).get("key").asText()).isEqualTo("tenant");
                assertThat(view.get("keys").get(1).get("lane").asText()).isEqualTo("slow");
                assertThat(view.get("decisions"))
                        .anySatisfy(decision ->
                                assertThat(decision.path("key").asText()).isEqualTo("slow"));
            });
            assertThat(site.view("tab=isolation&search=TEN")
                            .get("isolation")
                            .get(0)
                            .get("keys"))
                    .hasSize(1);
            blocker.release();
        }
    }
}
