package io.github.kobe.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.kobe.ExecutorShutdownException;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.RejectionPolicy;
import io.github.kobe.RejectionReason;
import io.github.kobe.SharedLimit;
import io.github.kobe.TaskIdentity;
import io.github.kobe.TaskLifecycleListener;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Does a method that returns a value run with a permit, as long as it should, and not without one? */
class GroupLimitValueTest {

    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private AnnotationConfigApplicationContext context;
    private Service service;
    private GroupExecutor executor;

    private void start(GroupPolicy.Builder policy) {
        context = SpringKit.context(policy, Service.class);
        service = context.getBean(Service.class);
        executor = SpringKit.executor(context);
    }

    @AfterEach
    void stop() {
        threads.shutdownNow();
        context.close();
    }

    /** Runs a call of {@code tenant} that holds its permit until it is released. */
    private Blocker block(String tenant) throws InterruptedException {
        Blocker blocker = new Blocker();
        threads.submit(() -> service.call(tenant, blocker));
        return blocker.awaitStarted();
    }

    @Test
    void neverMoreCallsOfAGroupRunThanItsLimit() throws Exception {
        start(GroupPolicy.builder().defaultMaxConcurrencyPerGroup(3));
        AtomicInteger[] running = {new AtomicInteger(), new AtomicInteger()};
        AtomicInteger most = new AtomicInteger();
        List<Future<?>> calls = new ArrayList<>();
        for (int i = 0; i < 400; i++) {
            int tenant = i % 2;
            calls.add(threads.submit(() -> service.call("tenant-" + tenant, () -> {
                most.accumulateAndGet(running[tenant].incrementAndGet(), Math::max);
                Thread.yield();
                return running[tenant].decrementAndGet();
            })));
        }
        for (Future<?> call : calls) {
            call.get();
        }
        assertThat(most.get()).isBetween(1, 3);
        assertThat(executor.stats().totalActiveCount()).isZero();
    }

    @Test
    void aFullGroupDoesNotAffectAnother() throws Exception {
        start(SpringKit.limit(1));
        Blocker blocker = block("acme");
        assertThat(service.call("globex", () -> "value")).isEqualTo("value");
        blocker.release();
    }

    @Test
    void aCallWithoutRoomIsRejectedAndSaysWhichMethod() throws Exception {
        start(SpringKit.limit(1).rejectionPolicy(RejectionPolicy.ABORT));
        Blocker blocker = block("acme");
        assertThatExceptionOfType(RejectedTaskException.class)
                .isThrownBy(() -> service.call("acme", () -> "never"))
                .withMessageContaining("GroupLimitValueTest.Service.call")
                .withMessageContaining("orders:acme")
                .satisfies(e -> {
                    assertThat(e.reason()).isEqualTo(RejectionReason.GROUP_QUEUE_FULL);
                    assertThat(e.rejection().limit()).isEqualTo(1);
                    assertThat(e.rejection().active()).isEqualTo(1);
                });
        blocker.release();
        await().until(() -> SpringKit.active(executor, "orders:acme") == 0);
        assertThat(service.call("acme", () -> "value")).isEqualTo("value");
    }

    @Test
    void aCallTakesItsCostOfTheGroupAndOfSharedLimits() throws Exception {
        start(GroupPolicy.builder()
                .defaultMaxConcurrencyPerGroup(3)
                .sharedLimit(SharedLimit.by("all", key -> "all").max(4)));
        Blocker blocker = new Blocker();
        Future<?> call = threads.submit(() -> service.export("acme", blocker));
        blocker.awaitStarted();
        assertThat(SpringKit.active(executor, "exports:acme")).isEqualTo(2);
        assertThat(executor.sharedLimitStats("all", "all").orElseThrow().activeCount())
                .isEqualTo(2);
        blocker.release();
        call.get();
        assertThat(executor.sharedLimitStats("all", "all").orElseThrow().activeCount())
                .isZero();
    }

    @Test
    void aCallThatCouldNeverFitIsRejectedAtOnce() {
        start(GroupPolicy.builder().defaultMaxConcurrencyPerGroup(1));
        assertThatExceptionOfType(RejectedTaskException.class)
                .isThrownBy(() -> service.export("acme", () -> "never"))
                .satisfies(e -> assertThat(e.reason()).isEqualTo(RejectionReason.TOO_COSTLY));
    }

    @Test
    void aWaitingCallRunsWhenAPermitBecomesFree() throws Exception {
        start(GroupPolicy.builder().defaultMaxConcurrencyPerGroup(1));
        Blocker blocker = block("acme");
        Future<String> waiting = threads.submit(() -> service.call("acme", () -> "value"));
        await().until(() -> SpringKit.queued(executor, "orders:acme") == 1);
        assertThat(waiting.isDone()).isFalse();
        blocker.release();
        assertThat(waiting.get()).isEqualTo("value");
    }

