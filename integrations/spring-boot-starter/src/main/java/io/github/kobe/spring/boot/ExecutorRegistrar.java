package io.github.kobe.spring.boot;

import io.github.kobe.GroupExecutor;
import io.github.kobe.isolation.IsolationExecutor;
import io.github.kobe.pool.WorkerPool;
import io.github.kobe.spring.GroupTaskExecutor;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.util.ClassUtils;

/**
 * Registers a bean for each executor and pool of the properties, with the name of its key. {@link ConfiguredExecutors} creates it from the properties of
 * that moment: ahead-of-time processing fixes the names of beans, and not their settings.
 *
 * <p>A bean has no destroy method. Spring would infer {@code close()}, which interrupts everything; {@link ExecutorLifecycle} does better.
 */
final class ExecutorRegistrar implements ImportBeanDefinitionRegistrar {

    private static final String DEFAULT = "default";

    private final Environment environment;

    ExecutorRegistrar(Environment environment) {
        this.environment = environment;
    }

    @Override
    public void registerBeanDefinitions(AnnotationMetadata metadata, BeanDefinitionRegistry registry) {
        GroupConcurrencyProperties properties = GroupConcurrencyProperties.bind(environment);
        requireConsole(properties);
        Map<String, String> sections = new HashMap<>();
        Set<String> executors = properties.executors().keySet();
        if (executors.isEmpty() && !hasExecutor(registry)) {
            executors = Set.of(DEFAULT);
        }
        for (String name : executors) {
            RootBeanDefinition executor = bean("executors", name, GroupExecutor.class, "groupExecutor", sections);
            executor.setPrimary(name.equals(DEFAULT) && executors.size() > 1);
            registry.registerBeanDefinition(name, executor);
        }
        for (String name : properties.pools().keySet()) {
            registry.registerBeanDefinition(name, bean("pools", name, WorkerPool.class, "workerPool", sections));
        }
        for (String name : properties.isolation().keySet()) {
            registry.registerBeanDefinition(
                    name, bean("isolation", name, IsolationExecutor.class, "isolationExecutor", sections));
        }
        for (String name : properties.taskExecutors().keySet()) {
            RootBeanDefinition taskExecutor =
                    bean("task-executors", name, GroupTaskExecutor.class, "groupTaskExecutor", sections);
            taskExecutor.setFactoryBeanName(TaskExecutorFactory.BEAN_NAME);
            taskExecutor.setDefaultCandidate(false); // else it would replace applicationTaskExecutor
            registry.registerBeanDefinition(name, taskExecutor);
        }
    }

    /** The console has an auto-configuration that needs its jar, and would not say that it is missing. */
    private static void requireConsole(GroupConcurrencyProperties properties) {
        if (properties.console().enabled()
                && !ClassUtils.isPresent("io.github.kobe.console.ConsoleHandler", ClassUtils.getDefaultClassLoader())) {
            throw new ConfigurationMistakeException(
                    "Property '" + GroupConcurrencyProperties.PREFIX
                            + ".console.enabled' is 'true', but the console is not on the class path.",
                    "Add the dependency io.github.kobe:group-concurrency-console.",
                    null);
        }
    }

    /** Whether the application defines an executor. Its definitions are registered before those of auto-configurations. */
    private static boolean hasExecutor(BeanDefinitionRegistry registry) {
        return registry instanceof ListableBeanFactory beans
                && BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, GroupExecutor.class, true, false).length
                        > 0;
    }

    private static RootBeanDefinition bean(
            String section, String name, Class<?> type, String factoryMethod, Map<String, String> sections) {
        String path = CheckedProperties.path(GroupConcurrencyProperties.PREFIX, section, name)
                .toString();
        String other = sections.putIfAbsent(name, path);
        if (other != null) {
            throw new ConfigurationMistakeException(
                    "The properties '" + path + ".*' and '" + other + ".*' would make two beans with the name '" + name
                            + "'.",
                    "Rename one of them.",
                    null);
        }
        RootBeanDefinition bean = new RootBeanDefinition(type);
        bean.setFactoryBeanName(ConfiguredExecutors.BEAN_NAME);
        bean.setFactoryMethodName(factoryMethod);
        bean.getConstructorArgumentValues().addIndexedArgumentValue(0, name);
        bean.setDestroyMethodName("");
        bean.setResourceDescription("properties '" + path + ".*'");
        return bean;
    }
}
