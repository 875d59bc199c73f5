package io.github.kobe.spring;

import io.github.kobe.TaskLifecycleListener;
import java.lang.reflect.Method;
import java.util.Objects;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.context.EmbeddedValueResolverAware;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.StringValueResolver;

/**
 * Puts {@link GroupLimit} into effect: it gives each bean with the annotation a proxy, or adds to the proxy that the bean has. Attributes are
 * checked when the bean is created. Executors are looked up when all singletons exist, or at the first call, so that they may depend on beans with
 * limits.
 *
 * <p>An advice of a processor with a higher order is further outside. The default is just below {@link Ordered#LOWEST_PRECEDENCE}, the order of
 * Spring's own processors for {@code @Async}, {@code @Retryable} and {@code @ConcurrencyLimit}: they are outside the limit. Transactions, caches and
 * everything else that has its proxy from an auto-proxy creator are inside.
 */
@SuppressWarnings("serial") // a superclass is serializable, this is not
@ImportRuntimeHints(GroupLimitBeanPostProcessor.ExpressionHints.class)
public final class GroupLimitBeanPostProcessor extends AbstractBeanFactoryAwareAdvisingPostProcessor
        implements EmbeddedValueResolverAware, SmartInitializingSingleton {

    /** The order if none is set. */
    public static final int DEFAULT_ORDER = Ordered.LOWEST_PRECEDENCE - 1;

    /** The advice of the advisor that decides which beans need a proxy. It stands for those of the methods and is never called. */
    private static final MethodInterceptor NONE = MethodInvocation::proceed;

    private @Nullable StringValueResolver placeholders;
    private @Nullable LimitedMethods methods;
    private boolean announce;

    /** Creates a processor, which needs a bean factory before it can do anything. */
    public GroupLimitBeanPostProcessor() {
        setBeforeExistingAdvisors(true);
        setOrder(DEFAULT_ORDER);
        advisor = new DefaultPointcutAdvisor(new Annotated(), NONE);
    }

    /**
     * Sets whether the {@link TaskLifecycleListener} of an executor is called for calls, as for tasks; see
     * {@link io.github.kobe.PermitOptions.Builder#announce}. Default no.
     */
    public void setAnnounce(boolean yes) {
        announce = yes;
    }

    @Override
    public void setEmbeddedValueResolver(StringValueResolver resolver) {
        placeholders = resolver;
    }

    private @Nullable String resolve(@Nullable String text) {
        return placeholders == null || text == null ? text : placeholders.resolveStringValue(text);
    }

    @Override
    protected void customizeProxyFactory(ProxyFactory proxyFactory) {
        limitMethods(proxyFactory);
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        Object processed = super.postProcessAfterInitialization(bean, beanName);
        if (processed instanceof Advised proxy) {
            limitMethods(proxy);
        }
        return processed;
    }

    /** Replaces the advisor that stands for all methods by one for each method. */
    private void limitMethods(Advised proxy) {
        int position = advisor == null ? -1 : proxy.indexOf(advisor);
        if (position < 0) {
            return;
        }
        proxy.removeAdvisor(position);
        for (LimitedMethod method : methods().of(AopUtils.getTargetClass(proxy), proxy)) {
            proxy.addAdvisor(position, method.advisor());
        }
    }

    private LimitedMethods methods() {
        if (methods == null) {
            methods = new LimitedMethods(Objects.requireNonNull(beanFactory, "beanFactory"), this::resolve, announce);
        }
        return methods;
    }

    @Override
    public void afterSingletonsInstantiated() {
        methods().lookUpExecutors();
    }

    private static final class Annotated extends StaticMethodMatcherPointcut {

        Annotated() {
            setClassFilter(type -> AnnotationUtils.isCandidateClass(type, GroupLimit.class));
        }

        @Override
        public boolean matches(Method method, Class<?> targetClass) {
            return LimitedMethods.find(method, targetClass) != null;
        }
    }

    /** An expression may refer to all properties of its root. */
    static final class ExpressionHints implements RuntimeHintsRegistrar {

        @Override
        public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
            hints.reflection().registerType(KeyExpressions.CallRoot.class, MemberCategory.INVOKE_PUBLIC_METHODS);
        }
    }
}
