package io.github.kobe.scope;

import io.github.kobe.internal.util.Throwables;
import org.jspecify.annotations.Nullable;

/** Two carriers as one; see {@link ContextCarrier#andThen}. If one of them throws, what the other has is carried all the same. */
record CarrierPair(ContextCarrier first, ContextCarrier next) implements ContextCarrier {

    private static final Installed NOTHING = () -> {};

    @Override
    public @Nullable Captured capture() {
        Captured one = capture(first);
        Captured other = capture(next);
        if (one == null || other == null) {
            return one == null ? other : one;
        }
        return () -> install(one, other);
    }

    private static @Nullable Captured capture(ContextCarrier carrier) {
        try {
            return carrier.capture();
        } catch (Throwable fault) {
            ScopeTasks.FAULTS.report("context carrier's capture", carrier, fault);
            return null;
        }
    }

    private static Installed install(Captured one, Captured other) {
        Installed outer = install(one);
        Installed inner = install(other);
        return () -> Throwables.runBoth(inner::restore, outer::restore);
    }

    private static Installed install(Captured captured) {
        try {
            return captured.install();
        } catch (Throwable fault) {
            ScopeTasks.FAULTS.report("context carrier's install", captured, fault);
            return NOTHING;
        }
    }
}
