package io.github.kobe.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import java.util.concurrent.Flow;
import kotlin.coroutines.Continuation;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Primary;
import org.springframework.core.NestedExceptionUtils;
import reactor.core.publisher.ConnectableFlux;

/** Does a mistake in an annotation fail at start, with a message that names method, attribute and value? And where is the executor found? */
class GroupLimitStartTest {

    private static InvalidGroupLimitException failure(Class<?>... beans) {
        RuntimeException thrown =
                catchThrowableOfType(RuntimeException.class, () -> SpringKit.context(SpringKit.limit(1), beans));
        assertThat(thrown).as("thrown at start").isNotNull();
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            if (cause instanceof InvalidGroupLimitException invalid) {
                return invalid;
            }
        }
        throw new AssertionError("not the expected cause", NestedExceptionUtils.getMostSpecificCause(thrown));
    }

    private static void assertFails(Class<?> bean, String method, String attribute, String value, String problem) {
        InvalidGroupLimitException failure = failure(bean);
        assertThat(failure.method()).isEqualTo(bean.getName() + "." + method);
        assertThat(failure.attribute()).isEqualTo(attribute);
        assertThat(failure.value()).isEqualTo(value);
        assertThat(failure.problem()).contains(problem);
        assertThat(failure).hasMessageContaining(failure.method()).hasMessageContaining(problem);
        if (!attribute.isEmpty()) {
            assertThat(failure).hasMessageContaining(attribute + " = \"" + value + "\"");
        }
    }

    @Test
    void aKeyThatDoesNotParse() {
        assertFails(BadSyntax.class, "load(String)", "key", "#tenant.", "it does not parse");
        assertFails(BadToken.class, "load(String)", "key", "#tenant + 'open", "it does not parse");
    }

    @Test
    void aKeyThatNamesNoParameter() {
        assertFails(BadName.class, "load(String)", "key", "#tenat", "no parameter 'tenat', only [a0, p0, tenant]");
        assertFails(BadPosition.class, "load(String)", "key", "#p1", "no parameter 'p1'");
        assertFails(BadNested.class, "load(String)", "key", "'x'.concat(#tenat)", "no parameter 'tenat'");
        assertFails(BadFunction.class, "load(String)", "key", "#format(#tenant)", "function");
    }

    @Test
    void aClassWithAKeyThatAMethodHasNoParameterFor() {
        assertFails(BadClass.class, "other()", "key", "#tenant", "no parameter 'tenant'");
    }

    @Test
    void neitherGroupNorKey() {
        assertFails(Empty.class, "load(String)", "", "", "neither a group nor a key");
    }

    @Test
    void aGroupWithAColonAndAKey() {
        assertFails(Colon.class, "load(String)", "group", "orders:eu", "colon");
    }

    @Test
    void aPlaceholderWithoutAValue() {
        assertFails(BadPlaceholder.class, "load(String)", "group", "${no.such.property}", "placeholder");
    }

    @Test
    void aMaximumWaitThatIsNoDuration() {
        assertFails(BadWait.class, "load(String)", "maxWait", "soon", "no duration");
        assertFails(NegativeWait.class, "load(String)", "maxWait", "-1s", "negative");
    }

    @Test
    void aCostThatIsNoNumberOfPermits() {
        assertFails(BadCost.class, "load(String)", "cost", "much", "no number of permits");
        assertFails(NoCost.class, "load(String)", "cost", "0", "less than 1");
        assertFails(UnknownCost.class, "load(String)", "cost", "${no.such.cost}", "placeholder");
    }

    @Test
    void anExecutorThatDoesNotExist() {
        assertFails(NoExecutor.class, "load(String)", "executor", "reports", "reports");
        assertFails(WrongExecutor.class, "load(String)", "executor", "text", "GroupExecutor");
    }

    @Test
    void noExecutorAtAll() {
        AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
        context.register(SpringKit.Limits.class, Good.class);
        assertThatExceptionOfType(InvalidGroupLimitException.class)
                .isThrownBy(() -> SpringKit.refresh(context))
                .withMessageContaining("executor = \"\"")
                .withMessageContaining("GroupExecutor");
    }

    @Test
    void severalExecutorsOfWhichNoneIsPrimary() {
        InvalidGroupLimitException failure = failure(SecondExecutor.class, Good.class);
        assertThat(failure.attribute()).isEqualTo("executor");
        assertThat(failure.problem()).contains("several").contains("groups").contains("second");
    }

    @Test
    void aKotlinSuspendFunction() {
        assertFails(Suspending.class, "load(String, Continuation)", "", "", "Kotlin suspend function");
    }

    @Test
    void aReturnTypeThatIsAsynchronousAndNotSupported() {
        assertFails(JdkFlow.class, "load(String)", "", "", "java.util.concurrent.Flow$Publisher");
        assertFails(Connectable.class, "load(String)", "", "", "reactor.core.publisher.ConnectableFlux");
    }

    @Test
    void aLazyBeanFailsWhenItIsCreated() {
        try (AnnotationConfigApplicationContext context =
                SpringKit.context(SpringKit.limit(1), LazyWithoutExecutor.class)) {
            assertThatExceptionOfType(RuntimeException.class)
                    .isThrownBy(() -> context.getBean(LazyWithoutExecutor.class))
                    .havingRootCause()
                    .withMessageContaining("reports");
        }
    }

    @Test
    void theExecutorIsFoundByItsName() {
        try (AnnotationConfigApplicationContext context =
                SpringKit.context(SpringKit.limit(1), SecondExecutor.class, ByName.class)) {
            assertThat(context.getBean(ByName.class).holds()).isTrue();
        }
    }

    @Test
    void thePrimaryExecutorIsTheDefault() {
        try (AnnotationConfigApplicationContext context =
                SpringKit.context(SpringKit.limit(1), PrimaryExecutor.class, ByDefault.class)) {
            assertThat(context.getBean(ByDefault.class).holds()).isTrue();
        }
    }

    @Test
    void anExecutorMayDependOnABeanWithALimit() {
        AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
        context.register(SpringKit.Limits.class, Limited.class, DependentExecutor.class);
        try (context) {
            SpringKit.refresh(context);
            assertThat(context.getBean(Limited.class).limit("acme")).isEqualTo(7);
            assertThat(context.getBean(GroupExecutor.class)
                            .groupStats("acme")
                            .orElseThrow()
                            .limit())
                    .isEqualTo(7);
        }
    }

    static class Good {
        @GroupLimit(group = "orders")
        void load(String tenant) {}
    }

    static class BadSyntax {
        @GroupLimit(key = "#tenant.")
        void load(String tenant) {}
    }

    static class BadToken {
        @GroupLimit(key = "#tenant + 'open")
        void load(String tenant) {}
    }

    static class BadName {
        @GroupLimit(key = "#tenat")
        void load(String tenant) {}
    }

    static class BadPosition {
        @GroupLimit(key = "#p1")
        void load(String tenant) {}
    }

    static class BadNested {
        @GroupLimit(key = "'x'.concat(#tenat)")
        void load(String tenant) {}
    }

    static class BadFunction {
        @GroupLimit(key = "#format(#tenant)")
        void load(String tenant) {}
    }

    @GroupLimit(key = "#tenant")
    static class BadClass {
        void load(String tenant) {}

        void other() {}
    }

    static class Empty {
        @GroupLimit
        void load(String tenant) {}
    }

    static class Colon {
        @GroupLimit(group = "orders:eu", key = "#tenant")
        void load(String tenant) {}
    }

    static class BadPlaceholder {
        @GroupLimit(group = "${no.such.property}")
        void load(String tenant) {}
    }

    static class BadWait {
        @GroupLimit(group = "orders", maxWait = "soon")
        void load(String tenant) {}
    }

    static class NegativeWait {
        @GroupLimit(group = "orders", maxWait = "-1s")
        void load(String tenant) {}
    }

    static class BadCost {
        @GroupLimit(group = "orders", cost = "much")
        void load(String tenant) {}
    }

    static class NoCost {
        @GroupLimit(group = "orders", cost = "0")
        void load(String tenant) {}
    }

    static class UnknownCost {
        @GroupLimit(group = "orders", cost = "${no.such.cost}")
        void load(String tenant) {}
    }

    static class NoExecutor {
        @GroupLimit(group = "orders", executor = "reports")
        void load(String tenant) {}
    }

    @Configuration(proxyBeanMethods = false)
    static class WrongExecutor {
        @Bean
        static String text() {
            return "no executor";
        }

        @GroupLimit(group = "orders", executor = "text")
        void load(String tenant) {}
    }

    @Lazy
    static class LazyWithoutExecutor {
        @GroupLimit(group = "orders", executor = "reports")
        void load(String tenant) {}
    }

    /** What the Kotlin compiler makes of {@code suspend fun load(tenant: String)}. */
    static class Suspending {
        @GroupLimit(key = "#tenant")
        Object load(String tenant, Continuation<? super String> continuation) {
            return tenant;
        }
    }

    static class JdkFlow {
        @GroupLimit(key = "#tenant")
        Flow.Publisher<String> load(String tenant) {
            return subscriber -> {};
        }
    }

    static class Connectable {
        @GroupLimit(key = "#tenant")
        ConnectableFlux<String> load(String tenant) {
            throw new AssertionError("never called");
        }
    }

    private static GroupExecutor newExecutor() {
        return GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder().build());
    }

    @Configuration(proxyBeanMethods = false)
    static class SecondExecutor {
        @Bean
        GroupExecutor second() {
            return newExecutor();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class PrimaryExecutor {
        @Bean
        @Primary
        GroupExecutor preferred() {
            return newExecutor();
        }
    }

    static class ByName {
        @Autowired
        GroupExecutor second;

        @GroupLimit(group = "orders", executor = "second")
        boolean holds() {
            return second.holds("orders");
        }
    }

    static class ByDefault {
        @Autowired
        GroupExecutor preferred;

        @GroupLimit(group = "orders")
        boolean holds() {
            return preferred.holds("orders");
        }
    }

    static class Limited {
        @GroupLimit(key = "#tenant")
        int limit(String tenant) {
            return 7;
        }

        int unlimited() {
            return 7;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class DependentExecutor {
        @Bean
        GroupExecutor dependent(Limited limits) {
            return GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder()
                    .concurrencyResolver(key -> limits.unlimited())
                    .build());
        }
    }
}
