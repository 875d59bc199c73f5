package io.github.kobe.micrometer;

import io.github.kobe.Registration;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The meters of one executor, pool or fleet in any number of registries: binds them, and removes them. The meters do not keep the executor from being
 * collected. Safe for use by many threads.
 *
 * @param <T> the executor
 * @param <S> the snapshot of it that the meters read
 */
final class Bindings<T, S> implements AutoCloseable {

    /**
     * The meters in one registry.
     *
     * @param registrations at the executor. They refer to it, so they are kept here and not with the meters, which must not keep the executor
     *     from being collected
     */
    private record Binding(SnapshotMeters<?> meters, List<Registration> registrations) {

        void close() {
            registrations.forEach(Registration::close);
            meters.close();
        }
    }

    private final T executor;
    private final Tags tags;
    private final Duration maxAge;
    private final Supplier<Function<T, S>> newReader;
    private final BiConsumer<SnapshotMeters<S>, List<Registration>> fill;

    private final List<Binding> all = new ArrayList<>();
    private boolean closed;

    /**
     * @param newReader returns what takes snapshots for one registry, by one thread at a time. It must not refer to the executor
     * @param fill registers the meters, and adds its registrations at the executor to the list. If it throws, all of them are removed again
     */
    Bindings(
            T executor,
            String name,
            MeterSettings settings,
            Supplier<Function<T, S>> newReader,
            BiConsumer<SnapshotMeters<S>, List<Registration>> fill) {
        this.executor = executor;
        this.tags = settings.tagsOf(name);
        this.maxAge = settings.maxAge();
        this.newReader = newReader;
        this.fill = fill;
    }

    /**
     * Adds the meters to a registry.
     *
     * @throws IllegalStateException after {@link #close}
     */
    synchronized void bindTo(MeterRegistry registry) {
        Objects.requireNonNull(registry, "registry");
        if (closed) {
            throw new IllegalStateException("these metrics are closed");
        }
        WeakReference<T> weak = new WeakReference<>(executor);
        Function<T, S> reader = newReader.get();
        SnapshotMeters<S> meters = new SnapshotMeters<>(registry, tags, maxAge, reader.apply(executor), () -> {
            T live = weak.get();
            return live == null ? null : reader.apply(live);
        });
        Binding binding = new Binding(meters, new ArrayList<>());
        try {
            fill.accept(meters, binding.registrations);
        } catch (Throwable refused) {
            binding.close();
            throw refused;
        }
        all.add(binding);
    }

    @Override
    public synchronized void close() {
        closed = true;
        all.forEach(Binding::close);
        all.clear();
    }
}
