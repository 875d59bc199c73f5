package io.github.kobe.spring.boot;

import static io.github.kobe.spring.boot.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.ExecutorShutdownException;
import io.github.kobe.GroupExecutor;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskStatus;
import io.github.kobe.isolation.IsolationExecutor;
import io.github.kobe.pool.WorkerPool;
import io.github.kobe.spring.GroupTaskExecutor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.context.LifecycleAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;

/** What becomes of tasks when the application context is closed? */
class ShutdownTest {

    private final ApplicationContextRunner runner = Runners.withAutoConfigurations();
    private final LogRecords log = LogRecords.start();

    @AfterEach
    void stopLog() {
        log.close();
    }

    /** Closes the context on another thread, as a shutdown hook does. */
    private static Thread closeInBackground(ConfigurableApplicationContext context) {
        return Thread.ofPlatform().start(context::close);
    }

    @Test
    void queuedAndRunningTasksComplete() {
        runner.withPropertyValues(
                        "group-concurrency.executors.orders.shutdown.await-termination-period=1h",
                        "group-concurrency.pools.images.shutdown.await-termination-period=1h",
                        "group-concurrency.isolation.searches.shutdown.await-termination-period=1h",
                        "group-concurrency.isolation.searches.max-concurrency=1",
                        "group-concurrency.task-executors.mails.group=mail")
                .run(context -> {
                    GroupExecutor executor = context.getBean(GroupExecutor.class);
                    WorkerPool pool = context.getBean(WorkerPool.class);
                    IsolationExecutor isolation = context.getBean(IsolationExecutor.class);
                    GroupTaskExecutor mails = context.getBean(GroupTaskExecutor.class);
                    CountDownLatch release = new CountDownLatch(1);
                    List<TaskHandle<?>> handles = new ArrayList<>();
                    List<Future<?>> futures = new ArrayList<>();
                    for (int i = 0; i < 3; i++) {
                        handles.add(executor.submit("acme", () -> awaitQuietly(release)));
                        handles.add(pool.submit(() -> awaitQuietly(release)));
                        handles.add(isolation.submit("acme", () -> awaitQuietly(release)));
                        futures.add(mails.submit(() -> awaitQuietly(release)));
                    }

                    Thread closing = closeInBackground(context.getSourceApplicationContext());
                    eventually()
                            .untilAsserted(() -> assertThatThrownBy(() -> executor.submit("acme", () -> 1))
                                    .isInstanceOf(ExecutorShutdownException.class));
                    assertThat(handles).noneMatch(TaskHandle::isDone);
                    release.countDown();
                    closing.join();

                    assertThat(handles)
                            .allSatisfy(handle ->
                                    assertThat(handle.await().status()).isEqualTo(TaskStatus.SUCCESS));
                    assertThat(futures)
                            .allSatisfy(future -> assertThat(future.state()).isEqualTo(Future.State.SUCCESS));
                    assertThat(log.texts()).isEmpty();
                });
    }

    @Test
    void whatDoesNotCompleteInTimeIsNamedInTheLog() {
        runner.withPropertyValues(
                        "group-concurrency.executors.orders.shutdown.await-termination-period=10ms",
                        "group-concurrency.pools.images.shutdown.await-termination-period=10ms",
                        "group-concurrency.isolation.searches.shutdown.await-termination-period=10ms",
                        "group-concurrency.isolation.searches.max-concurrency=1")
                .run(context -> {
                    GroupExecutor executor = context.getBean(GroupExecutor.class);
                    WorkerPool pool = context.getBean(WorkerPool.class);
                    IsolationExecutor isolation = context.getBean(IsolationExecutor.class);
                    CountDownLatch never = new CountDownLatch(1);
                    List<TaskHandle<?>> handles = new ArrayList<>();
                    for (String id : List.of("first", "second\n2026 INFO all is well")) {
                        handles.add(executor.submit("acme", id, () -> awaitQuietly(never)));
                        handles.add(pool.submit("acme", id, () -> awaitQuietly(never)));
                        handles.add(isolation.submit("acme", id, () -> awaitQuietly(never)));
                    }

                    context.close();

                    assertThat(handles).allMatch(TaskHandle::isDone);
                    for (String name : List.of(
                            "group executor 'orders'", "worker pool 'images'", "isolation executor 'searches'")) {
                        assertThat(log.texts())
                                .anySatisfy(text ->
                                        assertThat(text).startsWith(name + ": not all tasks completed within 10ms"))
                                .anySatisfy(text -> assertThat(text)
                                        .startsWith(name + ": interrupted: task 'first' of group 'acme'"))
                                .anySatisfy(text -> assertThat(text)
                                        .startsWith(name
                                                + ": cancelled: task 'second?2026 INFO all is well' of group 'acme'"));
                    }
                });
    }

