package io.github.kobe.scope;

import io.github.kobe.internal.Both;
import org.jspecify.annotations.Nullable;

/** Two carriers as one; see {@link ContextCarrier#andThen}. */
record CarrierPair(ContextCarrier first, ContextCarrier next) implements ContextCarrier {

    @Override
    public @Nullable Captured capture() {
        Captured one = first.capture();
        Captured other = next.capture();
        if (one == null || other == null) {
            return one == null ? other : one;
        }
        return () -> install(one, other);
    }

    private static Installed install(Captured one, Captured other) {
        Installed outer = one.install();
        try {
            Installed inner = other.install();
            return () -> Both.run(inner::restore, outer::restore);
        } catch (Throwable fault) {
            outer.restore();
            throw fault;
        }
    }
}
