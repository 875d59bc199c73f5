package io.github.kobe.spring.boot;

import io.github.kobe.GroupExecutor;
import java.util.Arrays;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;

/** Finds the executor that a property names. */
final class ExecutorChoice {

    private ExecutorChoice() {}

    /**
     * Returns the bean of type {@link GroupExecutor} of that name; without a name, the only one or the primary one.
     *
     * @param property the property that has the name
     * @param name may be empty
     */
    static GroupExecutor find(ListableBeanFactory beans, String property, String name) {
        try {
            return name.isEmpty() ? beans.getBean(GroupExecutor.class) : beans.getBean(name, GroupExecutor.class);
        } catch (NoSuchBeanDefinitionException e) {
            String names =
                    Arrays.toString(BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, GroupExecutor.class));
            throw new ConfigurationMistakeException(
                    name.isEmpty()
                            ? "Property '" + property + "' is not set, and of the beans of type GroupExecutor " + names
                                    + " none is primary."
                            : "Property '" + property + "' is '" + name + "', but the beans of type GroupExecutor are "
                                    + names + ".",
                    "Set '" + property
                            + "' to one of these names, or add an executor to 'group-concurrency.executors'.",
                    e);
        }
    }
}
