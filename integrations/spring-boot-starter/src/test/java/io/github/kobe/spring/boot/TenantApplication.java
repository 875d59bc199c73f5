package io.github.kobe.spring.boot;

import io.github.kobe.GroupExecutor;
import io.github.kobe.spring.GroupLimit;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.boot.Banner;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.security.autoconfigure.actuate.web.reactive.ReactiveManagementWebSecurityAutoConfiguration;
import org.springframework.boot.security.autoconfigure.actuate.web.servlet.ManagementWebSecurityAutoConfiguration;
import org.springframework.boot.security.autoconfigure.web.reactive.ReactiveWebSecurityAutoConfiguration;
import org.springframework.boot.security.autoconfigure.web.servlet.SecurityFilterAutoConfiguration;
import org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** An application on Tomcat. Its calls wait until a test lets them continue. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@EnableAsync
class TenantApplication {

    /** A property for applications whose requests need no credentials. */
    static final String NO_SECURITY = "spring.autoconfigure.exclude="
            + Stream.of(
                            ServletWebSecurityAutoConfiguration.class,
                            SecurityFilterAutoConfiguration.class,
                            ManagementWebSecurityAutoConfiguration.class,
                            ReactiveWebSecurityAutoConfiguration.class,
                            ReactiveManagementWebSecurityAutoConfiguration.class)
                    .map(Class::getName)
                    .collect(Collectors.joining(","));

    /** Starts it on a free port. */
    static ConfigurableApplicationContext start(String... properties) {
        return new SpringApplicationBuilder(TenantApplication.class)
                .bannerMode(Banner.Mode.OFF)
                .logStartupInfo(false)
                .properties("server.port=0", "server.address=127.0.0.1", "spring.main.web-application-type=servlet")
                .run(Stream.of(properties).map(property -> "--" + property).toArray(String[]::new));
    }

    @Bean
    Gate gate() {
        return new Gate();
    }

    @Bean
    Orders orders(Gate gate) {
        return new Orders(gate);
    }

    /** Holds calls back, and counts them by tenant. */
    static class Gate {

        private final Map<String, AtomicInteger> running = new ConcurrentHashMap<>();
        private final Map<String, Integer> max = new ConcurrentHashMap<>();
        private volatile CountDownLatch latch = new CountDownLatch(0);

        void shut() {
            max.clear();
            latch = new CountDownLatch(1);
        }

        void open() {
            latch.countDown();
        }

        /** How many calls of the tenant have been here at the same time. */
        int max(String tenant) {
            return max.getOrDefault(tenant, 0);
        }

        void pass(String tenant) throws InterruptedException {
            AtomicInteger count = running.computeIfAbsent(tenant, key -> new AtomicInteger());
            max.merge(tenant, count.incrementAndGet(), Math::max);
            try {
                latch.await();
            } finally {
                count.decrementAndGet();
            }
        }
    }

    /** Limited by the annotation. */
    static class Orders {

        private final Gate gate;

        Orders(Gate gate) {
            this.gate = gate;
        }

        @GroupLimit(group = "orders", key = "#tenant")
        String ordersOf(String tenant) throws InterruptedException {
            gate.pass(tenant);
            return "orders of " + tenant;
        }

        @GroupLimit(group = "strict", key = "#tenant", maxWait = "0s")
        String ordersAtOnce(String tenant) throws InterruptedException {
            gate.pass(tenant);
            return "orders of " + tenant;
        }

        @Async("mails")
        CompletableFuture<String> mail(String tenant) throws InterruptedException {
            gate.pass(tenant);
            return CompletableFuture.completedFuture("mail to " + tenant);
        }
    }

    @RestController
    static class Controller {

        private final Orders orders;
        private final Gate gate;
        private final GroupExecutor executor;

        Controller(Orders orders, Gate gate, GroupExecutor executor) {
            this.orders = orders;
            this.gate = gate;
            this.executor = executor;
        }

        @GetMapping("/orders")
        String orders(@RequestParam String tenant) throws InterruptedException {
            return orders.ordersOf(tenant);
        }

        @GetMapping("/strict")
        String strict(@RequestParam String tenant) throws InterruptedException {
            return orders.ordersAtOnce(tenant);
        }

        @GetMapping("/mail")
        CompletableFuture<String> mail(@RequestParam String tenant) throws InterruptedException {
            return orders.mail(tenant);
        }

        /** Limited by the filter. */
        @GetMapping("/api/{name}")
        String limitedByFilter(@PathVariable String name) throws InterruptedException {
            gate.pass(name);
            return name;
        }

        /** Submits a task as soon as the gate is open. */
        @GetMapping("/task")
        String task(@RequestParam String tenant) throws InterruptedException, ExecutionException {
            gate.pass(tenant);
            return executor.submit(tenant, "request", () -> "done").get();
        }
    }
}
