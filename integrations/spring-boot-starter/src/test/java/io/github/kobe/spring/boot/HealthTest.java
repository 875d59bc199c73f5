package io.github.kobe.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.TaskHandle;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** When is an application healthy? */
class HealthTest {

    private final ApplicationContextRunner runner = Runners.withAutoConfigurations()
            .withPropertyValues(
                    "group-concurrency.health.enabled=true",
                    "group-concurrency.executors.default.shutdown.await-termination-period=0s");

    @Test
    void thereIsNoIndicatorByDefault() {
        Runners.withAutoConfigurations()
                .run(context -> assertThat(context).doesNotHaveBean(GroupConcurrencyHealthIndicator.class));
    }

    @Test
    void tasksThatWaitAreHealthy() {
        runner.run(context -> {
            block(context.getBean(GroupExecutor.class));
            Health health =
                    context.getBean(GroupConcurrencyHealthIndicator.class).health();
            assertThat(health.getStatus()).isEqualTo(Status.UP);
            assertThat(health.getDetails())
                    .hasEntrySatisfying(
                            "default", text -> assertThat(text).asString().contains("1 active, 1 queued"));
        });
    }

    @Test
    void tasksThatWaitForTooLongAreNot() {
        runner.withPropertyValues("group-concurrency.health.max-wait=0s").run(context -> {
            GroupExecutor executor = context.getBean(GroupExecutor.class);
            block(executor);
            GroupConcurrencyHealthIndicator indicator = context.getBean(GroupConcurrencyHealthIndicator.class);
            assertThat(indicator.health().getStatus()).isEqualTo(Status.DOWN);
            assertThat(indicator.health().getDetails())
                    .extractingByKey("default")
                    .asInstanceOf(InstanceOfAssertFactories.map(String.class, Object.class))
                    .containsEntry("lateGroups", List.of("acme"));

            executor.pauseGroup("acme");
            assertThat(indicator.health().getStatus())
                    .as("somebody wants it to wait")
                    .isEqualTo(Status.UP);
        });
    }

    private static void block(GroupExecutor executor) throws InterruptedException {
        CountDownLatch never = new CountDownLatch(1);
        for (int i = 0; i < 2; i++) {
            TaskHandle<?> unused = executor.submit("acme", () -> {
                never.await();
                return Map.of();
            });
        }
    }
}
