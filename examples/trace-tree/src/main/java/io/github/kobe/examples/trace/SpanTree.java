package io.github.kobe.examples.trace;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.trace.data.EventData;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/** Prints spans as a tree, each below its parent. */
final class SpanTree {

    private final List<SpanData> spans;

    private SpanTree(List<SpanData> spans) {
        this.spans = spans.stream()
                .sorted(Comparator.comparingLong(SpanData::getStartEpochNanos))
                .toList();
    }

    static void print(List<SpanData> spans) {
        SpanTree tree = new SpanTree(spans);
        for (SpanData span : tree.spans) {
            if (!span.getParentSpanContext().isValid()) {
                System.out.println(describe(span));
                tree.printChildren(span, "");
            }
        }
    }

    private void printChildren(SpanData parent, String indent) {
        List<SpanData> children = spans.stream()
                .filter(span -> span.getParentSpanId().equals(parent.getSpanId()))
                .toList();
        for (SpanData child : children) {
            boolean last = child.equals(children.getLast());
            System.out.println(indent + (last ? "└── " : "├── ") + describe(child));
            printChildren(child, indent + (last ? "    " : "│   "));
        }
    }

    private static String describe(SpanData span) {
        String error = span.getStatus().getStatusCode() == StatusCode.ERROR
                ? " failed: " + span.getStatus().getDescription()
                : "";
        String outcome = text(span, "outcome");
        return span.getName() + error + (outcome == null ? "" : " (" + outcome + taskDetails(span) + ")");
    }

    private static String taskDetails(SpanData span) {
        Double waited = span.getAttributes().get(AttributeKey.doubleKey("group_concurrency.wait_time"));
        Long attempts = span.getAttributes().get(AttributeKey.longKey("group_concurrency.attempts"));
        String events = span.getEvents().stream().map(EventData::getName).collect(Collectors.joining(", "));
        return "; attempts: " + attempts + "; waited: " + (waited == null ? 0 : Math.round(waited * 1000))
                + " ms; events: " + events;
    }

    private static String text(SpanData span, String attribute) {
        return span.getAttributes().get(AttributeKey.stringKey("group_concurrency." + attribute));
    }
}
