package io.github.kobe;

import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A value that is bound to a thread, and a carrier of it that counts its calls. */
public final class Baggage {

    private final ThreadLocal<String> current = new ThreadLocal<>();
    private final String form;
    public final ContextCarrier carrier;
    public final AtomicInteger captures = new AtomicInteger();
    public final AtomicInteger installs = new AtomicInteger();
    public final AtomicInteger restores = new AtomicInteger();

    private Baggage(String form, boolean wraps) {
        this.form = form;
        this.carrier = wraps ? ContextCarrier.wrapping(this::captureWrapper) : new InstallingCarrier();
    }

    /** With a carrier that installs the value and restores the one before. */
    public static Baggage installed() {
        return new Baggage("installed", false);
    }

    /** With a carrier that binds the value during a call. */
    public static Baggage wrapped() {
        return new Baggage("wrapped", true);
    }

    public @Nullable String get() {
        return current.get();
    }

    public void set(@Nullable String value) {
        if (value == null) {
            current.remove();
        } else {
            current.set(value);
        }
    }

    private final class InstallingCarrier implements ContextCarrier {
        @Override
        public @Nullable Captured capture() {
            captures.incrementAndGet();
            String captured = get();
            return captured == null ? null : () -> install(captured);
        }

        @Override
        public Captured empty() {
            return () -> install(null);
        }

        private Installed install(@Nullable String value) {
            String before = get();
            set(value);
            installs.incrementAndGet();
            return () -> {
                set(before);
                restores.incrementAndGet();
            };
        }
    }

    private ContextCarrier.@Nullable Wrapper captureWrapper() {
        captures.incrementAndGet();
        String captured = get();
        return captured == null ? null : work -> bind(captured, work);
    }

    private void bind(String value, Runnable work) {
        String before = get();
        set(value);
        installs.incrementAndGet();
        try {
            work.run();
        } finally {
            set(before);
            restores.incrementAndGet();
        }
    }

    @Override
    public String toString() {
        return form;
    }
}
