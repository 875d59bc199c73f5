package io.github.kobe.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.RejectedTaskException;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

/** Is the permit of a method that returns a stage held until the stage completes? */
class GroupLimitStageTest {

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
        context.close();
    }

    private int active() {
        return SpringKit.active(executor, "acme");
    }

    @Test
    void thePermitIsHeldUntilTheStageCompletes() throws Exception {
        start(SpringKit.limit(1));
        CompletableFuture<String> answer = new CompletableFuture<>();
        CompletableFuture<String> returned = service.future("acme", () -> answer);
        assertThat(returned).isSameAs(answer);
        assertThat(active()).isEqualTo(1);
        assertThat(executor.holds("acme")).isFalse();
        assertThatExceptionOfType(RejectedTaskException.class)
                .isThrownBy(() -> service.future("acme", () -> new CompletableFuture<>()));
        answer.complete("value");
        assertThat(active()).isZero();
        assertThat(service.future("acme", () -> CompletableFuture.completedFuture("next"))
                        .get())
                .isEqualTo("next");
    }

    @Test
    void aFailedStageReleasesThePermit() throws Exception {
        start(SpringKit.limit(1));
        CompletableFuture<String> answer = new CompletableFuture<>();
        service.future("acme", () -> answer);
        answer.completeExceptionally(new IllegalStateException("failed"));
        assertThat(active()).isZero();
    }

    @Test
    void aCancelledStageReleasesThePermit() throws Exception {
        start(SpringKit.limit(1));
        CompletableFuture<String> returned = service.future("acme", CompletableFuture::new);
        returned.cancel(true);
        assertThat(active()).isZero();
        assertThatExceptionOfType(CancellationException.class).isThrownBy(returned::join);
    }

    @Test
    void aCompletedStageReleasesThePermitAtOnce() throws Exception {
        start(SpringKit.limit(1));
        service.future("acme", () -> CompletableFuture.completedFuture("value"));
        assertThat(active()).isZero();
    }

    @Test
    void ifTheMethodThrowsThePermitIsReleased() {
        start(SpringKit.limit(1));
        IllegalStateException fault = new IllegalStateException("at once");
        assertThatThrownBy(() -> service.future("acme", () -> {
                    throw fault;
                }))
                .isSameAs(fault);
        assertThat(active()).isZero();
    }

    @Test
    void ifTheMethodReturnsNullThePermitIsReleased() throws Exception {
        start(SpringKit.limit(1));
        assertThat(service.future("acme", () -> null)).isNull();
        assertThat(active()).isZero();
    }

    @Test
    void aStageThatTakesNoDependentsReleasesThePermit() {
        start(SpringKit.limit(1));
        assertThatThrownBy(() -> service.future("acme", () -> new CompletableFuture<>() {
                    @Override
                    public CompletableFuture<Object> whenComplete(
                            java.util.function.BiConsumer<? super Object, ? super Throwable> action) {
                        throw new UnsupportedOperationException("no dependents");
                    }
                }))
                .isInstanceOf(UnsupportedOperationException.class);
        assertThat(active()).isZero();
    }

    @Test
    void anyStageIsHeld() throws Exception {
        start(SpringKit.limit(1));
        CompletableFuture<String> answer = new CompletableFuture<>();
        service.stage("acme", answer::minimalCompletionStage);
        assertThat(active()).isEqualTo(1);
        answer.complete("value");
        assertThat(active()).isZero();
    }

    @Test
    void aFutureThatIsAStageIsHeldAndAnotherIsNot() throws Exception {
        start(SpringKit.limit(1));
        CompletableFuture<String> answer = new CompletableFuture<>();
        service.plainFuture("acme", () -> answer);
        assertThat(active()).isEqualTo(1);
        answer.complete("value");
        service.plainFuture("acme", () -> new FutureTask<>(() -> "never run"));
        assertThat(active()).isZero();
    }

    @Test
    void stagesOfTheSameThreadTakeAPermitEach() throws Exception {
        start(SpringKit.limit(2));
        service.future("acme", CompletableFuture::new);
        service.future("acme", CompletableFuture::new);
        assertThat(active()).isEqualTo(2);
        assertThatExceptionOfType(RejectedTaskException.class)
                .isThrownBy(() -> service.future("acme", CompletableFuture::new));
    }

    @Test
    void insideACallOfTheSameGroupTheStageSharesItsPermitAndKeepsIt() throws Exception {
        start(SpringKit.limit(1));
        CompletableFuture<String> answer = new CompletableFuture<>();
        assertThat(service.value("acme", () -> service.future("acme", () -> answer)))
                .isSameAs(answer);
        assertThat(active()).isEqualTo(1);
        answer.complete("value");
        assertThat(active()).isZero();
    }

    @Test
    void theCallerWaitsForAPermit() throws Exception {
        start(GroupPolicy.builder().defaultMaxConcurrencyPerGroup(1));
        CompletableFuture<String> answer = new CompletableFuture<>();
        service.future("acme", () -> answer);
        CompletableFuture<CompletableFuture<String>> second = new CompletableFuture<>();
        Thread caller = Thread.ofVirtual().start(() -> {
            try {
                second.complete(service.future("acme", () -> CompletableFuture.completedFuture("second")));
            } catch (Throwable e) {
                second.completeExceptionally(e);
            }
        });
        await().until(() -> SpringKit.queued(executor, "acme") == 1);
        assertThat(second).isNotDone();
        answer.complete("value");
        assertThat(second.get().get()).isEqualTo("second");
        caller.join();
    }

    static class Service {

        @GroupLimit(key = "#tenant")
        <T> CompletableFuture<T> future(String tenant, Callable<CompletableFuture<T>> work) throws Exception {
            return work.call();
        }

        @GroupLimit(key = "#tenant")
        <T> CompletionStage<T> stage(String tenant, Callable<CompletionStage<T>> work) throws Exception {
            return work.call();
        }

        @GroupLimit(key = "#tenant")
        <T> Future<T> plainFuture(String tenant, Callable<Future<T>> work) throws Exception {
            return work.call();
        }

        @GroupLimit(key = "#tenant")
        <T> T value(String tenant, Callable<T> work) throws Exception {
            return work.call();
        }
    }
}
