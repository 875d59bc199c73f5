package io.github.kobe.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import io.github.kobe.ExecutorShutdownException;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.RejectionReason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Publisher;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import reactor.core.Disposable;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.test.StepVerifier;
import reactor.test.publisher.TestPublisher;

/** Does each subscription to a limited publisher hold a permit, and release it exactly once? */
class GroupLimitReactorTest {

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

    private int queued() {
        return SpringKit.queued(executor, "acme");
    }

    @Test
    void aMonoHoldsThePermitFromSubscriptionToCompletion() {
        start(SpringKit.limit(1));
        Sinks.One<String> answer = Sinks.one();
        Mono<String> mono = service.mono("acme", answer::asMono);
        assertThat(active()).isZero();
        StepVerifier.create(mono)
                .then(() -> assertThat(active()).isEqualTo(1))
                .then(() -> answer.tryEmitValue("value"))
                .expectNext("value")
                .verifyComplete();
        assertThat(active()).isZero();
    }

    @Test
    void theValueOfAMonoIsSeenAfterTheRelease() {
        start(SpringKit.limit(1));
        List<Integer> seen = new ArrayList<>();
        service.mono("acme", () -> Mono.just("value"))
                .doOnNext(value -> seen.add(active()))
                .block();
        assertThat(seen).containsExactly(0);
    }

    @Test
    void anEmptyMonoReleasesThePermit() {
        start(SpringKit.limit(1));
        StepVerifier.create(service.mono("acme", Mono::empty)).verifyComplete();
        assertThat(active()).isZero();
    }

    @Test
    void aFluxHoldsThePermitUntilItsEnd() {
        start(SpringKit.limit(1));
        TestPublisher<String> source = TestPublisher.create();
        StepVerifier.create(service.flux("acme", source::flux))
                .then(() -> source.next("a", "b"))
                .expectNext("a", "b")
                .then(() -> assertThat(active()).isEqualTo(1))
                .then(source::complete)
                .verifyComplete();
        assertThat(active()).isZero();
    }

    @Test
    void anErrorReleasesThePermit() {
        start(SpringKit.limit(1));
        IllegalStateException fault = new IllegalStateException("failed");
        StepVerifier.create(service.mono("acme", () -> Mono.error(fault)))
                .verifyErrorSatisfies(e -> assertThat(e).isSameAs(fault));
        StepVerifier.create(service.flux("acme", () -> Flux.just("a").concatWith(Mono.error(fault))))
                .expectNext("a")
                .verifyErrorSatisfies(e -> assertThat(e).isSameAs(fault));
        assertThat(active()).isZero();
    }

    @Test
    void aCancelReleasesThePermitAndCancelsTheSource() {
        start(SpringKit.limit(1));
        TestPublisher<String> source = TestPublisher.create();
        Disposable subscription = service.flux("acme", source::flux).subscribe();
        assertThat(active()).isEqualTo(1);
        subscription.dispose();
        source.assertCancelled();
        assertThat(active()).isZero();
    }

    @Test
    void aCancelWhileItWaitsWithdrawsTheRequest() {
        start(GroupPolicy.builder().defaultMaxConcurrencyPerGroup(1));
        TestPublisher<String> first = TestPublisher.create();
        TestPublisher<String> second = TestPublisher.create();
        Disposable holding = service.flux("acme", first::flux).subscribe();
        Disposable waiting = service.flux("acme", second::flux).subscribe();
        assertThat(queued()).isEqualTo(1);
        waiting.dispose();
        assertThat(queued()).isZero();
        holding.dispose();
        second.assertWasNotSubscribed();
        assertThat(active()).isZero();
    }

    @Test
    void aWaitingSubscriptionHoldsNoThreadAndStartsWhenAPermitIsFree() {
        start(GroupPolicy.builder().defaultMaxConcurrencyPerGroup(1));
        Sinks.One<String> answer = Sinks.one();
        Disposable holding = service.mono("acme", answer::asMono).subscribe();
        AtomicInteger received = new AtomicInteger();
        service.flux("acme", () -> Flux.range(1, 10)).subscribe(received::set);
        assertThat(received).hasValue(0);
        assertThat(queued()).isEqualTo(1);
        answer.tryEmitValue("value");
        await().untilAtomic(received, org.hamcrest.Matchers.equalTo(10));
        await().until(() -> active() == 0);
        assertThat(holding.isDisposed()).isTrue();
    }