    @Test
    void aMaximumWaitOfZeroDoesNotWait() throws Exception {
        start(GroupPolicy.builder().defaultMaxConcurrencyPerGroup(1));
        Blocker blocker = block("acme");
        assertThatExceptionOfType(RejectedTaskException.class)
                .isThrownBy(() -> service.callNow("acme", () -> "never"))
                .satisfies(e -> assertThat(e.reason()).isEqualTo(RejectionReason.EXPIRED));
        blocker.release();
        await().until(() -> SpringKit.active(executor, "orders:acme") == 0);
        assertThat(service.callNow("acme", () -> "value")).isEqualTo("value");
    }

    @Test
    void aCallWhoseMaximumWaitIsOverIsRejected() throws Exception {
        start(GroupPolicy.builder().defaultMaxConcurrencyPerGroup(1));
        Blocker blocker = block("acme");
        assertThatExceptionOfType(RejectedTaskException.class)
                .isThrownBy(() -> service.callSoon("acme", () -> "never"))
                .satisfies(e -> {
                    assertThat(e.reason()).isEqualTo(RejectionReason.EXPIRED);
                    assertThat(e.rejection().waited()).isPositive();
                });
        assertThat(SpringKit.queued(executor, "orders:acme")).isZero();
        blocker.release();
    }

    @Test
    void underCallerRunsACallWithoutRoomRunsWithoutAPermit() throws Exception {
        start(SpringKit.limit(1).rejectionPolicy(RejectionPolicy.CALLER_RUNS));
        Blocker blocker = block("acme");
        assertThat(service.call("acme", () -> executor.holds("orders:acme"))).isFalse();
        blocker.release();
    }

    @Test
    void whatTheMethodThrowsReachesTheCallerAndReleasesThePermit() {
        start(SpringKit.limit(1));
        IOException checked = new IOException("checked");
        AssertionError error = new AssertionError("error");
        assertThatThrownBy(() -> service.call("acme", () -> {
                    throw checked;
                }))
                .isSameAs(checked);
        assertThatThrownBy(() -> service.call("acme", () -> {
                    throw error;
                }))
                .isSameAs(error);
        assertThat(SpringKit.active(executor, "orders:acme")).isZero();
        assertThat(executor.groupStats("orders:acme").orElseThrow().counts().failed())
                .isEqualTo(2);
    }

    @Test
    void aMethodWithoutAValueIsLimitedToo() throws Exception {
        start(SpringKit.limit(1));
        AtomicReference<Boolean> held = new AtomicReference<>();
        service.run("acme", () -> held.set(executor.holds("orders:acme")));
        assertThat(held).hasValue(true);
        assertThat(SpringKit.active(executor, "orders:acme")).isZero();
    }

    @Test
    void aCallInsideACallOfTheSameGroupSharesItsPermit() throws Exception {
        start(SpringKit.limit(1));
        assertThat(service.call("acme", () -> service.call("acme", () -> SpringKit.active(executor, "orders:acme"))))
                .isEqualTo(1);
        assertThat(SpringKit.active(executor, "orders:acme")).isZero();
    }

    @Test
    void aTaskOfTheGroupSharesItsPermitWithACall() throws Exception {
        start(SpringKit.limit(1));
        assertThat(executor.submit("orders:acme", () -> service.call("acme", () -> "value"))
                        .get())
                .isEqualTo("value");
    }

    @Test
    void anInterruptWhileItWaitsIsACancellation() throws Exception {
        start(GroupPolicy.builder().defaultMaxConcurrencyPerGroup(1));
        Blocker blocker = block("acme");
        AtomicReference<Boolean> interrupted = new AtomicReference<>();
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        Thread waiting = Thread.ofVirtual().start(() -> {
            try {
                service.run("acme", () -> {});
            } catch (Throwable e) {
                thrown.set(e);
            }
            interrupted.set(Thread.currentThread().isInterrupted());
        });
        await().until(() -> SpringKit.queued(executor, "orders:acme") == 1);
        waiting.interrupt();
        waiting.join();
        assertThat(thrown.get())
                .isInstanceOf(CancellationException.class)
                .hasMessageContaining("Service.run")
                .hasCauseInstanceOf(InterruptedException.class);
        assertThat(interrupted).hasValue(true);
        assertThat(SpringKit.queued(executor, "orders:acme")).isZero();
        blocker.release();
    }

    @Test
    void anInterruptWhileItWaitsIsAnInterruptedExceptionIfTheMethodDeclaresIt() throws Exception {
        start(GroupPolicy.builder().defaultMaxConcurrencyPerGroup(1));
        Blocker blocker = block("acme");
        Future<String> waiting = threads.submit(() -> service.call("acme", () -> "never"));
        await().until(() -> SpringKit.queued(executor, "orders:acme") == 1);
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        Thread second = Thread.ofVirtual().start(() -> {
            try {
                service.call("acme", () -> "never");
            } catch (Throwable e) {
                thrown.set(e);
            }
        });
        await().until(() -> SpringKit.queued(executor, "orders:acme") == 2);
        second.interrupt();
        second.join();
        assertThat(thrown.get()).isInstanceOf(InterruptedException.class);
        blocker.release();
        assertThat(waiting.get()).isEqualTo("never");
    }

