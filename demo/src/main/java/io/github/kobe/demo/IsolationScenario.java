package io.github.kobe.demo;

import io.github.kobe.isolation.IsolationExecutor;
import io.github.kobe.isolation.IsolationPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Eight fast tenants beside two slow ones that could use all permits: the example of the isolation design. */
final class IsolationScenario implements TaskScenario {

    static final String FAST = "fast tenants";
    static final String SLOW = "slow tenants";
    static final int PERMITS = 50;

    /** More than the slow tenants fill in the longest run. It bounds the queue of a run that goes on. */
    private static final int QUEUE = 5_000;

    /** All times are divided by this, so that the 100 seconds of the example take 25. */
    static final int SPEED = 4;

    /** The duration of a task and the interval between tasks, in milliseconds of the example. */
    private static final int[][] FAST_TENANTS = {
        {50, 50}, {50, 100}, {100, 100}, {100, 100}, {200, 200}, {300, 300}, {400, 400}, {500, 500}
    };

    private static final int[][] SLOW_TENANTS = {{2000, 100}, {3000, 100}};

    @Override
    public String name() {
        return "isolation";
    }

    @Override
    public String summary() {
        return "8 fast tenants and 2 slow ones share " + PERMITS + " permits";
    }

    @Override
    public List<String> about() {
        return List.of(
                "Eight fast tenants need 7.5 of " + PERMITS + " permits; two slow ones could use all " + PERMITS + ".",
                "The executors are not told which tenants are slow. In a plain pool all tasks",
                "share one queue. IsolationExecutor measures the tenants and keeps permits",
                "for the fast ones. Times are those of the design's example divided by " + SPEED + ".");
    }

    @Override
    public Labels labels() {
        return new Labels("tenant", "running", "queued", "wait", "waiting time", "work done");
    }

    @Override
    public List<Traffic> traffic() {
        List<Traffic> traffic = new ArrayList<>();
        add(traffic, "fast", FAST, FAST_TENANTS);
        add(traffic, "slow", SLOW, SLOW_TENANTS);
        return List.copyOf(traffic);
    }

    private static void add(List<Traffic> traffic, String name, String kind, int[][] tenants) {
        for (int i = 0; i < tenants.length; i++) {
            double duration = (double) tenants[i][0] / SPEED;
            double interval = (double) tenants[i][1] / SPEED;
            traffic.add(Traffic.tasks(new Source(name + (i + 1), kind), 1, interval, duration));
        }
    }

    @Override
    public String focus() {
        return FAST;
    }

    @Override
    public int permits() {
        return PERMITS;
    }

    @Override
    public ExecutorFactory library() {
        return new ExecutorFactory("IsolationExecutor", this::isolationExecutor);
    }

    private DemoExecutor isolationExecutor(RunRecorder recorder) {
        List<Source> sources = sources();
        IsolationExecutor executor = IsolationExecutor.create(IsolationPolicy.builder()
                .name(name())
                .maxConcurrency(PERMITS)
                .queueCapacity(QUEUE)
                .slowThreshold(Duration.ofMillis(1000 / SPEED))
                .targetWait(Duration.ofMillis(300 / SPEED))
                .build());
        return new TaskExecutor(
                recorder,
                (source, task) -> executor.submit(sources.get(source).name(), task),
                executor::close,
                console -> console.add(executor));
    }

    @Override
    public String extra(List<SourceResult> kind) {
        return Format.millis(
                1000 * kind.stream().mapToDouble(SourceResult::runSeconds).sum());
    }

    @Override
    public String verdict(RunResult result) {
        return "99 of 100 tasks of fast tenants waited at most "
                + Comparison.ofTimes(
                        result.plain().waits(FAST).p99(),
                        result.library().waits(FAST).p99())
                + ", while the slow tenants got "
                + Comparison.ofWork(
                        result.plain().sum(SLOW, SourceResult::runSeconds),
                        result.library().sum(SLOW, SourceResult::runSeconds))
                + ".";
    }
}
