package io.github.kobe.benchmarks;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.benchmarks.Row.Promise;
import io.github.kobe.spring.EnableGroupLimits;
import io.github.kobe.spring.GroupLimit;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.resilience.annotation.ConcurrencyLimit;
import org.springframework.resilience.annotation.EnableResilientMethods;

/** What {@code @GroupLimit} costs a call that finds a free permit, compared with Spring's own {@code @ConcurrencyLimit} on the same method. */
final class SpringLimits {

    private static final int CALLS = 300_000;
    private static final int LIMIT = 1_000;
    private static final int TENANTS = 100;
    private static final String SPRING = "spring";

    /** A call does not wait, so the time of the processor is its cost, and other programs on the machine have less effect on it. */
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    /** Each is measured in its own JVM: code that has seen all of them is compiled less well. */
    private enum Limit {
        GROUP("@GroupLimit with a group", 1.5, Grouped.class),
        ARGUMENT("@GroupLimit with an argument as key, 100 keys", 3, KeyedByArgument.class),
        PROPERTY("@GroupLimit with a property of an argument as key, 100 keys", 3, KeyedByProperty.class);

        private final String title;
        private final double promise;
        private final Class<? extends Service> service;

        Limit(String title, double promise, Class<? extends Service> service) {
            this.title = title;
            this.promise = promise;
            this.service = service;
        }
    }

    private static final Limit[] LIMITS = Limit.values();

    private SpringLimits() {}

    static List<Row> rows(RunLength length) throws InterruptedException {
        List<Row> rows = new ArrayList<>();
        for (Limit limit : LIMITS) {
            Fork fork = Fork.run(
                    length.pick(3, 1), SpringLimits.class, length.pick(20, 10), length.pick(20, 10), limit.ordinal());
            rows.add(new Row(
                    limit.title + ", with room, against @ConcurrencyLimit",
                    Unit.COST_RATIO,
                    null,
                    fork.ratio(limit.name(), SPRING),
                    Promise.atMost(limit.promise)));
        }
        return rows;
    }

    static List<LibraryWorkload> libraryWorkloads(RunLength length) {
        return Stream.of(LIMITS)
                .map(limit -> new LibraryWorkload(limit.title + ", with room, per call", Unit.NANOS, () -> {
                    try (AnnotationConfigApplicationContext context = context(limit.service)) {
                        return nanosPerCall(context);
                    }
                }))
                .toList();
    }

    /** The forked JVM. Arguments: warm-up rounds, rounds, the limit. */
    public static void main(String[] args) {
        Limit limit = LIMITS[Integer.parseInt(args[2])];
        int warmups = Integer.parseInt(args[0]);
        int rounds = Integer.parseInt(args[1]);
        try (AnnotationConfigApplicationContext spring = context(Throttled.class);
                AnnotationConfigApplicationContext groups = context(limit.service)) {
            for (int round = -warmups; round < rounds; round++) {
                boolean springFirst = round % 2 == 0;
                double first = nanosPerCall(springFirst ? spring : groups);
                double second = nanosPerCall(springFirst ? groups : spring);
                if (round >= 0) {
                    Fork.print(SPRING, springFirst ? first : second);
                    Fork.print(limit.name(), springFirst ? second : first);
                }
            }
        }
    }

    private static AnnotationConfigApplicationContext context(Class<? extends Service> service) {
        return new AnnotationConfigApplicationContext(Limits.class, service);
    }

    private static double nanosPerCall(AnnotationConfigApplicationContext context) {
        Service service = context.getBean(Service.class);
        Order[] orders = new Order[TENANTS];
        for (int i = 0; i < TENANTS; i++) {
            orders[i] = new Order("tenant-" + i);
        }
        System.gc();
        int sum = 0;
        int tenant = 0;
        long start = THREADS.getCurrentThreadCpuTime();
        for (int i = 0; i < CALLS; i++) {
            sum += service.handle(orders[tenant].tenant(), orders[tenant]);
            tenant = tenant + 1 == TENANTS ? 0 : tenant + 1; // a division would be part of the measured time
        }
        long nanos = THREADS.getCurrentThreadCpuTime() - start;
        if (sum != CALLS) {
            throw new IllegalStateException(sum + " calls of " + CALLS);
        }
        return (double) nanos / CALLS;
    }

    /** What callers hand over. */
    public record Order(String tenant) {}

    /** The bean that is called. */
    public interface Service {
        int handle(String tenant, Order order);
    }

    /** Spring's own limit. */
    public static class Throttled implements Service {
        @Override
        @ConcurrencyLimit(LIMIT)
        public int handle(String tenant, Order order) {
            return 1;
        }
    }

    /** One group for all calls. */
    public static class Grouped implements Service {
        @Override
        @GroupLimit(group = "orders")
        public int handle(String tenant, Order order) {
            return 1;
        }
    }

    /** A group for each tenant. */
    public static class KeyedByArgument implements Service {
        @Override
        @GroupLimit(group = "orders", key = "#tenant")
        public int handle(String tenant, Order order) {
            return 1;
        }
    }

    /** A group for each tenant. */
    public static class KeyedByProperty implements Service {
        @Override
        @GroupLimit(group = "orders", key = "#order.tenant")
        public int handle(String tenant, Order order) {
            return 1;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableGroupLimits(proxyTargetClass = true)
    @EnableResilientMethods(proxyTargetClass = true) // 7.0.9 does not find the annotation behind a JDK proxy
    static class Limits {
        @Bean
        GroupExecutor groups() {
            return GroupExecutor.newVirtualThreadExecutor(
                    GroupPolicy.builder().defaultMaxConcurrencyPerGroup(LIMIT).build());
        }
    }
}
