package io.github.kobe.demo;

import java.util.List;

/** A scenario with a limit on the number of running tasks. The plain executor is a thread pool with as many threads. */
interface TaskScenario extends Scenario {

    /** Returns how many tasks may run at the same time. */
    int permits();

    @Override
    default ExecutorFactory plain() {
        return new ExecutorFactory("ThreadPoolExecutor", recorder -> TaskExecutor.threadPool(permits(), recorder));
    }

    @Override
    default boolean hasConsole() {
        return true;
    }

    @Override
    default List<String> brokenPromises(ExecutorResult library) {
        return library.peak() <= permits()
                ? List.of()
                : List.of(library.peak() + " tasks ran at the same time, the limit is " + permits());
    }
}
