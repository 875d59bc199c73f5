package io.github.kobe.spring;

import io.github.kobe.GroupExecutor;
import io.github.kobe.PermitOptions;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.format.datetime.standard.DurationFormatterUtils;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** All methods with a {@link GroupLimit} of a bean factory, and the advice around them. Safe for use by several threads. */
final class LimitedMethods implements MethodInterceptor {

    private static final System.Logger LOG = System.getLogger(GroupLimitBeanPostProcessor.class.getName());

    private final BeanFactory beans;
    private final UnaryOperator<@Nullable String> placeholders;
    private final BooleanSupplier announce;
    private final KeyExpressions keys;
    private final Map<Class<?>, Map<Method, LimitedMethod>> byClass = new ConcurrentHashMap<>();
    private volatile boolean singletonsExist;

    LimitedMethods(BeanFactory beans, UnaryOperator<@Nullable String> placeholders, BooleanSupplier announce) {
        this.beans = beans;
        this.placeholders = placeholders;
        this.announce = announce;
        this.keys = new KeyExpressions(beans);
    }

    // ---- calls ---------------------------------------------------------------------------------------------------

    @Override
    public @Nullable Object invoke(MethodInvocation call) throws Throwable {
        Object target = call.getThis();
        Class<?> targetClass = target == null ? classWithoutTarget(call) : target.getClass();
        Method method = call.getMethod();
        Map<Method, LimitedMethod> known = byClass.get(targetClass);
        LimitedMethod limited = known == null ? null : known.get(method);
        return (limited == null ? create(method, targetClass) : limited).invoke(call);
    }

    /** Some proxies, such as clients made from an interface, have nothing behind them. */
    private static Class<?> classWithoutTarget(MethodInvocation call) {
        return call instanceof ProxyMethodInvocation invocation
                ? invocation.getProxy().getClass()
                : call.getMethod().getDeclaringClass();
    }

    private LimitedMethod create(Method method, Class<?> targetClass) {
        Map<Method, LimitedMethod> known = byClass.computeIfAbsent(targetClass, type -> new ConcurrentHashMap<>());
        Method specific = AopUtils.getMostSpecificMethod(method, targetClass);
        LimitedMethod limited = known.computeIfAbsent(specific, m -> create(m, find(m, targetClass)));
        known.put(method, limited);
        return limited;
    }

    // ---- start ---------------------------------------------------------------------------------------------------

    /** Returns the annotation that applies to a method, from the method or from the class. */
    static @Nullable GroupLimit find(Method method, Class<?> targetClass) {
        if (ReflectionUtils.isObjectMethod(method)) {
            return null;
        }
        GroupLimit own = findOwn(AopUtils.getMostSpecificMethod(method, targetClass));
        return own != null ? own : AnnotatedElementUtils.findMergedAnnotation(targetClass, GroupLimit.class);
    }

    private static @Nullable GroupLimit findOwn(Method method) {
        return AnnotatedElementUtils.findMergedAnnotation(method, GroupLimit.class);
    }