    @Test
    void eachSubscriptionTakesAPermitOfItsOwn() {
        start(SpringKit.limit(2));
        Flux<String> flux = service.flux("acme", Flux::never);
        Disposable first = flux.subscribe();
        Disposable second = flux.subscribe();
        assertThat(active()).isEqualTo(2);
        StepVerifier.create(flux).verifyError(RejectedTaskException.class);
        first.dispose();
        assertThat(active()).isEqualTo(1);
        second.dispose();
        assertThat(active()).isZero();
    }

    @Test
    void withoutRoomTheSubscriberGetsTheRejection() {
        start(SpringKit.limit(1));
        Disposable holding = service.flux("acme", Flux::never).subscribe();
        AtomicInteger subscribed = new AtomicInteger();
        StepVerifier.create(
                        service.mono("acme", () -> Mono.just("never").doOnSubscribe(s -> subscribed.incrementAndGet())))
                .verifyErrorSatisfies(e -> {
                    assertThat(e).isInstanceOf(RejectedTaskException.class).hasMessageContaining("Service.mono");
                    assertThat(((RejectedTaskException) e).reason()).isEqualTo(RejectionReason.GROUP_QUEUE_FULL);
                });
        assertThat(subscribed).hasValue(0);
        holding.dispose();
    }

    @Test
    void theMaximumWaitApplies() {
        start(GroupPolicy.builder().defaultMaxConcurrencyPerGroup(1));
        Disposable holding = service.flux("acme", Flux::never).subscribe();
        StepVerifier.create(service.now("acme"))
                .verifyErrorSatisfies(
                        e -> assertThat(((RejectedTaskException) e).reason()).isEqualTo(RejectionReason.EXPIRED));
        StepVerifier.create(service.soon("acme"))
                .verifyErrorSatisfies(
                        e -> assertThat(((RejectedTaskException) e).reason()).isEqualTo(RejectionReason.EXPIRED));
        holding.dispose();
        assertThat(active()).isZero();
    }

    @Test
    void anOperatorThatStopsEarlyReleasesThePermit() {
        start(SpringKit.limit(1));
        assertThat(service.flux("acme", () -> Flux.range(1, 1_000))
                        .take(3)
                        .collectList()
                        .block())
                .containsExactly(1, 2, 3);
        assertThat(active()).isZero();
        StepVerifier.withVirtualTime(() -> service.mono("acme", Mono::never).timeout(Duration.ofSeconds(10)))
                .thenAwait(Duration.ofSeconds(10))
                .verifyError(java.util.concurrent.TimeoutException.class);
        assertThat(active()).isZero();
    }

    @Test
    void aRetryAcquiresAgain() {
        start(SpringKit.limit(1));
        AtomicInteger attempts = new AtomicInteger();
        Mono<Integer> unstable = service.mono(
                "acme",
                () -> Mono.fromCallable(() -> {
                    assertThat(active()).isEqualTo(1);
                    if (attempts.incrementAndGet() < 3) {
                        throw new IllegalStateException("not yet");
                    }
                    return attempts.get();
                }));
        StepVerifier.withVirtualTime(
                        () -> unstable.retryWhen(reactor.util.retry.Retry.fixedDelay(5, Duration.ofMinutes(1))))
                .expectSubscription()
                .then(() -> assertThat(active()).isZero())
                .thenAwait(Duration.ofMinutes(2))
                .expectNext(3)
                .verifyComplete();
        assertThat(active()).isZero();
    }

    @Test
    void demandReachesTheSourceAlsoIfItCameBeforeThePermit() {
        start(GroupPolicy.builder().defaultMaxConcurrencyPerGroup(1));
        Disposable holding = service.flux("acme", Flux::never).subscribe();
        List<Integer> received = new ArrayList<>();
        CountDownLatch two = new CountDownLatch(2);
        BaseSubscriber<Integer> subscriber = new BaseSubscriber<>() {
            @Override
            protected void hookOnSubscribe(org.reactivestreams.Subscription subscription) {
                request(2);
            }

            @Override
            protected void hookOnNext(Integer value) {
                received.add(value);
                two.countDown();
            }
        };
        service.flux("acme", () -> Flux.range(1, 10)).subscribe(subscriber);
        holding.dispose();
        await().until(() -> two.getCount() == 0);
        assertThat(received).containsExactly(1, 2);
        assertThat(active()).isEqualTo(1);
        subscriber.cancel();
        assertThat(active()).isZero();
    }

