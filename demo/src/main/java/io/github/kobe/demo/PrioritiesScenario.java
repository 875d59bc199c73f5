package io.github.kobe.demo;

import io.github.kobe.TaskOptions;
import io.github.kobe.pool.WorkerPool;
import java.time.Duration;
import java.util.List;

/** Urgent, normal and bulk work on a few workers: who goes first, and does the last one get there? */
final class PrioritiesScenario implements TaskScenario {

    static final int WORKERS = 8;

    private static final String URGENT = "urgent";
    private static final String BULK = "bulk";
    private static final Duration AGEING = Duration.ofMillis(100);
    private static final List<Traffic> TRAFFIC = List.of(
            Traffic.tasks(new Role(URGENT, URGENT), 1, 40, 20),
            Traffic.tasks(new Role("normal", "normal"), 1, 20, 40),
            Traffic.tasks(new Role(BULK, BULK), 60, 1500, 100));

    /** In the order of the traffic; a step is made up for by waiting {@link #AGEING} longer. */
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
        return "urgent, normal and bulk work on " + WORKERS + " workers";
    }

    @Override
    public List<String> about() {
        return List.of(
                "Bulk work comes in bursts of 60. A plain pool is first come, first served,",
                "so urgent tasks stand behind all of it; WorkerPool lets them go first, and",
                "ageing (a step of priority for each " + AGEING.toMillis() + " ms in line) keeps bulk work from",
                "waiting for ever.");
    }

    @Override
    public Words words() {
        return new Words("class", "running", "waiting", "wait", "waiting time", "tasks done");
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
    public double fineMillis() {
        return 50;
    }

    @Override
    public int places() {
        return WORKERS;
    }

    @Override
    public Contender ours() {
        return new Contender("WorkerPool", PrioritiesScenario::ranked);
    }

    private static Side ranked(Ledger ledger) {
        WorkerPool pool = WorkerPool.builder()
                .name("demo-workers")
                .minWorkers(WORKERS)
                .priorityAgeing(AGEING)
                .build();
        return new TaskSide(ledger, (role, task) -> pool.submit(task, OPTIONS.get(role)), () -> {
            pool.shutdownNow();
            pool.close();
        });
    }

    @Override
    public String extra(List<RowOutcome> kind) {
        return Format.count(kind.stream().mapToInt(RowOutcome::ended).sum());
    }

    @Override
    public String verdict(Outcome outcome) {
        return "99 of 100 urgent tasks waited at most "
                + Compare.times(
                        outcome.plain().waits(URGENT).p99(),
                        outcome.ours().waits(URGENT).p99())
                + ", while bulk work waited at most "
                + Compare.times(
                        outcome.plain().waits(BULK).max(),
                        outcome.ours().waits(BULK).max())
                + ".";
    }
}