    /** Creates and checks the limits of all methods that callers reach through {@code proxy}. */
    void prepare(Object proxy, Class<?> targetClass) {
        if (byClass.containsKey(targetClass)) {
            return;
        }
        Map<Method, GroupLimit> annotated =
                MethodIntrospector.selectMethods(targetClass, (Method method) -> find(method, targetClass));
        Set<Method> reachable = AopUtils.isJdkDynamicProxy(proxy) ? interfaceMethods(proxy, targetClass) : null;
        List<String> finalMethods = new ArrayList<>();
        annotated.forEach((method, limit) -> {
            String obstacle = obstacle(method, targetClass, reachable);
            if (obstacle == null) {
                create(method, targetClass);
            } else if (findOwn(method) != null) {
                throw new InvalidGroupLimitException(method, "", "", "it has no effect, because " + obstacle, null);
            } else if (isCallable(method) && reachable == null) {
                finalMethods.add(InvalidGroupLimitException.describe(method));
            }
        });
        if (!finalMethods.isEmpty()) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "@GroupLimit on {0} has no effect on its final methods {1}",
                    targetClass.getName(),
                    finalMethods);
        }
        if (singletonsExist) {
            byClass.getOrDefault(targetClass, Map.of()).values().forEach(LimitedMethod::executor);
        }
    }

    private static Set<Method> interfaceMethods(Object proxy, Class<?> targetClass) {
        Set<Method> methods = new HashSet<>();
        for (Class<?> type : proxy.getClass().getInterfaces()) {
            for (Method method : type.getMethods()) {
                methods.add(AopUtils.getMostSpecificMethod(method, targetClass));
                methods.add(method);
            }
        }
        return methods;
    }

    /** Returns why a call never reaches the proxy; {@code null} if it does. */
    private static @Nullable String obstacle(Method method, Class<?> targetClass, @Nullable Set<Method> reachable) {
        int modifiers = method.getModifiers();
        if (Modifier.isPrivate(modifiers)) {
            return "it is private, and a proxy cannot intercept it";
        }
        if (Modifier.isStatic(modifiers)) {
            return "it is static, and a proxy cannot intercept it";
        }
        if (reachable != null) {
            return reachable.contains(method) || Proxy.isProxyClass(targetClass)
                    ? null
                    : "the proxy of the bean implements interfaces, and the method is in none of them."
                            + " Add it to one, or set proxyTargetClass";
        }
        return Modifier.isFinal(modifiers) ? "it is final, and the proxy, a subclass, cannot intercept it" : null;
    }

    private static boolean isCallable(Method method) {
        return Modifier.isPublic(method.getModifiers()) && !Modifier.isStatic(method.getModifiers());
    }

    /** Looks up the executors of all methods known so far; from now on, those of a method when it becomes known. */
    void lookUpExecutors() {
        singletonsExist = true;
        byClass.values().forEach(methods -> methods.values().forEach(LimitedMethod::executor));
    }

    // ---- attributes ----------------------------------------------------------------------------------------------

    private LimitedMethod create(Method method, @Nullable GroupLimit limit) {
        if (limit == null) {
            throw new IllegalStateException("no @GroupLimit on " + InvalidGroupLimitException.describe(method));
        }
        ReturnKind kind = ReturnKind.of(method);
        GroupKey key = keys.parse(method, resolve(method, "group", limit.group()), limit.key());
        PermitOptions.Builder options = PermitOptions.builder()
                .taskId(ClassUtils.getShortName(method.getDeclaringClass()) + "." + method.getName())
                .announce(announce.getAsBoolean());
        Duration maxWait = maxWait(method, limit.maxWait());
        if (maxWait != null) {
            options.maxWait(maxWait);
        }
        String executor = resolve(method, "executor", limit.executor());
        return new LimitedMethod(method, key, options.build(), kind, () -> executor(method, executor));
    }

    private String resolve(Method method, String attribute, String value) {
        String resolved;
        try {
            resolved = placeholders.apply(value);
        } catch (IllegalArgumentException e) {
            throw new InvalidGroupLimitException(method, attribute, value, String.valueOf(e.getMessage()), e);
        }
        if (resolved == null || resolved.contains("${")) {
            throw new InvalidGroupLimitException(
                    method, attribute, value, "it has a placeholder without a value", null);
        }
        return resolved.strip();
    }

    private @Nullable Duration maxWait(Method method, String value) {
        String text = resolve(method, "maxWait", value);
        if (text.isEmpty()) {
            return null;
        }
        Duration time;
        try {
            time = DurationFormatterUtils.detectAndParse(text);
        } catch (IllegalArgumentException e) {
            throw new InvalidGroupLimitException(
                    method, "maxWait", value, "it is no duration such as 500ms, 2s or PT2S", e);
        }
        if (time.isNegative()) {
            throw new InvalidGroupLimitException(method, "maxWait", value, "it is negative", null);
        }
        return time;
    }

    private GroupExecutor executor(Method method, String name) {
        try {
            return name.isEmpty() ? beans.getBean(GroupExecutor.class) : beans.getBean(name, GroupExecutor.class);
        } catch (NoSuchBeanDefinitionException e) {
            String problem = name.isEmpty()
                    ? "there is not exactly one bean of type GroupExecutor, and none is primary: " + e.getMessage()
                    : "there is no bean of that name: " + e.getMessage();
            throw new InvalidGroupLimitException(method, "executor", name, problem, e);
        } catch (BeansException e) {
            throw new InvalidGroupLimitException(method, "executor", name, String.valueOf(e.getMessage()), e);
        }
    }
}
