package io.github.kobe.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.GroupExecutor;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.AliasFor;
import org.springframework.core.env.MapPropertySource;

/** To which group does a call belong? */
class GroupLimitKeyTest {

    private AnnotationConfigApplicationContext context;
    private Service service;

    @BeforeEach
    void start() {
        context = new AnnotationConfigApplicationContext();
        context.getEnvironment()
                .getPropertySources()
                .addFirst(new MapPropertySource("test", Map.of("orders.group", "configured")));
        context.registerBean(
                GroupExecutor.class,
                () -> GroupExecutor.newVirtualThreadExecutor(SpringKit.limit(1).build()));
        context.register(SpringKit.Limits.class, Service.class, Tenants.class);
        SpringKit.refresh(context);
        service = context.getBean(Service.class);
    }

    @AfterEach
    void stop() {
        context.close();
    }

    @Test
    void aGroupAloneIsTheKey() {
        assertThat(service.literal()).isEqualTo("orders");
    }

    @Test
    void aPlaceholderInTheGroupIsResolved() {
        assertThat(service.placeholder()).isEqualTo("configured-orders");
    }

    @Test
    void groupAndKeyAreJoinedByAColon() {
        assertThat(service.byName("acme")).isEqualTo("orders:acme");
    }

    @Test
    void aKeyAloneIsTheKey() {
        assertThat(service.keyAlone("acme")).isEqualTo("acme");
    }

    @Test
    void argumentsHavePositions() {
        assertThat(service.byPosition("first", "second")).isEqualTo("second");
        assertThat(service.byOtherPosition("first", "second")).isEqualTo("first");
    }

    @Test
    void theKeyMayBeAPropertyOfAnArgument() {
        assertThat(service.byProperty(new Order("acme"))).isEqualTo("orders:acme");
    }

    @Test
    void aCompiledExpressionHasTheSameValue() {
        for (int i = 0; i < 1_000; i++) { // SpEL compiles an expression after some calls
            assertThat(service.byProperty(new Order("tenant-" + i))).isEqualTo("orders:tenant-" + i);
        }
        assertThatIllegalArgumentException().isThrownBy(() -> service.byProperty(null));
        assertThat(service.byProperty(new Order("acme"))).isEqualTo("orders:acme");
    }

    @Test
    void theKeyMayCallABean() {
        assertThat(service.byBean("acme")).isEqualTo("gold");
    }

    @Test
    void theRootHasMethodTargetAndArguments() {
        assertThat(service.byRoot("acme")).isEqualTo("byRoot-Service-Service-acme-byRoot");
    }

    @Test
    void theKeyMayBeComputed() {
        assertThat(service.computed("Acme", 7)).isEqualTo("acme-7");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a/b", "ü", " ", "", "a:b", "line\nbreak", "#{1}", "${orders.group}"})
    void everyTextIsAKey(String tenant) {
        assertThat(service.byName(tenant)).isEqualTo("orders:" + tenant);
        assertThat(service.keyAlone(tenant)).isEqualTo(tenant);
    }

    @Test
    void otherSimpleValuesAreKeys() {
        UUID id = UUID.randomUUID();
        assertThat(service.any(42)).isEqualTo("orders:42");
        assertThat(service.any(Thread.State.NEW)).isEqualTo("orders:NEW");
        assertThat(service.any(id)).isEqualTo("orders:" + id);
        assertThat(service.any(new StringBuilder("text"))).isEqualTo("orders:text");
        assertThat(service.any(Optional.of("acme"))).isEqualTo("orders:acme");
    }

    @Test
    void aNullKeyIsAnExceptionThatNamesTheMethod() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> service.byName(null))
                .withMessageContaining("GroupLimitKeyTest$Service.byName(String)")
                .withMessageContaining("\"#tenant\"")
                .withMessageContaining("is null");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> service.byProperty(new Order(null)))
                .withMessageContaining("byProperty(Order)")
                .withMessageContaining("is null");
        assertThatIllegalArgumentException().isThrownBy(() -> service.any(Optional.empty()));
    }

    @Test
    void anObjectWithoutATextOfItsOwnIsNoKey() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> service.any(new Object[] {"acme"}))
                .withMessageContaining("any(Object)")
                .withMessageContaining("Object;");
        assertThatIllegalArgumentException().isThrownBy(() -> service.any(new Order("acme")));
    }

    @Test
    void anExpressionThatFailsIsAnExceptionThatNamesTheMethod() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> service.byProperty(null))
                .withMessageContaining("byProperty(Order)")
                .withMessageContaining("#order.tenant");
    }

    @Test
    void whatABeanThrowsReachesTheCaller() {
        assertThatThrownBy(() -> service.byBean("unknown")).isInstanceOf(UnknownTenantException.class);
    }

    @Test
    void aFailedKeyTakesNoPermit() {
        assertThatIllegalArgumentException().isThrownBy(() -> service.byName(null));
        assertThat(SpringKit.executor(context).stats().totalActiveCount()).isZero();
    }

    @Test
    void anAnnotationOnAnAnnotationApplies() {
        assertThat(service.composed("acme")).isEqualTo("composed:acme");
        assertThat(service.composedWithGroup("acme")).isEqualTo("special:acme");
    }

    record Order(String tenant) {}

    @Retention(RetentionPolicy.RUNTIME)
    @GroupLimit(key = "#tenant")
    @interface PerTenant {
        @AliasFor(annotation = GroupLimit.class)
        String group() default "composed";
    }

    static final class UnknownTenantException extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    @Configuration("tenants")
    static class Tenants {
        public String planOf(String tenant) {
            if (tenant.equals("unknown")) {
                throw new UnknownTenantException();
            }
            return "gold";
        }
    }

    /** Each method returns the key of its group. */
    static class Service {

        @Autowired
        GroupExecutor groups;

        private String group() {
            return groups.groups()
                    .filter(stats -> groups.holds(stats.groupKey()))
                    .findFirst()
                    .orElseThrow()
                    .groupKey();
        }

        @GroupLimit(group = "orders")
        String literal() {
            return group();
        }

        @GroupLimit(group = "${orders.group}-orders")
        String placeholder() {
            return group();
        }

        @GroupLimit(group = "orders", key = "#tenant")
        String byName(String tenant) {
            return group();
        }

        @GroupLimit(key = "#tenant")
        String keyAlone(String tenant) {
            return group();
        }

        @GroupLimit(key = "#p1")
        String byPosition(String first, String second) {
            return group();
        }

        @GroupLimit(key = "#a0")
        String byOtherPosition(String first, String second) {
            return group();
        }

        @GroupLimit(group = "orders", key = "#order.tenant")
        String byProperty(Order order) {
            return group();
        }

        @GroupLimit(key = "@tenants.planOf(#tenant)")
        String byBean(String tenant) {
            return group();
        }

        @GroupLimit(
                key = "#root.methodName + '-' + #root.targetClass.simpleName + '-' + #root.target.class.simpleName"
                        + " + '-' + #root.args[0] + '-' + method.name")
        String byRoot(String tenant) {
            return group();
        }

        @GroupLimit(key = "#tenant.toLowerCase() + '-' + #shard")
        String computed(String tenant, int shard) {
            return group();
        }

        @GroupLimit(group = "orders", key = "#value")
        String any(Object value) {
            return group();
        }

        @PerTenant
        String composed(String tenant) {
            return group();
        }

        @PerTenant(group = "special")
        String composedWithGroup(String tenant) {
            return group();
        }
    }
}
