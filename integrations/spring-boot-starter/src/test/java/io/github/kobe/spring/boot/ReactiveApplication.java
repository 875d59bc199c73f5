package io.github.kobe.spring.boot;

import io.github.kobe.spring.GroupLimit;
import io.github.kobe.spring.boot.TenantApplication.Gate;
import org.springframework.boot.Banner;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** An application on Netty whose limited methods return a {@code Mono} or a {@code Flux}. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
class ReactiveApplication {

    static ConfigurableApplicationContext start(String... properties) {
        return new SpringApplicationBuilder(ReactiveApplication.class)
                .bannerMode(Banner.Mode.OFF)
                .logStartupInfo(false)
                .properties("server.port=0", "server.address=127.0.0.1", "spring.main.web-application-type=reactive")
                .properties(properties)
                .run();
    }

    @Bean
    Gate gate() {
        return new Gate();
    }

    @Bean
    Orders orders(Gate gate) {
        return new Orders(gate);
    }

    static class Orders {

        private final Gate gate;

        Orders(Gate gate) {
            this.gate = gate;
        }

        @GroupLimit(key = "#tenant")
        Mono<String> first(String tenant) {
            return pass(tenant).thenReturn("order of " + tenant);
        }

        @GroupLimit(key = "#tenant")
        Flux<String> all(String tenant) {
            return pass(tenant).thenMany(Flux.just("a", "b", "c"));
        }

        @GroupLimit(key = "#tenant", maxWait = "0s")
        Mono<String> atOnce(String tenant) {
            return pass(tenant).thenReturn("order of " + tenant);
        }

        private Mono<Void> pass(String tenant) {
            return Mono.<Void>fromCallable(() -> {
                        gate.pass(tenant);
                        return null;
                    })
                    .subscribeOn(Schedulers.boundedElastic());
        }
    }

    @RestController
    static class Controller {

        private final Orders orders;

        Controller(Orders orders) {
            this.orders = orders;
        }

        @GetMapping("/first")
        Mono<String> first(@RequestParam String tenant) {
            return orders.first(tenant);
        }

        @GetMapping("/all")
        Flux<String> all(@RequestParam String tenant) {
            return orders.all(tenant);
        }

        @GetMapping("/at-once")
        Mono<String> atOnce(@RequestParam String tenant) {
            return orders.atOnce(tenant);
        }
    }
}
