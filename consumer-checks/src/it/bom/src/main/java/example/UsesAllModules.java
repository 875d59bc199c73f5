package example;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.console.Console;
import io.github.kobe.context.MdcCarrier;
import io.github.kobe.micrometer.GroupExecutorMetrics;
import io.github.kobe.opentelemetry.TracingListener;
import io.github.kobe.spring.GroupTaskExecutor;
import io.github.kobe.spring.boot.GroupPolicyCustomizer;
import io.micrometer.core.instrument.MeterRegistry;
import io.opentelemetry.api.OpenTelemetry;
import org.springframework.core.task.AsyncTaskExecutor;

/** Uses each module, so that each of them, and what it depends on, must be on the class path. */
final class UsesAllModules {

    private UsesAllModules() {}

    static GroupPolicyCustomizer customizer(TracingListener tracing) {
        return (name, policy) -> policy.taskLifecycleListener(tracing);
    }

    static GroupExecutor executor(OpenTelemetry openTelemetry, MeterRegistry registry) {
        TracingListener tracing = TracingListener.create(openTelemetry);
        GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder()
                .taskLifecycleListener(tracing)
                .contextCarrier(MdcCarrier.create().andThen(tracing.carrier()))
                .build());
        GroupExecutorMetrics.monitor(registry, executor);
        return executor;
    }

    static Console console(GroupExecutor executor) {
        return Console.builder().add(executor).editable(true).start();
    }

    static AsyncTaskExecutor taskExecutor(GroupExecutor executor) {
        return GroupTaskExecutor.of(executor, "tasks");
    }
}
