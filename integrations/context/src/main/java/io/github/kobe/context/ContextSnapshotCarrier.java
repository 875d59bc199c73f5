package io.github.kobe.context;

import io.github.kobe.ContextCarrier;
import io.micrometer.context.ContextSnapshot;
import io.micrometer.context.ContextSnapshotFactory;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Carries all thread-locals that are registered with Micrometer's context-propagation library. Micrometer's Observation and Reactor register
 * theirs by themselves. The MDC of SLF4J has to be registered once:
 * {@code ContextRegistry.getInstance().registerThreadLocalAccessor(new Slf4jThreadLocalAccessor())}.
 *
 * <p>Immutable.
 */
public final class ContextSnapshotCarrier implements ContextCarrier {

    private static final ContextSnapshotCarrier SHARED = new ContextSnapshotCarrier(
            ContextSnapshotFactory.builder().clearMissing(true).build());

    private final ContextSnapshotFactory factory;
    private final ContextSnapshot empty;

    private ContextSnapshotCarrier(ContextSnapshotFactory factory) {
        this.factory = factory;
        this.empty = factory.captureFrom();
    }

    /**
     * Returns the carrier of all thread-locals of the global {@link io.micrometer.context.ContextRegistry}, also of those that are registered
     * later. A task sees exactly the values that the submitter had: a thread-local without a value is cleared for the task. What the
     * task itself sets is undone after it. There is only one such carrier.
     */
    public static ContextSnapshotCarrier create() {
        return SHARED;
    }

    /**
     * Returns a carrier of what {@code factory} captures, such as the thread-locals of a registry of its own. The factory also decides whether
     * thread-locals without a value are cleared for the task. Only these are restored after it.
     */
    public static ContextSnapshotCarrier of(ContextSnapshotFactory factory) {
        return new ContextSnapshotCarrier(Objects.requireNonNull(factory, "factory"));
    }

    /** Captures the values of the calling thread; {@code null} if no thread-local has one. */
    @Override
    public @Nullable Captured capture() {
        ContextSnapshot snapshot = factory.captureAll();
        return snapshot.equals(empty) ? null : new CapturedSnapshot(snapshot);
    }

    /** A context without a value. */
    @Override
    public Captured empty() {
        return new CapturedSnapshot(empty);
    }

    @Override
    public String toString() {
        return "ContextSnapshotCarrier";
    }

    private record CapturedSnapshot(ContextSnapshot snapshot) implements Captured {

        @Override
        public Installed install() {
            return snapshot.setThreadLocals()::close;
        }
    }
}
