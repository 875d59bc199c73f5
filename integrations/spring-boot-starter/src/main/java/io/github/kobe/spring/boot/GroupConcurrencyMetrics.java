package io.github.kobe.spring.boot;

import io.github.kobe.GroupExecutor;
import io.github.kobe.fleet.Fleet;
import io.github.kobe.isolation.IsolationExecutor;
import io.github.kobe.micrometer.FleetMetrics;
import io.github.kobe.micrometer.GroupExecutorMetrics;
import io.github.kobe.micrometer.GroupTags;
import io.github.kobe.micrometer.IsolationMetrics;
import io.github.kobe.micrometer.WorkerPoolMetrics;
import io.github.kobe.pool.WorkerPool;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import org.springframework.beans.factory.DisposableBean;

/** Registers meters of executors and pools with each registry, and removes them when it is destroyed. */
final class GroupConcurrencyMetrics implements MeterBinder, DisposableBean {

    private static final Logger LOGGER = System.getLogger(GroupConcurrencyMetrics.class.getName());

    /** Meters of one executor. */
    private record Source(MeterBinder meters, Runnable close) {}

    private final List<Source> sources = new ArrayList<>();

    GroupConcurrencyMetrics(
            Iterable<GroupExecutor> executors,
            Iterable<WorkerPool> pools,
            Iterable<IsolationExecutor> isolation,
            Iterable<Fleet> fleets,
            GroupTags groupTags,
            GroupTags sharedLimitTags,
            boolean timers) {
        for (GroupExecutor executor : executors) {
            GroupExecutorMetrics metrics = GroupExecutorMetrics.builder(executor)
                    .groupTags(groupTags)
                    .sharedLimitTags(sharedLimitTags)
                    .timers(timers)
                    .build();
            sources.add(new Source(metrics, metrics::close));
        }
        for (WorkerPool pool : pools) {
            WorkerPoolMetrics metrics =
                    WorkerPoolMetrics.builder(pool).timers(timers).build();
            sources.add(new Source(metrics, metrics::close));
        }
        for (IsolationExecutor executor : isolation) {
            IsolationMetrics metrics = IsolationMetrics.builder(executor).build();
            sources.add(new Source(metrics, metrics::close));
        }
        for (Fleet fleet : fleets) {
            FleetMetrics metrics = FleetMetrics.builder(fleet).build();
            sources.add(new Source(metrics, metrics::close));
        }
    }

    /** Executors of the same name cannot both have meters. Nor can one whose meters the application registers itself. */
    @Override
    public void bindTo(MeterRegistry registry) {
        for (Source source : sources) {
            try {
                source.meters.bindTo(registry);
            } catch (IllegalStateException e) {
                LOGGER.log(Level.WARNING, "an executor has no meters: {0}", e.getMessage());
            }
        }
    }

    @Override
    public void destroy() {
        sources.forEach(source -> source.close.run());
    }
}
