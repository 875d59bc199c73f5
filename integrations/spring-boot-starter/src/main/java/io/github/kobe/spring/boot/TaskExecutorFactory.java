package io.github.kobe.spring.boot;

import io.github.kobe.GroupExecutor;
import io.github.kobe.spring.GroupTaskExecutor;
import io.github.kobe.spring.boot.GroupConcurrencyProperties.TaskExecutor;
import java.util.Objects;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.core.task.TaskDecorator;

/** Creates the task executors of the properties. {@link ExecutorRegistrar} registers beans whose factory method is here. */
final class TaskExecutorFactory {

    /** The name of the bean. */
    static final String BEAN_NAME = "groupConcurrencyTaskExecutors";

    private final GroupConcurrencyProperties properties;
    private final ListableBeanFactory beans;
    private final ObjectProvider<TaskDecorator> decorators;

    TaskExecutorFactory(
            GroupConcurrencyProperties properties,
            ListableBeanFactory beans,
            ObjectProvider<TaskDecorator> decorators) {
        this.properties = properties;
        this.beans = beans;
        this.decorators = decorators;
    }

    /** In the phase of its executor, so that draining both takes no longer than draining one. */
    GroupTaskExecutor groupTaskExecutor(String name) {
        TaskExecutor own = properties.taskExecutor(name);
        String path = CheckedProperties.path(GroupConcurrencyProperties.PREFIX, "task-executors", name, "executor")
                .toString();
        GroupExecutor executor = ExecutorChoice.find(beans, path, own.executor());
        GroupTaskExecutor.Builder builder = GroupTaskExecutor.builder(executor)
                .groupKey(Objects.requireNonNullElse(own.group(), name))
                .phase(ExecutorLifecycle.PHASE);
        decorators.orderedStream().forEach(builder::taskDecorator);
        return builder.build();
    }
}
