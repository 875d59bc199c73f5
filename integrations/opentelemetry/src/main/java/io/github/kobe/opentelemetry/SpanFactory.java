package io.github.kobe.opentelemetry;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;

/** Makes the spans of tasks. */
final class SpanFactory {

    private final Tracer tracer;
    private final SpanRelation relation;
    private final boolean rootSpans;

    SpanFactory(Tracer tracer, SpanRelation relation, boolean rootSpans) {
        this.tracer = tracer;
        this.relation = relation;
        this.rootSpans = rootSpans;
    }

    /** Whether a task that is submitted in {@code context} gets a span. */
    boolean traces(Context context) {
        return rootSpans || spanContext(context).isValid();
    }

    /**
     * A span that is not started yet.
     *
     * @param tag the task's tag; empty if it has none. Not its key or its id: a name must have few values
     */
    SpanBuilder builder(Context submitterContext, String tag) {
        SpanBuilder builder =
                tracer.spanBuilder(tag.isEmpty() ? "task" : "task " + tag).setSpanKind(SpanKind.INTERNAL);
        SpanContext submitter = spanContext(submitterContext);
        if (relation == SpanRelation.LINK && submitter.isValid()) {
            return builder.setNoParent().addLink(submitter);
        }
        return builder.setParent(submitterContext);
    }

    private static SpanContext spanContext(Context context) {
        return Span.fromContext(context).getSpanContext();
    }
}
