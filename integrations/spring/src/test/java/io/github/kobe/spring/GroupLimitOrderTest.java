package io.github.kobe.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.kobe.GroupExecutor;
import io.github.kobe.RejectedTaskException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.resilience.annotation.ConcurrencyLimit;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** In which order do a limit and Spring's own annotations on the same method take effect? */
class GroupLimitOrderTest {

    private final List<String> events = new CopyOnWriteArrayList<>();
    private AnnotationConfigApplicationContext context;

    private Service start(Class<?> configuration) {
        context = new AnnotationConfigApplicationContext();
        context.registerBean(
                GroupExecutor.class,
                () -> GroupExecutor.newVirtualThreadExecutor(SpringKit.limit(1).build()));
        context.registerBean(
                PlatformTransactionManager.class, () -> new LoggingTransactions(events, SpringKit.executor(context)));
        context.registerBean(Service.class, () -> new Service(events));
        context.register(configuration);
        return SpringKit.refresh(context).getBean(Service.class);
    }

    @AfterEach
    void stop() {
        context.close();
    }

    @Test
    void thePermitIsTakenBeforeATransactionBeginsAndReleasedAfterItsCommit() {
        Service service = start(Everything.class);
        service.transactional();
        assertThat(events).containsExactly("begin with permit", "work in transaction", "commit with permit");
        assertThat(SpringKit.active(SpringKit.executor(context), "orders")).isZero();
    }

    @Test
    void aRejectedCallBeginsNoTransaction() throws Exception {
        Service service = start(Everything.class);
        GroupExecutor executor = SpringKit.executor(context);
        Blocker blocker = new Blocker();
        executor.submit("orders", blocker);
        blocker.awaitStarted();
        assertThatExceptionOfType(RejectedTaskException.class).isThrownBy(service::transactional);
        assertThat(events).isEmpty();
        blocker.release();
    }

    @Test
    void aCallThatAwaitsItsNextAttemptHoldsNoPermit() {
        Service service = start(Everything.class);
        assertThat(service.retried()).isEqualTo("third");
        assertThat(events)
                .containsExactly(
                        "attempt with permit",
                        "no permit in between",
                        "attempt with permit",
                        "no permit in between",
                        "attempt with permit");
    }

    @Test
    void anAsynchronousMethodTakesItsPermitOnItsOwnThread() throws Exception {
        Service service = start(Everything.class);
        assertThat(service.asynchronous(Thread.currentThread()).get()).isEqualTo("on another thread, with permit");
    }

    @Test
    void aConcurrencyLimitOfSpringIsOutside() {
        Service service = start(Everything.class);
        assertThat(service.both()).isTrue();
    }

    @Test
    void theOrderCanBeChanged() {
        Service service = start(LimitOutsideRetry.class);
        assertThat(service.retried()).isEqualTo("third");
        assertThat(events).contains("permit held in between").doesNotContain("no permit in between");
    }

    @Configuration(proxyBeanMethods = false)
    @EnableGroupLimits
    @EnableTransactionManagement
    @EnableResilientMethods
    @EnableAsync
    static class Everything {
        @Bean
        SimpleAsyncTaskExecutor asyncThreads() {
            return new SimpleAsyncTaskExecutor("async-");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableGroupLimits(order = Integer.MAX_VALUE)
    @EnableResilientMethods(order = Integer.MAX_VALUE - 1)
    static class LimitOutsideRetry {}

    static class Service {
        private final List<String> events;
        private int attempts;

        @Autowired
        GroupExecutor groups;

        Service(List<String> events) {
            this.events = events;
        }

        @GroupLimit(group = "orders")
        @Transactional
        public void transactional() {
            events.add(
                    TransactionSynchronizationManager.isActualTransactionActive()
                            ? "work in transaction"
                            : "work without transaction");
        }

        @GroupLimit(group = "orders")
        @Retryable(delay = 1, predicate = BetweenAttempts.class)
        public String retried() {
            events.add(groups.holds("orders") ? "attempt with permit" : "attempt without permit");
            if (++attempts < 3) {
                throw new FailedAttemptException(groups, events);
            }
            return "third";
        }

        @Async
        @GroupLimit(group = "orders")
        public CompletableFuture<String> asynchronous(Thread caller) {
            return CompletableFuture.completedFuture(
                    (Thread.currentThread() == caller ? "on the caller" : "on another thread")
                            + (groups.holds("orders") ? ", with permit" : ", without permit"));
        }

        @GroupLimit(group = "orders")
        @ConcurrencyLimit(1)
        public boolean both() {
            return groups.holds("orders");
        }
    }

    static final class FailedAttemptException extends RuntimeException {
        private static final long serialVersionUID = 1;
        private final transient GroupExecutor groups;
        private final transient List<String> events;

        FailedAttemptException(GroupExecutor groups, List<String> events) {
            this.groups = groups;
            this.events = events;
        }
    }

    /** Spring asks it after a failed attempt, before the delay. */
    static class BetweenAttempts implements org.springframework.resilience.retry.MethodRetryPredicate {
        @Override
        public boolean shouldRetry(java.lang.reflect.Method method, Throwable failure) {
            FailedAttemptException failed = (FailedAttemptException) failure;
            failed.events.add(failed.groups.holds("orders") ? "permit held in between" : "no permit in between");
            return true;
        }
    }

    static final class LoggingTransactions extends AbstractPlatformTransactionManager {
        private static final long serialVersionUID = 1;
        private final transient List<String> events;
        private final transient GroupExecutor groups;

        LoggingTransactions(List<String> events, GroupExecutor groups) {
            this.events = events;
            this.groups = groups;
        }

        private void log(String event) {
            events.add(event + (groups.holds("orders") ? " with permit" : " without permit"));
        }

        @Override
        protected Object doGetTransaction() {
            return new Object();
        }

        @Override
        protected void doBegin(Object transaction, TransactionDefinition definition) {
            log("begin");
        }

        @Override
        protected void doCommit(DefaultTransactionStatus status) {
            log("commit");
        }

        @Override
        protected void doRollback(DefaultTransactionStatus status) {
            log("rollback");
        }
    }
}
