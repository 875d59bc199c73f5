package io.github.kobe.demo;

import java.util.List;

/** Tasks that wait for one of so many places: those of a thread pool, and those of what this library has instead. */
interface TaskScenario extends Scenario {

    /** How many tasks may run at once. */
    int places();

    @Override
    default Contender plain() {
        return new Contender("ThreadPoolExecutor", ledger -> TaskSide.threadPool(places(), ledger));
    }

    @Override
    default List<String> broken(SideOutcome ours) {
        return ours.peak() <= places() ? List.of() : List.of(ours.peak() + " ran at once, " + places() + " may");
    }
}
