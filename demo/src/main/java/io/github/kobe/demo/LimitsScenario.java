package io.github.kobe.demo;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.RejectionPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Four groups with a concurrency limit each. Bursts would exceed all limits if nothing enforced them. */
final class LimitsScenario implements TaskScenario {

    static final int PERMITS = 16;

    /** More than the bursts need. It bounds the queue of a group whose limit is lowered on a console. */
    private static final int QUEUE = 500;

    private static final List<Traffic> TRAFFIC = List.of(
            Traffic.tasks(new Source("checkout", "checkout", 6), 1, 10, 20),
            Traffic.tasks(new Source("search", "search", 6), 1, 20, 40),
            Traffic.tasks(new Source("reports", "reports", 4), 24, 2400, 300),
            Traffic.tasks(new Source("backfill", "backfill", 2), 60, 4000, 100));

    @Override
    public String name() {
        return "limits";
    }

    @Override
    public String summary() {
        return "4 groups with a limit each share " + PERMITS + " permits";
    }

    @Override
    public List<String> about() {
        return List.of(
                "Two groups submit a steady stream, two others submit bursts. Each group",
                "calls a service that supports a limited number of concurrent calls. A plain",
                "pool ignores the groups. GroupExecutor enforces the limit of every group,",
                "and a burst delays only its own group.");
    }

    @Override
    public Labels labels() {
        return new Labels("group", "running", "queued", "wait", "waiting time", "peak/limit");
    }

    @Override
    public List<Traffic> traffic() {
        return TRAFFIC;
    }

    @Override
    public String focus() {
        return "checkout";
    }

    @Override
    public int permits() {
        return PERMITS;
    }

    @Override
    public ExecutorFactory library() {
        return new ExecutorFactory("GroupExecutor", this::groupExecutor);
    }

    private DemoExecutor groupExecutor(RunRecorder recorder) {
        List<Source> sources = sources();
        GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder()
                .name(name())
                .perGroupMaxConcurrency(sources.stream().collect(Collectors.toMap(Source::name, Source::limit)))
                .globalMaxInFlight(PERMITS)
                .defaultQueueThresholdPerGroup(QUEUE)
                .rejectionPolicy(RejectionPolicy.DISCARD)
                .recordTimes(true)
                .build());
        return new TaskExecutor(
                recorder,
                (source, task) -> executor.submit(sources.get(source).name(), "call", () -> {
                    task.run();
                    return true;
                }),
                executor::close,
                console -> console.add(executor));
    }

    @Override
    public String extra(List<SourceResult> kind) {
        return kind.stream().map(row -> row.peak() + "/" + row.source().limit()).collect(Collectors.joining(", "));
    }

    @Override
    public String verdict(RunResult result) {
        return Format.count((long) result.plain().sum(SourceResult::startedBeyondLimit))
                + " calls started beyond the limit of their group on the plain pool and "
                + Format.count((long) result.library().sum(SourceResult::startedBeyondLimit))
                + " on GroupExecutor, where 99 of 100 calls of " + focus() + " waited at most "
                + Comparison.ofTimes(
                        result.plain().waits(focus()).p99(),
                        result.library().waits(focus()).p99())
                + ".";
    }

    @Override
    public List<String> brokenPromises(ExecutorResult library) {
        List<String> broken = new ArrayList<>(TaskScenario.super.brokenPromises(library));
        library.rows().stream()
                .filter(row -> row.peak() > row.source().limit())
                .map(row -> row.source().name() + " ran " + row.peak() + " tasks at the same time, its limit is "
                        + row.source().limit())
                .forEach(broken::add);
        return broken;
    }
}
