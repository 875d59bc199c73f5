package io.github.kobe.opentelemetry;

import io.github.kobe.ContextCarrier;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import org.jspecify.annotations.Nullable;

/**
 * Carries the OpenTelemetry {@link Context} of the submitter to the task: the current span, the baggage and everything else in it. The task
 * gets no span of its own; {@link TracingListener} has a carrier for that.
 *
 * <p>If the submitter has no context, there is nothing to carry, and the task pays nothing. Immutable, and so safe for use by many threads.
 * All carriers of this module are equal: if a scope and its groups have one each, the context is carried once, by that of the scope.
 *
 * <pre>{@code
 * GroupPolicy policy = GroupPolicy.builder().contextCarrier(OtelContextCarrier.create()).build();
 * }</pre>
 */
public final class OtelContextCarrier implements ContextCarrier {

    private static final OtelContextCarrier INSTANCE = new OtelContextCarrier();

    /** Installs the root, so that a scope that the task leaves open is undone after it. */
    static final Captured EMPTY = () -> install(Context.root());

    static final int HASH = OtelContextCarrier.class.getName().hashCode();

    private OtelContextCarrier() {}

    /** Returns a carrier. */
    public static OtelContextCarrier create() {
        return INSTANCE;
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // there is one root
    public @Nullable Captured capture() {
        Context current = Context.current();
        return current == Context.root() ? null : () -> install(current);
    }

    /** The root context. */
    @Override
    public Captured empty() {
        return EMPTY;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return isOne(other);
    }

    @Override
    public int hashCode() {
        return HASH;
    }

    /**
     * Whether it is a carrier of this module. A scope in groups drops the carrier of the groups if it has an equal one itself. A second one
     * would hide what the first installs.
     */
    static boolean isOne(@Nullable Object other) {
        return other instanceof OtelContextCarrier || other instanceof SpanCarrier;
    }

    @SuppressWarnings("MustBeClosedChecker") // closed by restore
    static Installed install(Context context) {
        Context before = Context.current();
        Scope scope = context.makeCurrent();
        return () -> restore(before, scope);
    }

    /** If the task has left a scope of its own open, the storage ignores that ours is closed. The next task on the thread must not see it. */
    @SuppressWarnings({"MustBeClosedChecker", "ReferenceEquality"}) // it is the scope of the task that is not closed
    private static void restore(Context before, Scope scope) {
        scope.close();
        if (Context.current() != before) {
            before.makeCurrent();
        }
    }
}
