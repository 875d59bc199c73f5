package io.github.kobe.spring;

import io.github.kobe.ExecutorShutdownException;
import io.github.kobe.GroupExecutor;
import io.github.kobe.Permit;
import io.github.kobe.PermitOptions;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.CorePublisher;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxOperator;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoOperator;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/** Publishers whose subscriptions hold a permit. Loaded only if Reactor is there. */
final class LimitedPublishers {

    private LimitedPublishers() {}

    /** Returns {@code result} with a limit; {@code null} if it is {@code null}. */
    static @Nullable Object limit(
            @Nullable Object result, GroupExecutor executor, String group, PermitOptions options) {
        Request request = new Request(executor, group, options);
        if (result instanceof Mono<?> mono) {
            return new LimitedMono<>(mono, request);
        }
        return result instanceof Publisher<?> publisher ? new LimitedFlux<>(Flux.from(publisher), request) : result;
    }

    /** What each subscription asks for. */
    private record Request(GroupExecutor executor, String group, PermitOptions options) {

        CompletableFuture<Permit> acquire() {
            try {
                return executor.acquireAsync(group, options);
            } catch (ExecutorShutdownException e) {
                return CompletableFuture.failedFuture(e);
            }
        }
    }

    // The identity as a change of the context installs thread-locals of the context around a subscription on a thread
    // of the
    // executor, if automatic context propagation is on.

    private static final class LimitedMono<T> extends MonoOperator<T, T> {

        private final Request request;

        LimitedMono(Mono<T> source, Request request) {
            super(source.contextWrite(context -> context));
            this.request = request;
        }

        @Override
        public void subscribe(CoreSubscriber<? super T> actual) {
            new LimitedSubscription<>(source, actual, true).start(request);
        }
    }

    private static final class LimitedFlux<T> extends FluxOperator<T, T> {

        private final Request request;

        LimitedFlux(Flux<T> source, Request request) {
            super(source.contextWrite(context -> context));
            this.request = request;
        }

        @Override
        public void subscribe(CoreSubscriber<? super T> actual) {
            new LimitedSubscription<>(source, actual, false).start(request);
        }
    }

    /**
     * Waits for the permit, then subscribes to the source, and releases the permit before it passes on the end.
     *
     * <p>A grant races with a cancel. The grant writes {@link #permit} and then asks whether the subscription is cancelled. The cancel marks the
     * subscription as cancelled, then cancels {@link #future}, and then reads {@link #permit}. So at least one of them sees the other. Closing a
     * permit twice has no effect.
     */
    private static final class LimitedSubscription<T> extends Operators.DeferredSubscription
            implements CoreSubscriber<T> {

        private final CorePublisher<? extends T> source;
        private final CoreSubscriber<? super T> actual;
        private final boolean single;
        private volatile @Nullable CompletableFuture<Permit> future;
        private volatile @Nullable Permit permit;
        private boolean done; // only the source's signals read and write it

        LimitedSubscription(CorePublisher<? extends T> source, CoreSubscriber<? super T> actual, boolean single) {
            this.source = source;
            this.actual = actual;
            this.single = single;
        }

        // The stage has no result.
        @SuppressWarnings("FutureReturnValueIgnored")
        void start(Request request) {
            actual.onSubscribe(this);
            if (isCancelled()) {
                return;
            }
            CompletableFuture<Permit> requested = request.acquire();
            future = requested;
            requested.whenComplete(this::decided);
            if (isCancelled()) {
                requested.cancel(false);
            }
        }

        private void decided(@Nullable Permit granted, @Nullable Throwable fault) {
            if (granted == null) {
                if (!isCancelled()) {
                    Throwable cause = fault instanceof CompletionException ? fault.getCause() : fault;
                    actual.onError(cause == null ? new IllegalStateException("no permit") : cause);
                }
                return;
            }
            permit = granted;
            if (isCancelled()) {
                granted.close();
            } else {
                source.subscribe(this);
            }
        }

        @Override
        public void onSubscribe(Subscription subscription) {
            set(subscription);
        }

        @Override
        public void onNext(T value) {
            if (done) {
                Operators.onNextDropped(value, actual.currentContext());
                return;
            }
            if (single) {
                release();
            }
            actual.onNext(value);
        }

        @Override
        public void onError(Throwable fault) {
            if (done) {
                Operators.onErrorDropped(fault, actual.currentContext());
                return;
            }
            done = true;
            release();
            actual.onError(fault);
        }

        @Override
        public void onComplete() {
            if (!done) {
                done = true;
                release();
                actual.onComplete();
            }
        }

        @Override
        public void cancel() {
            super.cancel();
            CompletableFuture<Permit> requested = future;
            if (requested != null) {
                requested.cancel(false);
            }
            release();
        }

        private void release() {
            Permit held = permit;
            if (held != null) {
                held.close();
            }
        }

        @Override
        public Context currentContext() {
            return actual.currentContext();
        }
    }
}
