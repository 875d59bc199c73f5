package io.github.kobe.demo;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Four groups, each with a limit on what it may run at once, and bursts that would break all of them. */
final class LimitsScenario implements TaskScenario {

    static final int PLACES = 16;

    private static final List<Traffic> TRAFFIC = List.of(
            Traffic.tasks(new Role("checkout", "checkout", 6), 1, 10, 20),
            Traffic.tasks(new Role("search", "search", 6), 1, 20, 40),
            Traffic.tasks(new Role("reports", "reports", 4), 24, 2400, 300),
            Traffic.tasks(new Role("backfill", "backfill", 2), 60, 4000, 100));

    @Override
    public String name() {
        return "limits";
    }

    @Override
    public String summary() {
        return "4 groups with limits of their own share " + PLACES + " places";
    }

    @Override
    public List<String> about() {
        return List.of(
                "Two groups send a steady stream, two others send bursts. Behind each is",
                "something that stands only so many calls at once. A plain pool runs what",
                "comes; GroupExecutor keeps every group to its limit, and a burst waits",
                "for its own group only.");
    }

    @Override
    public Words words() {
        return new Words("group", "running", "waiting", "wait", "waiting time", "peak/limit");
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
    public int places() {
        return PLACES;
    }

    @Override
    public Contender ours() {
        return new Contender("GroupExecutor", this::limited);
    }

    private Side limited(Ledger ledger) {
        List<Role> roles = roles();
        GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder()
                .perGroupMaxConcurrency(roles.stream().collect(Collectors.toMap(Role::name, Role::limit)))
                .globalMaxInFlight(PLACES)
                .build());
        return new TaskSide(
                ledger,
                (role, task) -> executor.submit(roles.get(role).name(), "call", () -> {
                    task.run();
                    return true;
                }),
                executor::close);
    }

    @Override
    public String extra(List<RowOutcome> kind) {
        return kind.stream().map(row -> row.peak() + "/" + row.role().limit()).collect(Collectors.joining(", "));
    }

    @Override
    public String verdict(Outcome outcome) {
        return Format.count((long) outcome.plain().sum(RowOutcome::beyondLimit))
                + " calls began beyond their group's limit on the plain pool and "
                + Format.count((long) outcome.ours().sum(RowOutcome::beyondLimit))
                + " on GroupExecutor, where 99 of 100 calls of " + focus() + " waited at most "
                + Compare.times(
                        outcome.plain().waits(focus()).p99(),
                        outcome.ours().waits(focus()).p99())
                + ".";
    }

    @Override
    public List<String> broken(SideOutcome ours) {
        List<String> broken = new ArrayList<>(TaskScenario.super.broken(ours));
        ours.rows().stream()
                .filter(row -> row.peak() > row.role().limit())
                .map(row -> row.role().name() + " ran " + row.peak() + " at once, "
                        + row.role().limit() + " may")
                .forEach(broken::add);
        return broken;
    }
}
