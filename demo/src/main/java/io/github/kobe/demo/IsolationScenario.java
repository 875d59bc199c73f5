package io.github.kobe.demo;

import io.github.kobe.isolation.IsolationExecutor;
import io.github.kobe.isolation.IsolationPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Eight quick tenants beside two slow ones that want the whole budget: the example that the isolation design is written for. */
final class IsolationScenario implements TaskScenario {

    static final String FAST = "fast tenants";
    static final String SLOW = "slow tenants";
    static final int PLACES = 50;

    /** Time runs that many times as fast, so that the example's 100 seconds take 25. */
    static final int SPEED = 4;

    /** How long a task takes and how often one comes, in milliseconds of the example. */
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
        return "8 fast tenants and 2 slow ones share " + PLACES + " places";
    }

    @Override
    public List<String> about() {
        return List.of(
                "Eight fast tenants need 7.5 of " + PLACES + " places; two slow ones want all of them.",
                "Nobody tells the executor who is slow. On a plain pool everybody waits in",
                "one line; IsolationExecutor finds out, and fast tenants do not notice.",
                "Times are those of the design's example, " + SPEED + " times as fast.");
    }

    @Override
    public Words words() {
        return Words.OF_TASKS;
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
            double length = (double) tenants[i][0] / SPEED;
            double every = (double) tenants[i][1] / SPEED;
            traffic.add(Traffic.tasks(new Role(name + (i + 1), kind), 1, every, length));
        }
    }

    @Override
    public String focus() {
        return FAST;
    }

    @Override
    public int places() {
        return PLACES;
    }

    @Override
    public Contender ours() {
        return new Contender("IsolationExecutor", this::isolated);
    }

    private Side isolated(Ledger ledger) {
        List<Role> roles = roles();
        IsolationExecutor executor = IsolationExecutor.create(IsolationPolicy.builder()
                .maxConcurrency(PLACES)
                .slowThreshold(Duration.ofMillis(1000 / SPEED))
                .targetWait(Duration.ofMillis(300 / SPEED))
                .build());
        return new TaskSide(
                ledger, (role, task) -> executor.execute(roles.get(role).name(), task), executor::close);
    }

    @Override
    public String extra(List<RowOutcome> kind) {
        return Format.millis(
                1000 * kind.stream().mapToDouble(RowOutcome::busySeconds).sum());
    }

    @Override
    public String verdict(Outcome outcome) {
        return "99 of 100 tasks of fast tenants waited at most "
                + Compare.times(
                        outcome.plain().waits(FAST).p99(),
                        outcome.ours().waits(FAST).p99())
                + ", while the slow tenants got "
                + Compare.work(
                        outcome.plain().sum(SLOW, RowOutcome::busySeconds),
                        outcome.ours().sum(SLOW, RowOutcome::busySeconds))
                + ".";
    }
}