    @Test
    void theContextOfTheSubscriberReachesTheSource() {
        start(SpringKit.limit(1));
        StepVerifier.create(service.mono(
                                "acme",
                                () -> Mono.deferContextual(
                                        view -> Mono.just(view.get("user").toString())))
                        .contextWrite(view -> view.put("user", "ada")))
                .expectNext("ada")
                .verifyComplete();
    }

    @Test
    void aPublisherIsLimitedToo() {
        start(SpringKit.limit(1));
        StepVerifier.create(service.publisher("acme", () -> Mono.fromCallable(this::active)))
                .expectNext(1)
                .verifyComplete();
        StepVerifier.create(service.publisher("acme", () -> Flux.defer(() -> Flux.just(active(), 2))))
                .expectNext(1, 2)
                .verifyComplete();
        Publisher<Integer> foreign =
                subscriber -> Flux.defer(() -> Flux.just(active())).subscribe(subscriber);
        StepVerifier.create(service.publisher("acme", () -> foreign))
                .expectNext(1)
                .verifyComplete();
        assertThat(active()).isZero();
        assertThat(service.publisher("acme", () -> null)).isNull();
    }

    @Test
    void theKeyIsThatOfTheCall() {
        start(SpringKit.limit(1));
        assertThatIllegalArgumentException().isThrownBy(() -> service.mono(null, Mono::empty));
    }

    @Test
    void afterAShutdownTheSubscriberGetsTheException() {
        start(SpringKit.limit(1));
        executor.shutdown();
        StepVerifier.create(service.mono("acme", () -> Mono.just("never")))
                .verifyError(ExecutorShutdownException.class);
    }

    @Test
    void aShutdownEndsTheWaitOfASubscription() {
        start(GroupPolicy.builder().defaultMaxConcurrencyPerGroup(1));
        Disposable holding = service.flux("acme", Flux::never).subscribe();
        StepVerifier.create(service.mono("acme", () -> Mono.just("never")))
                .then(() -> executor.shutdown())
                .verifyError(ExecutorShutdownException.class);
        holding.dispose();
    }

    /** A cancel that meets a grant, a value or an error must not lose the permit, whichever comes first. */
    @Test
    void noPermitIsLostIfACancelMeetsAGrant() throws Exception {
        start(GroupPolicy.builder().defaultMaxConcurrencyPerGroup(1));
        try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
            for (int i = 0; i < 2_000; i++) {
                Disposable holding = service.flux("acme", Flux::never).subscribe();
                Disposable waiting =
                        service.mono("acme", () -> Mono.just("value")).subscribe();
                CountDownLatch go = new CountDownLatch(2);
                Future<?> release = threads.submit(() -> dispose(holding, go));
                Future<?> cancel = threads.submit(() -> dispose(waiting, go));
                release.get();
                cancel.get();
                await().pollDelay(Duration.ZERO)
                        .pollInterval(Duration.ofMillis(1))
                        .until(() -> active() == 0 && queued() == 0);
            }
        }
    }

    private static Void dispose(Disposable subscription, CountDownLatch go) throws InterruptedException {
        go.countDown();
        assertThat(go.await(1, TimeUnit.MINUTES)).isTrue();
        subscription.dispose();
        return null;
    }

    @Test
    void neverMoreSubscriptionsAreActiveThanTheLimit() {
        start(GroupPolicy.builder().defaultMaxConcurrencyPerGroup(3));
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        Flux.range(0, 200)
                .flatMap(
                        i -> service.mono(
                                "acme",
                                () -> Mono.fromCallable(
                                                () -> most.accumulateAndGet(running.incrementAndGet(), Math::max))
                                        .delayElement(Duration.ofMillis(1))
                                        .doOnNext(value -> running.decrementAndGet())),
                        100)
                .blockLast(Duration.ofMinutes(1));
        assertThat(most.get()).isBetween(1, 3);
        await().until(() -> active() == 0);
    }

    static class Service {

        @GroupLimit(key = "#tenant")
        <T> Mono<T> mono(String tenant, Supplier<Mono<T>> work) {
            return work.get();
        }

        @GroupLimit(key = "#tenant")
        <T> Flux<T> flux(String tenant, Supplier<Flux<T>> work) {
            return work.get();
        }

        @GroupLimit(key = "#tenant")
        <T> Publisher<T> publisher(String tenant, Supplier<Publisher<T>> work) {
            return work.get();
        }

        @GroupLimit(key = "#tenant", maxWait = "0s")
        Mono<String> now(String tenant) {
            return Mono.just("now");
        }

        @GroupLimit(key = "#tenant", maxWait = "20ms")
        Mono<String> soon(String tenant) {
            return Mono.just("soon");
        }
    }
}
