package io.github.kobe.demo;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/** Keeps a {@link Tally} for each role on one side, and one for all. */
final class Ledger {

    private final List<Tally> rows;
    private final List<Role> roles;
    private final Tally all;

    Ledger(List<Role> roles, LongSupplier clock) {
        long origin = clock.getAsLong();
        this.roles = List.copyOf(roles);
        this.rows = roles.stream().map(role -> new Tally(role, clock, origin)).toList();
        this.all = new Tally(new Role("all", "all"), clock, origin);
    }

    Tally.Entry arrive(int role) {
        return rows.get(role).arrive();
    }

    void settle(int role, Tally.Entry entry) {
        rows.get(role).settle(entry);
    }

    void begin(int role) {
        rows.get(role).begin();
        all.begin();
    }

    void end(int role) {
        all.end();
        rows.get(role).end();
    }

    void leak(int role, int parts) {
        all.leak(parts);
        rows.get(role).leak(parts);
    }

    void endLeaked(int role) {
        all.endLeaked();
        rows.get(role).endLeaked();
    }

    Snapshot.SideView view(String title, String focus, boolean leaks) {
        List<Snapshot.Line> lines = rows.stream().map(row -> row.line(leaks)).toList();
        return new Snapshot.SideView(title, lines, waits(focus).p99());
    }

    private Waits waits(String kind) {
        List<Sample> samples = new ArrayList<>();
        for (int i = 0; i < rows.size(); i++) {
            if (roles.get(i).kind().equals(kind)) {
                rows.get(i).addWaits(samples);
            }
        }
        return Waits.of(samples);
    }

    int peakRunning() {
        return rows.stream().mapToInt(Tally::peakRunning).max().orElse(0);
    }

    int peakHeld(boolean leaks) {
        return rows.stream().mapToInt(row -> row.peakHeld(leaks)).max().orElse(0);
    }

    SideOutcome freeze(String title) {
        return new SideOutcome(
                title, rows.stream().map(Tally::freeze).toList(), all.freeze().peak());
    }
}
