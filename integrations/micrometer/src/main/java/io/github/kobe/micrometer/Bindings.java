package io.github.kobe.micrometer;

import io.github.kobe.Registration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;

/** What one binder has added to registries and to its executor. */
final class Bindings implements AutoCloseable {

    /**
     * The meters in one registry.
     *
     * @param registrations at the executor. They refer to it, so they are kept here and not with the meters, which must not keep the executor
     *     from being collected
     */
    record Binding(SnapshotMeters<?> meters, List<Registration> registrations) {

        void close() {
            registrations.forEach(Registration::close);
            meters.close();
        }
    }

    private final List<Binding> all = new ArrayList<>();
    private boolean closed;

    /**
     * Adds the meters of one registry.
     *
     * @param fill registers the meters, and adds its registrations at the executor to the list. If it throws, all of them are removed again
     * @throws IllegalStateException after {@link #close}
     */
    synchronized <S> void add(SnapshotMeters<S> meters, BiConsumer<SnapshotMeters<S>, List<Registration>> fill) {
        if (closed) {
            throw new IllegalStateException("these metrics are closed");
        }
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
