package io.github.kobe.internal.group;

import io.github.kobe.ContextCarrier;
import io.github.kobe.TaskIdentity;
import io.github.kobe.internal.util.Faults;
import io.github.kobe.internal.util.Throwables;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Carries two contexts; see {@link ContextCarrier#andThen}. {@link CarriedContext} takes pairs apart, so that each fault is reported by the
 * executor or the scope that met it. The methods here are for other callers.
 */
public record CarrierPair(ContextCarrier first, ContextCarrier next) implements ContextCarrier {

    /** Of pairs that other code than an executor or a scope uses. */
    private static final Faults FAULTS = new Faults(System::nanoTime);

    @Override
    public @Nullable Captured capture() {
        return CarriedContext.capture(this, this, FAULTS);
    }

    @Override
    public @Nullable Captured capture(TaskIdentity task) {
        return CarriedContext.captureFor(task, this, FAULTS);
    }

    @Override
    public @Nullable Captured empty() {
        return CarriedContext.empty(this, this, FAULTS);
    }

    /** The part of {@code carrier} that is not part of {@code known}; {@code null} if there is none. */
    public static @Nullable ContextCarrier missing(ContextCarrier known, ContextCarrier carrier) {
        List<ContextCarrier> parts = parts(known).toList();
        return parts(carrier)
                .filter(part -> !parts.contains(part))
                .reduce(ContextCarrier::andThen)
                .orElse(null);
    }

    private static Stream<ContextCarrier> parts(ContextCarrier carrier) {
        return carrier instanceof CarrierPair pair
                ? Stream.concat(parts(pair.first), parts(pair.next))
                : Stream.of(carrier);
    }

    /** Two contexts that were captured together. */
    record CapturedPair(Captured first, Captured next) implements Captured {

        /** Returns {@code null} if there is nothing to carry. */
        static @Nullable Captured of(@Nullable Captured first, @Nullable Captured next) {
            return first == null ? next : next == null ? first : new CapturedPair(first, next);
        }

        /** If one cannot be installed, the other is. */
        @Override
        public Installed install() {
            Installed outer = installSafely(first);
            Installed inner = installSafely(next);
            return () -> Throwables.runBoth(inner::restore, outer::restore);
        }

        private static Installed installSafely(Captured captured) {
            try {
                return captured.install();
            } catch (Throwable fault) {
                FAULTS.report(CarriedContext.INSTALL, captured, fault);
                return () -> {};
            }
        }

        @Override
        public void run(Runnable work) {
            CarriedContext.run(this, this, FAULTS, work);
        }
    }
}
