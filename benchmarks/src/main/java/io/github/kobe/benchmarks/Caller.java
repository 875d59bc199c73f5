package io.github.kobe.benchmarks;

import java.util.concurrent.Callable;

/** A {@link Contender} that can also run a task on the thread that brings it, once its group has a place. */
interface Caller extends Contender {

    Object call(String group, Callable<?> task) throws Exception;
}
