package io.github.kobe.spring;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupStats;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;

/** Application contexts with limits. */
final class SpringKit {

    @Configuration(proxyBeanMethods = false)
    @EnableGroupLimits
    static class Limits {}

    private SpringKit() {}

    /** Returns a context with one executor and some beans. Closing the context closes the executor. */
    static AnnotationConfigApplicationContext context(GroupPolicy.Builder policy, Class<?>... beans) {
        AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
        context.registerBean(
                "groups", GroupExecutor.class, () -> GroupExecutor.newVirtualThreadExecutor(policy.build()));
        context.register(Limits.class);
        if (beans.length > 0) {
            context.register(beans);
        }
        return refresh(context);
    }

    static AnnotationConfigApplicationContext refresh(AnnotationConfigApplicationContext context) {
        try {
            context.refresh();
        } catch (RuntimeException e) {
            context.close();
            throw e;
        }
        return context;
    }

    /** A limit for each group, and no queue. */
    static GroupPolicy.Builder limit(int limit) {
        return GroupPolicy.builder().defaultMaxConcurrencyPerGroup(limit).defaultQueueThresholdPerGroup(0);
    }

    static GroupExecutor executor(AnnotationConfigApplicationContext context) {
        return context.getBean(GroupExecutor.class);
    }

    static int active(GroupExecutor executor, String group) {
        return executor.groupStats(group).map(GroupStats::activeCount).orElse(0);
    }

    static int queued(GroupExecutor executor, String group) {
        return executor.groupStats(group).map(GroupStats::queuedCount).orElse(0);
    }
}
