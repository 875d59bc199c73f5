package io.github.kobe.benchmarks;

import com.netease.nim.camellia.tools.executor.CamelliaDynamicIsolationExecutor;
import com.netease.nim.camellia.tools.executor.CamelliaDynamicIsolationExecutorConfig;
import java.util.concurrent.Callable;

/**
 * The isolation executor of camellia-tools. It has several pools of the given size, so it has more threads than the candidate that it is
 * compared with. It cannot be closed, so all rounds share one instance.
 */
final class CamelliaAdapter implements ExecutorAdapter {

    static final int THREADS_PER_POOL = 16;
    private static final int QUEUE_CAPACITY = 1_000_000;

    private static final CamelliaDynamicIsolationExecutor EXECUTOR = new CamelliaDynamicIsolationExecutor(
            new CamelliaDynamicIsolationExecutorConfig("benchmark", () -> THREADS_PER_POOL, () -> QUEUE_CAPACITY));

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // the caller gets it
    public Object submit(String group, Callable<?> task) {
        return EXECUTOR.submit(group, task);
    }

    @Override
    public void close() {}
}
