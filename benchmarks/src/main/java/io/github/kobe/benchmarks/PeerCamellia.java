package io.github.kobe.benchmarks;

import com.netease.nim.camellia.tools.executor.CamelliaDynamicIsolationExecutor;
import com.netease.nim.camellia.tools.executor.CamelliaDynamicIsolationExecutorConfig;
import java.util.concurrent.Callable;

/**
 * The isolation executor of camellia-tools. It has several pools of the given size, so more places than what it is compared with, and
 * cannot be closed: one is made, and used in all rounds.
 */
final class PeerCamellia implements Contender {

    static final int PLACES = 16;
    private static final int LINE = 1_000_000;

    private static final CamelliaDynamicIsolationExecutor EXECUTOR = new CamelliaDynamicIsolationExecutor(
            new CamelliaDynamicIsolationExecutorConfig("benchmark", () -> PLACES, () -> LINE));

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // handed on as what the caller would hold
    public Object submit(String group, Callable<?> task) {
        return EXECUTOR.submit(group, task);
    }

    @Override
    public void close() {}
}
