package io.github.kobe.micrometer;

import io.github.kobe.Registration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

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

    /** @throws IllegalStateException after {@link #close}, and what {@code binding} throws */
    synchronized void add(Supplier<Binding> binding) {
        if (closed) {
            throw new IllegalStateException("these metrics are closed");
        }
        all.add(binding.get());
    }

    @Override
    public synchronized void close() {
        closed = true;
        all.forEach(Binding::close);
        all.clear();
    }
}
