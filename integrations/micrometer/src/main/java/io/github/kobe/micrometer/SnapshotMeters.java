package io.github.kobe.micrometer;

import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The meters of one executor in one registry. All of them read the same snapshot. The first meter that is read when the snapshot is too old takes a
 * new one, and registers or removes the meters that depend on it.
 *
 * <p><b>Threads.</b> Several threads may read meters at once. One of them takes the snapshot, and the others use the previous one and do not
 * wait. This matters because a registry calls its listeners while it holds its own lock. Such a listener may read a meter, while a thread that takes
 * a snapshot waits for the registry's lock to register a meter. If the listener waited for the snapshot, both would wait for ever. Only
 * {@link #close} waits; it must not be called by a listener of the registry.
 *
 * <p><b>References.</b> Micrometer holds the object of a gauge or of a function counter weakly, but its function strongly. Here the function has a
 * reference to this object, so the meters work as long as they are registered. This object has no reference to the executor other than the one in
 * {@code source}, which is weak.
 *
 * @param <S> the snapshot
 */
final class SnapshotMeters<S> implements AutoCloseable {

    /** A gauge that is registered only while it has a value. */
    interface OptionalGauge {

        /** Registers or removes the gauge. Called with each new snapshot. */
        void update();

        /** Removes the gauge. */
        void remove();
    }

    private final MeterRegistry registry;
    private final Clock clock;
    private final Tags tags;
    private final long maxAgeNanos;
    private final Supplier<@Nullable S> source;

    /** Held while a snapshot is taken, and while meters are added or removed. */
    private final ReentrantLock lock = new ReentrantLock();

    /** Guarded by {@link #lock}. */
    private final Set<Meter> meters = new LinkedHashSet<>();

    /** Guarded by {@link #lock}. */
    private final List<Consumer<S>> onSnapshot = new ArrayList<>();

    private volatile S snapshot;
    private volatile long expiresAt;
    private volatile boolean closed;

    /**
     * @param tags of every meter
     * @param first the snapshot until a meter is read
     * @param source takes a snapshot; {@code null} if the executor was collected
     */
    SnapshotMeters(MeterRegistry registry, Tags tags, Duration maxAge, S first, Supplier<@Nullable S> source) {
        this.registry = registry;
        this.clock = registry.config().clock();
        this.tags = tags;
        this.maxAgeNanos = maxAge.toNanos();
        this.source = source;
        this.snapshot = first;
        this.expiresAt = clock.monotonicTime(); // the first reader takes a snapshot
    }

    MeterRegistry registry() {
        return registry;
    }

    Tags tags() {
        return tags;
    }

    long nanoTime() {
        return clock.monotonicTime();
    }

    /**
     * Throws if the registry has a meter of that name with the same tags. It would keep that meter, and nothing would show this executor.
     *
     * @throws IllegalStateException if it has one
     */
    void requireUnused(String meter) {
        if (!registry.find(meter).tags(tags).meters().isEmpty()) {
            throw new IllegalStateException(
                    "the registry already has a meter " + meter + " with the tags " + text(tags)
                            + "; give each executor a name of its own, use one Fleet in each JVM, and close the metrics of those that are gone");
        }
    }

    private static String text(Iterable<Tag> tags) {
        List<String> text = new ArrayList<>();
        tags.forEach(tag -> text.add(tag.getKey() + "=" + tag.getValue()));
        return text.toString();
    }

    /** Adds an action that is called with each new snapshot, by one thread at a time, and calls it now. For use before the meters are read. */
    void onSnapshot(Consumer<S> action) {
        lock.lock();
        try {
            onSnapshot.add(action);
            action.accept(snapshot);
        } finally {
            lock.unlock();
        }
    }

    /** Returns the snapshot, a new one if it is too old. */
    S get() {
        if (clock.monotonicTime() - expiresAt >= 0 && !closed && !lock.isHeldByCurrentThread() && lock.tryLock()) {
            try {
                if (clock.monotonicTime() - expiresAt >= 0 && !closed) {
                    refresh();
                }
            } finally {
                lock.unlock();
            }
        }
        return snapshot;
    }

    private void refresh() {
        S next = source.get();
        if (next == null) {
            closeHoldingLock();
            return;
        }
        snapshot = next;
        expiresAt = clock.monotonicTime() + maxAgeNanos;
        onSnapshot.forEach(action -> action.accept(next));
    }

    // ---- meters --------------------------------------------------------------------------------------------------

    Meter gauge(String name, @Nullable String unit, String description, Tags more, ToDoubleFunction<S> value) {
        return add(Gauge.builder(name, () -> value.applyAsDouble(get()))
                .tags(tags.and(more))
                .baseUnit(unit)
                .description(description)
                .register(registry));
    }

    Meter timeGauge(String name, String description, Tags more, ToLongFunction<S> nanos) {
        return add(TimeGauge.builder(name, () -> nanos.applyAsLong(get()), TimeUnit.NANOSECONDS)
                .tags(tags.and(more))
                .description(description)
                .register(registry));
    }

    Meter counter(String name, @Nullable String unit, String description, Tags more, ToLongFunction<S> value) {
        ToLongFunction<S> neverLess = neverLess(value);
        return add(FunctionCounter.builder(name, this, same -> neverLess.applyAsLong(get()))
                .tags(tags.and(more))
                .baseUnit(unit)
                .description(description)
                .register(registry));
    }

    Meter timer(String name, String description, Tags more, ToLongFunction<S> count, ToLongFunction<S> totalNanos) {
        return add(FunctionTimer.builder(
                        name,
                        this,
                        same -> count.applyAsLong(get()),
                        same -> totalNanos.applyAsLong(get()),
                        TimeUnit.NANOSECONDS)
                .tags(tags.and(more))
                .description(description)
                .register(registry));
    }

    /**
     * A server takes a counter that goes back for one that began at zero again, and adds its whole value. An executor counts an outcome a moment before
     * it is decided, and takes that back if another one was decided first. And a thread may have read a snapshot that another one has replaced.
     */
    private static <S> ToLongFunction<S> neverLess(ToLongFunction<S> value) {
        AtomicLong highest = new AtomicLong();
        return snapshot -> highest.accumulateAndGet(value.applyAsLong(snapshot), Math::max);
    }

    /** @param value {@link Double#NaN} for no value */
    OptionalGauge optionalGauge(
            String name, @Nullable String unit, String description, Tags more, ToDoubleFunction<S> value) {
        return new OptionalGauge() {
            private @Nullable Meter meter;

            @Override
            public void update() {
                boolean present = !Double.isNaN(value.applyAsDouble(snapshot));
                if (present && meter == null) {
                    meter = gauge(name, unit, description, more, value);
                } else if (!present) {
                    remove();
                }
            }

            @Override
            public void remove() {
                if (meter != null) {
                    SnapshotMeters.this.remove(meter);
                    meter = null;
                }
            }
        };
    }

    /** Returns a limit as the value of a gauge: {@link Double#NaN} if there is none. */
    static double limit(int limit) {
        return limit == Integer.MAX_VALUE ? Double.NaN : limit;
    }

    /** Takes charge of a meter: it is removed when this object is closed, or now if it is closed. */
    <M extends Meter> M add(M meter) {
        lock.lock();
        try {
            if (closed) {
                registry.remove(meter);
            } else {
                meters.add(meter);
            }
            return meter;
        } finally {
            lock.unlock();
        }
    }

    void remove(Meter meter) {
        lock.lock();
        try {
            if (meters.remove(meter)) {
                registry.remove(meter);
            }
        } finally {
            lock.unlock();
        }
    }

    // ---- close ---------------------------------------------------------------------------------------------------

    /** Removes all meters. A snapshot in progress is finished first, and none begins later, so no meter is registered afterwards. */
    @Override
    public void close() {
        lock.lock();
        try {
            closeHoldingLock();
        } finally {
            lock.unlock();
        }
    }

    private void closeHoldingLock() {
        if (closed) {
            return;
        }
        closed = true;
        meters.forEach(registry::remove);
        meters.clear();
        onSnapshot.clear();
    }
}
