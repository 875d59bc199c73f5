package io.github.kobe.demo;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/** Records what happens on one executor: a {@link SourceRecorder} for each source and one for all sources together. */
final class RunRecorder {

    private final List<SourceRecorder> rows;
    private final List<Source> sources;
    private final SourceRecorder all;

    RunRecorder(List<Source> sources, LongSupplier clock) {
        long origin = clock.getAsLong();
        this.sources = List.copyOf(sources);
        this.rows = sources.stream()
                .map(source -> new SourceRecorder(source, clock, origin))
                .toList();
        this.all = new SourceRecorder(new Source("all", "all"), clock, origin);
    }

    SourceRecorder.Wait submitted(int source) {
        return rows.get(source).submitted();
    }

    void waitFinished(int source, SourceRecorder.Wait wait) {
        rows.get(source).waitFinished(wait);
    }

    void started(int source) {
        rows.get(source).started();
        all.started();
    }

    void completed(int source) {
        all.completed();
        rows.get(source).completed();
    }

    void orphaned(int source, int calls) {
        all.orphaned(calls);
        rows.get(source).orphaned(calls);
    }

    void orphanCompleted(int source) {
        all.orphanCompleted();
        rows.get(source).orphanCompleted();
    }

    /**
     * Returns the current state.
     *
     * @param focus the kind of source whose 99th percentile is computed
     * @param orphans whether to show orphaned calls instead of waiting tasks
     */
    Snapshot.ExecutorView view(String title, String focus, boolean orphans) {
        List<Snapshot.Row> views = rows.stream().map(row -> row.view(orphans)).toList();
        return new Snapshot.ExecutorView(title, views, waits(focus).p99());
    }

    private WaitStatistics waits(String kind) {
        List<WaitSample> waits = new ArrayList<>();
        for (int i = 0; i < rows.size(); i++) {
            if (sources.get(i).kind().equals(kind)) {
                rows.get(i).addFinishedWaits(waits);
            }
        }
        return WaitStatistics.of(waits);
    }

    int peakRunning() {
        return rows.stream().mapToInt(SourceRecorder::peakRunning).max().orElse(0);
    }

    int peakPending(boolean orphans) {
        return rows.stream().mapToInt(row -> row.peakPending(orphans)).max().orElse(0);
    }

    /** Returns the result. Later events are ignored. */
    ExecutorResult freeze(String title) {
        return new ExecutorResult(
                title,
                rows.stream().map(SourceRecorder::freeze).toList(),
                all.freeze().peak());
    }
}
