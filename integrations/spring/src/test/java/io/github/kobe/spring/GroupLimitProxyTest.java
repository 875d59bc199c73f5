package io.github.kobe.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.kobe.GroupExecutor;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;

/** Is a limit in effect behind every kind of proxy? If it cannot be, does the application say so at start? */
class GroupLimitProxyTest {

    private static AnnotationConfigApplicationContext context(Class<?>... beans) {
        return SpringKit.context(SpringKit.limit(1), beans);
    }

    @Test
    void aBeanWithAnInterfaceHasAJdkProxy() {
        try (AnnotationConfigApplicationContext context = context(OnImplementation.class)) {
            Orders orders = context.getBean(Orders.class);
            assertThat(AopUtils.isJdkDynamicProxy(orders)).isTrue();
            assertThat(orders.holds("acme")).isTrue();
        }
    }

    @Test
    void anAnnotationOnTheInterfaceApplies() {
        try (AnnotationConfigApplicationContext context = context(OnInterfaceImpl.class)) {
            assertThat(context.getBean(OnInterface.class).holds("acme")).isTrue();
            assertThat(context.getBean(OnInterface.class).byDefault("acme")).isTrue();
        }
    }

    @Test
    void aGenericMethodIsLimitedOnceThroughItsBridge() {
        try (AnnotationConfigApplicationContext context = context(GenericImpl.class)) {
            @SuppressWarnings("unchecked")
            Generic<String> generic = context.getBean(Generic.class);
            assertThat(generic.holds("acme")).isTrue();
        }
    }

    @Test
    void aBeanWithoutAnInterfaceHasASubclassProxy() {
        try (AnnotationConfigApplicationContext context = context(NoInterface.class)) {
            NoInterface bean = context.getBean(NoInterface.class);
            assertThat(AopUtils.isCglibProxy(bean)).isTrue();
            assertThat(bean.holds("acme")).isTrue();
            assertThat(bean.protectedHolds("acme")).isTrue();
            assertThat(bean.unlimited("acme")).isFalse();
        }
    }

    @Test
    void proxyTargetClassMakesSubclassProxies() {
        AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
        context.registerBean(
                GroupExecutor.class,
                () -> GroupExecutor.newVirtualThreadExecutor(SpringKit.limit(1).build()));
        context.register(SubclassProxies.class, OnImplementation.class);
        try (context) {
            SpringKit.refresh(context);
            assertThat(AopUtils.isCglibProxy(context.getBean(Orders.class))).isTrue();
            assertThat(context.getBean(OnImplementation.class).holds("acme")).isTrue();
        }
    }

    @Test
    void twoBeansThatShareAnInterfaceHaveTheirOwnLimits() {
        try (AnnotationConfigApplicationContext context = context(OnImplementation.class, OtherImplementation.class)) {
            assertThat(context.getBean("groupLimitProxyTest.OnImplementation", Orders.class)
                            .holds("acme"))
                    .isTrue();
            assertThat(context.getBean("groupLimitProxyTest.OtherImplementation", Orders.class)
                            .holds("acme"))
                    .isFalse();
            assertThat(context.getBean("groupLimitProxyTest.OtherImplementation", Orders.class)
                            .holds("other:acme"))
                    .isTrue();
        }
    }

    @Test
    void aProxyWithoutATargetIsLimited() {
        try (AnnotationConfigApplicationContext context = context(Client.class)) {
            OnInterface client = context.getBean(OnInterface.class);
            assertThat(Proxy.isProxyClass(client.getClass())).isTrue();
            assertThat(client.holds("acme")).isTrue();
        }
    }

    @Test
    void beansThatAreCreatedLaterAreLimited() {
        try (AnnotationConfigApplicationContext context = context(Prototype.class, LazyBean.class)) {
            assertThat(context.getBean(Prototype.class).holds("acme")).isTrue();
            assertThat(context.getBean(Prototype.class).holds("acme")).isTrue();
            assertThat(context.getBean(LazyBean.class).holds("acme")).isTrue();
        }
    }

    @Test
    void aBeanWithoutAnAnnotationHasNoProxy() {
        try (AnnotationConfigApplicationContext context = context(Unannotated.class)) {
            assertThat(context.getBean(Unannotated.class)).isNotInstanceOf(Advised.class);
        }
    }

    @Test
    void aCallOfAMethodOfTheSameObjectIsNotLimited() {
        try (AnnotationConfigApplicationContext context = context(NoInterface.class)) {
            assertThat(context.getBean(NoInterface.class).callsItself("acme")).isFalse();
        }
    }

