package io.github.kobe.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.RejectedTaskException;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.resilience.InvocationRejectedException;
import org.springframework.resilience.annotation.ConcurrencyLimit;
import org.springframework.resilience.annotation.ConcurrencyLimit.ThrottlePolicy;
import org.springframework.resilience.annotation.EnableResilientMethods;

/** Is what docs/guide/migrate-from-concurrency-limit.md says true, of Spring's annotation and of ours? */
class ConcurrencyLimitMigrationTest {

    private final Blocker blocker = new Blocker();
    private AnnotationConfigApplicationContext context;

    @BeforeEach
    void start() {
        context = SpringKit.context(SpringKit.limit(1), Both.class);
    }

    @AfterEach
    void stop() {
        blocker.release();
        context.close();
    }

    private <T> T bean(String name, Class<T> type) {
        return context.getBean(name, type);
    }

    /** Calls on another thread, and returns when the call has begun. */
    private <T> Future<T> begin(Callable<T> call) throws InterruptedException {
        FutureTask<T> task = new FutureTask<>(call);
        Thread.ofVirtual().start(task);
        blocker.awaitStarted();
        return task;
    }

    @Test
    void rejectIsAMaximumWaitOfZero() throws Exception {
        Before before = bean("before", Before.class);
        After after = bean("after", After.class);
        Future<Boolean> running = begin(() -> before.run(() -> after.run(blocker)));
        assertThatThrownBy(() -> before.run(() -> true)).isInstanceOf(InvocationRejectedException.class);
        assertThatThrownBy(() -> after.run(() -> true)).isInstanceOf(RejectedTaskException.class);
        blocker.release();
        assertThat(running.get()).isTrue();
        assertThat(before.run(() -> after.run(() -> true))).isTrue();
    }

    @Test
    void onAClassOneNumberIsForAllItsMethods() throws Exception {
        Before before = bean("before", Before.class);
        After after = bean("after", After.class);
        begin(() -> before.run(() -> after.run(blocker)));
        assertThatThrownBy(before::other).isInstanceOf(InvocationRejectedException.class);
        assertThatThrownBy(after::other).isInstanceOf(RejectedTaskException.class);
    }

    @Test
    void twoBeansOfAClassShareTheLimitOnlyWithAGroup() throws Exception {
        Before before = bean("before", Before.class);
        After after = bean("after", After.class);
        begin(() -> before.run(() -> after.run(blocker)));
        assertThat(bean("secondBefore", Before.class).other()).isEqualTo("other");
        After second = bean("secondAfter", After.class);
        assertThatThrownBy(second::other).isInstanceOf(RejectedTaskException.class);
    }

    @Test
    void onlyAGroupHoldsThePermitUntilTheFutureCompletes() {
        CompletableFuture<String> inProgress = new CompletableFuture<>();
        Before before = bean("before", Before.class);
        assertThat(before.later(inProgress)).isNotDone();
        assertThat(before.later(inProgress))
                .as("a second call behind the limit of 1")
                .isNotDone();

        After after = bean("after", After.class);
        assertThat(after.later(inProgress)).isNotDone();
        assertThatThrownBy(() -> after.later(inProgress)).isInstanceOf(RejectedTaskException.class);
        inProgress.complete("done");
        assertThat(after.later(inProgress)).isCompletedWithValue("done");
    }

    @Test
    void onlyAGroupLetsACallInsideACallPass() throws Exception {
        Before before = bean("before", Before.class);
        assertThatThrownBy(() -> before.run(() -> before.run(() -> true)))
                .isInstanceOf(InvocationRejectedException.class); // with BLOCK it would wait for itself
        After after = bean("after", After.class);
        assertThat(after.run(() -> after.run(() -> true))).isTrue();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableResilientMethods
    static class Both {
        @Bean
        Before before() {
            return new Before();
        }

        @Bean
        Before secondBefore() {
            return new Before();
        }

        @Bean
        After after() {
            return new After();
        }

        @Bean
        After secondAfter() {
            return new After();
        }
    }

    @ConcurrencyLimit(limit = 1, policy = ThrottlePolicy.REJECT)
    static class Before {
        public <T> T run(Callable<T> work) throws Exception {
            return work.call();
        }

        public String other() {
            return "other";
        }

        public CompletableFuture<String> later(CompletableFuture<String> result) {
            return result.copy();
        }
    }

    @GroupLimit(group = "orders", maxWait = "0s")
    static class After {
        public <T> T run(Callable<T> work) throws Exception {
            return work.call();
        }

        public String other() {
            return "other";
        }

        public CompletableFuture<String> later(CompletableFuture<String> result) {
            return result.copy();
        }
    }
}