    @Test
    void anInterruptedExceptionOfTheMethodIsPassedOn() {
        start(SpringKit.limit(1));
        InterruptedException own = new InterruptedException("own");
        assertThatThrownBy(() -> service.call("acme", () -> {
                    throw own;
                }))
                .isSameAs(own);
    }

    @Test
    void afterAShutdownACallFails() {
        start(SpringKit.limit(1));
        executor.shutdown();
        assertThatThrownBy(() -> service.call("acme", () -> "never")).isInstanceOf(ExecutorShutdownException.class);
    }

    @Test
    void aShutdownEndsTheWaitOfACall() throws Exception {
        start(GroupPolicy.builder().defaultMaxConcurrencyPerGroup(1));
        Blocker blocker = block("acme");
        Future<String> waiting = threads.submit(() -> service.call("acme", () -> "never"));
        await().until(() -> SpringKit.queued(executor, "orders:acme") == 1);
        executor.shutdown();
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(waiting::get)
                .withCauseInstanceOf(ExecutorShutdownException.class);
        blocker.release();
    }

    @Test
    void aRaisedLimitAppliesToTheNextCall() throws Exception {
        start(SpringKit.limit(1));
        Blocker blocker = block("acme");
        executor.setMaxConcurrency("orders:acme", 2);
        assertThat(service.call("acme", () -> "value")).isEqualTo("value");
        blocker.release();
    }

    @Test
    void anAnnotationOnTheClassAppliesToItsMethodsAndOneOnAMethodReplacesIt() throws Exception {
        context = SpringKit.context(SpringKit.limit(1), OnClass.class, Inheriting.class);
        executor = SpringKit.executor(context);
        for (OnClass bean : context.getBeanProvider(OnClass.class).stream().toList()) {
            assertThat(bean.holds(executor, "class")).isTrue();
            assertThat(bean.other(executor, "class")).isTrue();
            assertThat(bean.replaced(executor, "class")).isFalse();
            assertThat(bean.replaced(executor, "method")).isTrue();
            assertThat(bean.toString()).isEqualTo("false"); // methods of Object are not limited
        }
    }

    @Test
    void listenersAreCalledIfTheProcessorSaysSo() throws Exception {
        List<String> started = new CopyOnWriteArrayList<>();
        context = new AnnotationConfigApplicationContext();
        context.registerBean(
                GroupExecutor.class,
                () -> GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder()
                        .taskLifecycleListener(new TaskLifecycleListener() {
                            @Override
                            public void onStarted(TaskIdentity task) {
                                started.add(task.groupKey() + " " + task.taskId());
                            }
                        })
                        .build()));
        context.register(Announcing.class, Service.class);
        SpringKit.refresh(context);
        context.getBean(Service.class).call("acme", () -> "value");
        assertThat(started).containsExactly("orders:acme GroupLimitValueTest.Service.call");
    }

    @Configuration(proxyBeanMethods = false)
    static class Announcing {
        @Bean
        static GroupLimitBeanPostProcessor limits() {
            GroupLimitBeanPostProcessor processor = new GroupLimitBeanPostProcessor();
            processor.setAnnounce(true);
            return processor;
        }
    }

    static class Service {

        @GroupLimit(group = "exports", key = "#tenant", cost = "${exports.cost:2}")
        public <T> T export(String tenant, Callable<T> task) throws Exception {
            return task.call();
        }

        @GroupLimit(group = "orders", key = "#tenant")
        <T> T call(String tenant, Callable<T> work) throws Exception {
            return work.call();
        }

        @GroupLimit(group = "orders", key = "#tenant", maxWait = "0s")
        <T> T callNow(String tenant, Callable<T> work) throws Exception {
            return work.call();
        }

        @GroupLimit(group = "orders", key = "#tenant", maxWait = "20ms")
        <T> T callSoon(String tenant, Callable<T> work) throws Exception {
            return work.call();
        }

        @GroupLimit(group = "orders", key = "#tenant")
        void run(String tenant, Runnable work) {
            work.run();
        }
    }

    @GroupLimit(group = "class")
    static class OnClass {

        boolean holds(GroupExecutor executor, String group) {
            return executor.holds(group);
        }

        boolean other(GroupExecutor executor, String group) {
            return executor.holds(group);
        }

        @GroupLimit(group = "method")
        boolean replaced(GroupExecutor executor, String group) {
            return executor.holds(group);
        }

        @Override
        public String toString() {
            return "false";
        }
    }

    static class Inheriting extends OnClass {

        @Override
        boolean other(GroupExecutor executor, String group) {
            return super.other(executor, group);
        }
    }
}
