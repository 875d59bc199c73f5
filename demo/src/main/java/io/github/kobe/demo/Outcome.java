package io.github.kobe.demo;

import java.util.List;

/** What came of the same work on both sides. */
record Outcome(SideOutcome plain, SideOutcome ours) {

    List<SideOutcome> sides() {
        return List.of(plain, ours);
    }

    /** In the order of the rows, each once. */
    List<String> kinds() {
        return ours.rows().stream().map(row -> row.role().kind()).distinct().toList();
    }
}
