package io.github.kobe.spring;

import io.github.kobe.TaskLifecycleListener;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.context.EmbeddedValueResolverAware;
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
public final class GroupLimitBeanPostProcessor extends AbstractBeanFactoryAwareAdvisingPostProcessor
        implements EmbeddedValueResolverAware, SmartInitializingSingleton {

    /** The order if none is set. */
    public static final int DEFAULT_ORDER = Ordered.LOWEST_PRECEDENCE - 1;

    private @Nullable StringValueResolver placeholders;
    private @Nullable LimitedMethods methods;
    private boolean announce;

    /** Creates a processor, which needs a bean factory before it can do anything. */
    public GroupLimitBeanPostProcessor() {
        setBeforeExistingAdvisors(true);
        setOrder(DEFAULT_ORDER);
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

    @Override
    public void setBeanFactory(BeanFactory beanFactory) {
        super.setBeanFactory(beanFactory);
        LimitedMethods limited = new LimitedMethods(beanFactory, this::resolve, () -> announce);
        methods = limited;
        advisor = new DefaultPointcutAdvisor(new Annotated(), limited);
    }

    private @Nullable String resolve(@Nullable String text) {
        return placeholders == null || text == null ? text : placeholders.resolveStringValue(text);
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        Object processed = super.postProcessAfterInitialization(bean, beanName);
        if (methods != null && processed instanceof Advised && isEligible(AopUtils.getTargetClass(processed))) {
            methods.prepare(processed, AopUtils.getTargetClass(processed));
        }
        return processed;
    }

    @Override
    public void afterSingletonsInstantiated() {
        if (methods != null) {
            methods.lookUpExecutors();
        }
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
}
