package io.github.kobe.context;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.pool.WorkerPool;
import io.micrometer.context.ContextRegistry;
import io.micrometer.context.ContextSnapshotFactory;
import io.micrometer.context.integration.Slf4jThreadLocalAccessor;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.contextpropagation.ObservationThreadLocalAccessor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.MDC;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.Context;

/** Are all registered thread-locals carried? */
@Timeout(60)
class ContextSnapshotCarrierTest {

    private final ThreadLocal<String> tenant = new ThreadLocal<>();
    private final ObservationRegistry observations = ObservationRegistry.create();

    @BeforeEach
    void register() {
        observations.observationConfig().observationHandler(context -> true);
        ObservationThreadLocalAccessor.getInstance().setObservationRegistry(observations);
        ContextRegistry.getInstance()
                .registerThreadLocalAccessor(new Slf4jThreadLocalAccessor())
                .registerThreadLocalAccessor("tenant", tenant);
    }

    @AfterEach
    void unregister() {
        ContextRegistry.getInstance().removeThreadLocalAccessor("tenant");
        ContextRegistry.getInstance().removeThreadLocalAccessor(Slf4jThreadLocalAccessor.KEY);
        ObservationThreadLocalAccessor.getInstance().setObservationRegistry(ObservationRegistry.NOOP);
        MDC.clear();
    }

    private String current() {
        Observation observation = observations.getCurrentObservation();
        return tenant.get() + " " + MDC.get("request") + " "
                + (observation == null ? null : observation.getContext().getName());
    }

    @Test
    void taskSeesEveryRegisteredThreadLocal() throws Exception {
        GroupPolicy policy = GroupPolicy.builder()
                .contextCarrier(ContextSnapshotCarrier.create())
                .build();
        try (GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(policy)) {
            assertThat(executor.submit("g", this::current).get()).isEqualTo("null null null");
            tenant.set("alice");
            MDC.put("request", "r1");
            Observation request = Observation.start("request", observations);
            try (Observation.Scope open = request.openScope()) {
                assertThat(open).isNotNull();
                assertThat(executor.submit("g", this::current).get()).isEqualTo("alice r1 request");
                assertThat(current()).isEqualTo("alice r1 request");
            }
            request.stop();
            MDC.clear();
            assertThat(executor.submit("g", this::current).get()).isEqualTo("alice null null");
        }
    }

    /** A task that is submitted by an operator sees the context of its subscription, and a subscription in a task has the context of the task. */
    @Test
    void contextOfReactorReachesTheTaskAndThoseThatTheTaskSubscribes() {
        GroupPolicy policy = GroupPolicy.builder()
                .contextCarrier(ContextSnapshotCarrier.create())
                .build();
        Hooks.enableAutomaticContextPropagation();
        try (GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(policy)) {
            Mono<String> inTask = Mono.deferContextual(context -> Mono.just(context.getOrDefault("tenant", "nobody")));
            String seen = Mono.just("g")
                    .publishOn(Schedulers.parallel()) // its threads have no thread-locals of their own
                    .flatMap(group -> Mono.fromCompletionStage(
                            executor.submit(group, () -> tenant.get() + " and " + inTask.block())
                                    .toCompletableFuture()))
                    .map(result -> String.valueOf(result.value()))
                    .contextWrite(Context.of("tenant", "alice"))
                    .block();
            assertThat(seen).isEqualTo("alice and alice");
            assertThat(tenant.get()).isNull();
        } finally {
            Hooks.disableAutomaticContextPropagation();
        }
    }

    @Test
    void nothingIsLeftOnAWorker() throws Exception {
        try (WorkerPool pool = WorkerPool.builder()
                .contextCarrier(ContextSnapshotCarrier.create())
                .build()) {
            assertThat(pool.submit(() -> {
                                tenant.set("left behind");
                                MDC.put("request", "left behind");
                                return current();
                            })
                            .get())
                    .isEqualTo("left behind left behind null");
            assertThat(pool.submit(this::current).get()).isEqualTo("null null null");
        }
    }

    @Test
    void nothingIsCapturedIfNothingIsSet() {
        assertThat(ContextSnapshotCarrier.create().capture()).isNull();
        assertThat(ContextSnapshotCarrier.create()).isSameAs(ContextSnapshotCarrier.create());
        tenant.set("alice");
        assertThat(ContextSnapshotCarrier.create().capture()).isNotNull();
    }

    @Test
    void factoryDecidesWhatIsCarried() throws Exception {
        ContextSnapshotFactory onlyTenant = ContextSnapshotFactory.builder()
                .captureKeyPredicate("tenant"::equals)
                .build();
        GroupPolicy policy = GroupPolicy.builder()
                .contextCarrier(ContextSnapshotCarrier.of(onlyTenant))
                .build();
        try (GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(policy)) {
            tenant.set("alice");
            MDC.put("request", "r1");
            assertThat(executor.submit("g", this::current).get()).isEqualTo("alice null null");
        }
        assertThatNullPointerException()
                .isThrownBy(() -> ContextSnapshotCarrier.of(null))
                .withMessage("factory");
    }
}
