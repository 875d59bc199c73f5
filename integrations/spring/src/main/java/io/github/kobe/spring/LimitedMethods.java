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
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.format.datetime.standard.DurationFormatterUtils;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** The methods of a bean factory that have a {@link GroupLimit}. Checks the annotations. Safe for use by several threads. */
final class LimitedMethods {

    private static final System.Logger LOG = System.getLogger(GroupLimit.class.getName());

    private final BeanFactory beans;
    private final UnaryOperator<@Nullable String> placeholders;
    private final boolean announce;
    private final KeyExpressions keys;
    private final Map<Class<?>, List<LimitedMethod>> byClass = new ConcurrentHashMap<>();
    private volatile boolean singletonsExist;

    LimitedMethods(ConfigurableBeanFactory beans, UnaryOperator<@Nullable String> placeholders, boolean announce) {
        this.beans = beans;
        this.placeholders = placeholders;
        this.announce = announce;
        this.keys = new KeyExpressions(beans, beans.getBeanClassLoader());
    }

    /** Returns the annotation that applies to a method: its own, or that of the class. */
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

    /**
     * Returns the limited methods of a class.
     *
     * @param proxy how callers reach the methods
     * @throws InvalidGroupLimitException if an annotation cannot take effect
     */
    List<LimitedMethod> of(Class<?> targetClass, Advised proxy) {
        List<LimitedMethod> methods = byClass.get(targetClass);
        if (methods == null) {
            methods = create(targetClass, proxy);
            byClass.put(targetClass, methods);
        }
        if (singletonsExist) {
            methods.forEach(LimitedMethod::executor);
        }
        return methods;
    }

    /** Looks up the executors of all methods known so far; from now on, those of a method when it becomes known. */
    void lookUpExecutors() {
        singletonsExist = true;
        byClass.values().forEach(methods -> methods.forEach(LimitedMethod::executor));
    }

    private List<LimitedMethod> create(Class<?> targetClass, Advised proxy) {
        Map<Method, GroupLimit> annotated =
                MethodIntrospector.selectMethods(targetClass, (Method method) -> find(method, targetClass));
        Set<Method> reachable = proxy.isProxyTargetClass() ? null : interfaceMethods(proxy, targetClass);
        List<LimitedMethod> methods = new ArrayList<>();
        List<String> finalMethods = new ArrayList<>();
        annotated.forEach((method, limit) -> {
            String obstacle = obstacle(method, targetClass, reachable);
            if (obstacle == null) {
                methods.add(create(method, limit));
            } else if (findOwn(method) != null) {
                throw new InvalidGroupLimitException(method, "", "", "it has no effect, because " + obstacle, null);
            } else if (reachable == null
                    && Modifier.isPublic(method.getModifiers())
                    && Modifier.isFinal(method.getModifiers())) {
                finalMethods.add(method.getName());
            }
        });
        if (!finalMethods.isEmpty()) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "@GroupLimit on {0} has no effect on its final methods: {1}",
                    targetClass.getName(),
                    finalMethods);
        }
        return List.copyOf(methods);
    }

    // ---- what a proxy intercepts ---------------------------------------------------------------------------------

    /** The methods that a proxy with interfaces has; {@code null} if it has none, and is a subclass. */
    private static @Nullable Set<Method> interfaceMethods(Advised proxy, Class<?> targetClass) {
        if (proxy.getProxiedInterfaces().length == 0) {
            return null;
        }
        Set<Method> methods = new HashSet<>();
        for (Class<?> type : proxy.getProxiedInterfaces()) {
            for (Method method : type.getMethods()) {
                methods.add(method);
                methods.add(AopUtils.getMostSpecificMethod(method, targetClass));
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
                    : "the proxy of the bean has only the methods of its interfaces. Add the method to one of them, or"
                            + " set proxyTargetClass";
        }
        return Modifier.isFinal(modifiers) ? "it is final, and the proxy, a subclass, cannot intercept it" : null;
    }

    // ---- attributes ----------------------------------------------------------------------------------------------

    private LimitedMethod create(Method method, GroupLimit limit) {
        ReturnKind kind = ReturnKind.of(method);
        GroupKey key = keys.parse(method, resolve(method, "group", limit.group()), limit.key());
        PermitOptions.Builder options = PermitOptions.builder()
                .taskId(ClassUtils.getShortName(method.getDeclaringClass()) + "." + method.getName())
                .announce(announce);
        Duration maxWait = maxWait(method, limit.maxWait());
        if (maxWait != null) {
            options.maxWait(maxWait);
        }
        options.cost(cost(method, limit.cost()));
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

    private int cost(Method method, String value) {
        String text = resolve(method, "cost", value);
        if (text.isEmpty()) {
            return 1;
        }
        int cost;
        try {
            cost = Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw new InvalidGroupLimitException(method, "cost", value, "it is no number of permits", e);
        }
        if (cost < 1) {
            throw new InvalidGroupLimitException(method, "cost", value, "it is less than 1", null);
        }
        return cost;
    }

    private GroupExecutor executor(Method method, String name) {
        try {
            return name.isEmpty() ? beans.getBean(GroupExecutor.class) : beans.getBean(name, GroupExecutor.class);
        } catch (NoUniqueBeanDefinitionException e) {
            throw new InvalidGroupLimitException(
                    method, "executor", name, "there are several, and none is primary: " + e.getBeanNamesFound(), e);
        } catch (BeansException e) {
            throw new InvalidGroupLimitException(method, "executor", name, String.valueOf(e.getMessage()), e);
        }
    }
}