    @Test
    void atMostAHundredTasksHaveALineInTheLog() {
        runner.withPropertyValues("group-concurrency.executors.orders.shutdown.await-termination-period=0s")
                .run(context -> {
                    GroupExecutor executor = context.getBean(GroupExecutor.class);
                    for (int i = 0; i < 1_200; i++) { // a report of the core lists at most 1,000
                        TaskHandle<?> unused = executor.submit("acme", () -> awaitQuietly(new CountDownLatch(1)));
                    }

                    context.close();

                    assertThat(log.texts())
                            .hasSize(102)
                            .startsWith("group executor 'orders': not all tasks completed within 0s;"
                                    + " 1 running tasks were interrupted, 1,199 queued tasks were cancelled")
                            .endsWith("group executor 'orders': and 1,100 more");
                });
    }

    @Test
    void whatTakesLongerThanSpringWaitsIsNamedToo() {
        runner.withConfiguration(AutoConfigurations.of(LifecycleAutoConfiguration.class))
                .withPropertyValues(
                        "spring.lifecycle.timeout-per-shutdown-phase=10ms",
                        "group-concurrency.executors.orders.shutdown.await-termination-period=1h")
                .run(context -> {
                    TaskHandle<?> handle = context.getBean(GroupExecutor.class)
                            .submit("acme", "slow", () -> awaitQuietly(new CountDownLatch(1)));

                    context.close();

                    assertThat(handle.isDone()).isTrue();
                    eventually()
                            .untilAsserted(() -> assertThat(log.texts())
                                    .anySatisfy(text -> assertThat(text).contains("task 'slow' of group 'acme'")));
                });
    }

    @Test
    void aContextThatIsOnlyStoppedCanBeStartedAgain() {
        runner.run(context -> {
            GroupExecutor executor = context.getBean(GroupExecutor.class);
            context.stop();
            context.start();
            assertThat(executor.submit("acme", () -> 1).get()).isEqualTo(1);
        });
    }

    @Test
    void aStartThatFailsLeavesNoTask() {
        CountDownLatch never = new CountDownLatch(1);
        List<TaskHandle<?>> handles = new ArrayList<>();
        runner.withBean(
                        "failing",
                        Object.class,
                        () -> {
                            throw new IllegalStateException("on purpose");
                        },
                        definition -> definition.setDependsOn("default"))
                .withInitializer(context -> context.addBeanFactoryPostProcessor(
                        beans -> beans.addBeanPostProcessor(new SubmitAtCreation(handles, never))))
                .run(context -> {
                    assertThat(context).hasFailed();
                    assertThat(handles)
                            .singleElement()
                            .satisfies(handle -> assertThat(handle.isDone()).isTrue());
                });
    }

    private record SubmitAtCreation(List<TaskHandle<?>> handles, CountDownLatch never) implements BeanPostProcessor {

        @Override
        public Object postProcessAfterInitialization(Object bean, String name) {
            if (bean instanceof GroupExecutor executor) {
                handles.add(executor.submit("acme", () -> awaitQuietly(never)));
            }
            return bean;
        }
    }

    private static boolean awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
            return true;
        } catch (InterruptedException e) {
            return false;
        }
    }
}
