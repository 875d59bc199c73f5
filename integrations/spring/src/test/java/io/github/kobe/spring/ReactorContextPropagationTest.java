package io.github.kobe.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupPolicy;
import io.micrometer.context.ContextRegistry;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;

/** If a subscription waited for its permit, does its source see the thread-locals of the subscriber? */
class ReactorContextPropagationTest {

    private static final String KEY = "group-limit-user";
    private static final ThreadLocal<String> USER = new ThreadLocal<>();

    private final AnnotationConfigApplicationContext context =
            SpringKit.context(GroupPolicy.builder().defaultMaxConcurrencyPerGroup(1), Service.class);
    private final Service service = context.getBean(Service.class);

    @BeforeEach
    void enable() {
        ContextRegistry.getInstance().registerThreadLocalAccessor(KEY, USER);
        Hooks.enableAutomaticContextPropagation();
    }

    @AfterEach
    void disable() {
        Hooks.disableAutomaticContextPropagation();
        ContextRegistry.getInstance().removeThreadLocalAccessor(KEY);
        USER.remove();
        context.close();
    }

    @Test
    void theSourceOfAMonoSeesThem() throws Exception {
        Disposable holding = service.flux(Flux.never()).subscribe();
        USER.set("ada");
        CompletableFuture<String> seen = service.mono(Mono.fromCallable(() -> "" + USER.get()))
                .contextCapture()
                .toFuture();
        USER.remove();
        assertThat(seen).isNotDone();
        holding.dispose();
        assertThat(seen.get()).isEqualTo("ada");
    }

    @Test
    void theSourceOfAFluxSeesThem() {
        Disposable holding = service.flux(Flux.never()).subscribe();
        USER.set("ada");
        CompletableFuture<String> seen = service.flux(Flux.defer(() -> Flux.just("" + USER.get())))
                .contextCapture()
                .next()
                .toFuture();
        USER.remove();
        holding.dispose();
        assertThat(Mono.fromFuture(seen).block(Duration.ofMinutes(1))).isEqualTo("ada");
    }

    static class Service {
        @GroupLimit(group = "orders")
        <T> Mono<T> mono(Mono<T> work) {
            return work;
        }

        @GroupLimit(group = "orders")
        <T> Flux<T> flux(Flux<T> work) {
            return work;
        }
    }
}
