package io.github.kobe.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.github.kobe.GroupExecutor;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.task.TaskRejectedException;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;

/** Do methods with {@code @Async} run as tasks of a group, and does the end of the context wait for them? */
class AsyncMethodTest {

    private static final ThreadLocal<String> TENANT = new ThreadLocal<>();

    private static AnnotationConfigApplicationContext context() {
        return SpringKit.context(SpringKit.limit(1), Asynchronous.class, Service.class);
    }

    @Test
    void everyReturnTypeRunsInTheGroupOfTheSubmitter() throws Exception {
        try (AnnotationConfigApplicationContext context = context()) {
            Service service = context.getBean(Service.class);
            TENANT.set("acme");
            AtomicReference<String> group = new AtomicReference<>();
            service.nothing(group);
            await().untilAtomic(group, org.hamcrest.Matchers.equalTo("acme"));
            await().until(() -> SpringKit.active(SpringKit.executor(context), "acme") == 0);
            assertThat(service.completable(() -> "value").get()).isEqualTo("acme value");
            assertThat(service.future().get()).isEqualTo("acme");
        } finally {
            TENANT.remove();
        }
    }

    @Test
    void aRejectedMethodThrows() throws Exception {
        try (AnnotationConfigApplicationContext context = context()) {
            Service service = context.getBean(Service.class);
            TENANT.set("acme");
            Blocker blocker = new Blocker();
            CompletableFuture<String> running = service.completable(blocker);
            blocker.awaitStarted();
            assertThatExceptionOfType(TaskRejectedException.class).isThrownBy(service::future);
            TENANT.set("globex");
            assertThat(service.future().get()).isEqualTo("globex");
            blocker.release();
            assertThat(running.get()).isEqualTo("acme true");
        } finally {
            TENANT.remove();
        }
    }

    @Test
    void theEndOfTheContextWaitsForTheTasks() throws Exception {
        AnnotationConfigApplicationContext context = context();
        GroupTaskExecutor executor = context.getBean(GroupTaskExecutor.class);
        TENANT.set("acme");
        Blocker blocker = new Blocker();
        CompletableFuture<String> running = context.getBean(Service.class).completable(blocker);
        TENANT.remove();
        blocker.awaitStarted();
        Thread closing = Thread.ofVirtual().start(context::close);
        await().until(() -> !executor.isRunning());
        assertThat(running).isNotDone();
        blocker.release();
        assertThat(running.get(1, TimeUnit.MINUTES)).isEqualTo("acme true");
        closing.join();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAsync
    static class Asynchronous {
        @Bean(defaultCandidate = false)
        GroupTaskExecutor tenantTasks(GroupExecutor groups) {
            return GroupTaskExecutor.builder(groups).groupKey(TENANT::get).build();
        }
    }

    static class Service {
        @Autowired
        GroupExecutor groups;

        private String group() {
            return groups.holds("acme") ? "acme" : groups.holds("globex") ? "globex" : "none";
        }

        @Async("tenantTasks")
        void nothing(AtomicReference<String> group) {
            group.set(group());
        }

        @Async("tenantTasks")
        CompletableFuture<String> completable(Callable<?> work) throws Exception {
            return CompletableFuture.completedFuture(group() + " " + work.call());
        }

        @Async("tenantTasks")
        Future<String> future() {
            return CompletableFuture.completedFuture(group());
        }
    }
}