    private static void assertFails(Class<?> bean, String method, String reason) {
        assertThatExceptionOfType(BeanCreationException.class)
                .isThrownBy(() -> context(bean))
                .havingRootCause()
                .isInstanceOf(InvalidGroupLimitException.class)
                .withMessageContaining(bean.getName() + "." + method)
                .withMessageContaining(reason);
    }

    @Test
    void aMethodThatNoProxyInterceptsFailsAtStart() {
        assertFails(FinalMethod.class, "load()", "it is final");
        assertFails(PrivateMethod.class, "load()", "it is private");
        assertFails(StaticMethod.class, "load()", "it is static");
        assertFails(NotInInterface.class, "load()", "the methods of its interfaces");
    }

    @Test
    void finalMethodsOfAnAnnotatedClassAreReported() {
        List<String> lines = new ArrayList<>();
        Logger logger = Logger.getLogger(GroupLimit.class.getName());
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord line) {
                lines.add(new SimpleFormatter().formatMessage(line));
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        logger.addHandler(handler);
        try (AnnotationConfigApplicationContext context = context(FinalInLimitedClass.class)) {
            assertThat(context.getBean(FinalInLimitedClass.class).open()).isEqualTo("open");
            assertThat(lines)
                    .singleElement()
                    .asString()
                    .contains(FinalInLimitedClass.class.getName())
                    .contains("[closed]");
        } finally {
            logger.removeHandler(handler);
        }
    }

    interface Orders {
        boolean holds(String tenant);
    }

    static class OnImplementation implements Orders {
        @Autowired
        GroupExecutor groups;

        @Override
        @GroupLimit(key = "#tenant")
        public boolean holds(String tenant) {
            return groups.holds(tenant);
        }
    }

    static class OtherImplementation implements Orders {
        @Autowired
        GroupExecutor groups;

        @Override
        @GroupLimit(group = "other", key = "#tenant.substring(#tenant.indexOf(':') + 1)")
        public boolean holds(String tenant) {
            return groups.holds(tenant);
        }
    }

    interface OnInterface {
        @GroupLimit(key = "#tenant")
        boolean holds(String tenant);

        @GroupLimit(key = "#tenant")
        default boolean byDefault(String tenant) {
            return holds(tenant);
        }
    }

    static class OnInterfaceImpl implements OnInterface {
        @Autowired
        GroupExecutor groups;

        @Override
        public boolean holds(String tenant) {
            return groups.holds(tenant);
        }
    }

    interface Generic<T> {
        boolean holds(T key);
    }

    static class GenericImpl implements Generic<String> {
        @Autowired
        GroupExecutor groups;

        @Override
        @GroupLimit(key = "#tenant")
        public boolean holds(String tenant) {
            return groups.holds(tenant);
        }
    }

    static class NoInterface {
        @Autowired
        GroupExecutor groups;

        @GroupLimit(key = "#tenant")
        public boolean holds(String tenant) {
            return groups.holds(tenant);
        }

        @GroupLimit(key = "#tenant")
        protected boolean protectedHolds(String tenant) {
            return groups.holds(tenant);
        }

        public boolean unlimited(String tenant) {
            return groups.holds(tenant);
        }

        public boolean callsItself(String tenant) {
            return holds(tenant);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableGroupLimits(proxyTargetClass = true)
    static class SubclassProxies {}

    /** As clients that are made from an interface. */
    @Configuration(proxyBeanMethods = false)
    static class Client {
        @Bean
        OnInterface client(GroupExecutor groups) {
            return ProxyFactory.getProxy(
                    OnInterface.class, (MethodInterceptor) call -> groups.holds((String) call.getArguments()[0]));
        }
    }

    @Scope("prototype")
    static class Prototype extends NoInterface {}

    @Lazy
    static class LazyBean extends NoInterface {}

    static class Unannotated {
        void load() {}
    }

    static class FinalMethod {
        @GroupLimit(group = "orders")
        public final void load() {}
    }

    static class PrivateMethod {
        @GroupLimit(group = "orders")
        private void load() {}

        void callLoad() {
            load();
        }
    }

    static class StaticMethod {
        @GroupLimit(group = "orders")
        public static void load() {}
    }

    static class NotInInterface implements Runnable {
        @Override
        public void run() {}

        @GroupLimit(group = "orders")
        public void load() {}
    }

    @GroupLimit(group = "orders")
    static class FinalInLimitedClass {
        public final String closed() {
            return "closed";
        }

        public String open() {
            return "open";
        }
    }
}
