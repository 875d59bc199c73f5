package io.github.kobe.opentelemetry;

/** How the span of a task relates to the span that was current when the task was submitted. */
public enum SpanRelation {

    /** The task's span is a child of the submitter's. For work that belongs to the request that submitted it. */
    CHILD,

    /**
     * The task's span is the root of a new trace and has a link to the submitter's span. For work that the submitter does not wait for: the
     * trace of a request then does not include work that runs long after the request.
     */
    LINK
}
