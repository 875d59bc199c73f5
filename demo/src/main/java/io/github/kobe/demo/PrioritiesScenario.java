package io.github.kobe.demo;

import io.github.kobe.RejectionPolicy;
import io.github.kobe.TaskOptions;
import io.github.kobe.pool.WorkerPool;
import java.time.Duration;
import java.util.List;

/** Urgent, normal and bulk tasks on a few workers: urgent tasks start first, and ageing prevents that bulk tasks starve. */
final class PrioritiesScenario implements TaskScenario {

    static final int WORKERS = 8;

    /** More than the bursts need. It bounds the queue if workers are taken away on a console. */
    private static final int QUEUE = 2_000;

    private static final String URGENT = "urgent";
    private static final String BULK = "bulk";
    private static final Duration AGEING = Duration.ofMillis(100);
    private static final List<Traffic> TRAFFIC = List.of(
            Traffic.tasks(new Source(URGENT, URGENT), 1, 40, 20),
            Traffic.tasks(new Source("normal", "normal"), 1, 20, 40),
            Traffic.tasks(new Source(BULK, BULK), 60, 1500, 100));

    /** The options of each source, in the order of the traffic. A task gains one level for each {@link #AGEING} in the queue. */
    private static final List<TaskOptions> OPTIONS = List.of(priority(10), priority(5), priority(0));

    private static TaskOptions priority(int priority) {
        return TaskOptions.builder().priority(priority).build();
    }

    @Override
    public String name() {
        return "priorities";
    }

    @Override
    public String summary() {
        return "urgent, normal and bulk tasks on " + WORKERS + " workers";
    }

    @Override
    public List<String> about() {
        return List.of(
                "Bulk tasks arrive in bursts of 60. A plain pool runs tasks in the order of",
                "submission, so urgent tasks wait for the whole burst. WorkerPool starts",
                "urgent tasks first. Ageing (one level of priority for each " + AGEING.toMillis() + " ms of",
                "waiting) prevents that bulk tasks wait for ever.");
    }

    @Override
    public Labels labels() {
        return new Labels("class", "running", "queued", "wait", "waiting time", "tasks done");
    }

    @Override
    public List<Traffic> traffic() {
        return TRAFFIC;
    }

    @Override
    public String focus() {
        return URGENT;
    }

    @Override
    public double goodWaitMillis() {
        return 50;
    }

    @Override
    public int permits() {
        return WORKERS;
    }

    @Override
    public ExecutorFactory library() {
        return new ExecutorFactory("WorkerPool", PrioritiesScenario::workerPool);
    }

    private static DemoExecutor workerPool(RunRecorder recorder) {
        WorkerPool pool = WorkerPool.builder()
                .name("demo-workers")
                .minWorkers(WORKERS)
                .queueCapacity(QUEUE)
                .rejectionPolicy(RejectionPolicy.DISCARD)
                .priorityAgeing(AGEING)
                .build();
        return new TaskExecutor(
                recorder,
                (source, task) -> pool.submit(task, OPTIONS.get(source)),
                () -> {
                    pool.shutdownNow();
                    pool.close();
                },
                console -> console.add(pool));
    }

    @Override
    public String extra(List<SourceResult> kind) {
        return Format.count(kind.stream().mapToInt(SourceResult::completed).sum());
    }

    @Override
    public String verdict(RunResult result) {
        return "99 of 100 urgent tasks waited at most "
                + Comparison.ofTimes(
                        result.plain().waits(URGENT).p99(),
                        result.library().waits(URGENT).p99())
                + ", while bulk tasks waited at most "
                + Comparison.ofTimes(
                        result.plain().waits(BULK).max(),
                        result.library().waits(BULK).max())
                + ".";
    }
}
