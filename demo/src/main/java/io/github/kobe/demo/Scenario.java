package io.github.kobe.demo;

import java.util.List;

/** The same work on a plain executor and on an executor of this library. */
interface Scenario {

    /** Returns the name on the command line. */
    String name();

    /** Returns a summary in less than one line. */
    String summary();

    /** Returns what happens and what to look at, in a few lines of at most 76 characters. */
    List<String> about();

    Labels labels();

    List<Traffic> traffic();

    /** Returns the kind of source whose waits the scenario is about. */
    String focus();

    /** Returns the longest wait that is shown in green. */
    default double goodWaitMillis() {
        return 25;
    }

    ExecutorFactory plain();

    ExecutorFactory library();

    /** Returns whether the second bar shows orphaned calls instead of queued tasks. */
    default boolean showsOrphans() {
        return false;
    }

    /** Returns whether a console can show the executor of this library. */
    default boolean hasConsole() {
        return false;
    }

    /** Returns the last column of the verdict for the sources of one kind. */
    String extra(List<SourceResult> kind);

    /** Returns one sentence that follows from the result, whichever executor did better. */
    String verdict(RunResult result);

    /** Returns the promises of this library that the run broke, or an empty list. */
    List<String> brokenPromises(ExecutorResult library);

    default List<Source> sources() {
        return traffic().stream().map(Traffic::source).toList();
    }
}
