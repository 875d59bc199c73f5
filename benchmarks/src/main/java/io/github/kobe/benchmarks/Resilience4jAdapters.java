package io.github.kobe.benchmarks;

import io.github.resilience4j.bulkhead.BulkheadConfig;
import io.github.resilience4j.bulkhead.BulkheadRegistry;
import io.github.resilience4j.bulkhead.ThreadPoolBulkhead;
import io.github.resilience4j.bulkhead.ThreadPoolBulkheadConfig;
import io.github.resilience4j.bulkhead.ThreadPoolBulkheadRegistry;
import java.time.Duration;
import java.util.concurrent.Callable;

/** The two bulkheads of resilience4j. A registry creates one for each group. */
final class Resilience4jAdapters {

    private Resilience4jAdapters() {}

    /** The bulkhead that blocks the calling thread. It requires a limit on the time to wait. */
    static final class SemaphoreBulkheads extends ThreadPerTaskAdapter {
        private final BulkheadRegistry bulkheads;

        SemaphoreBulkheads(int limit) {
            bulkheads = BulkheadRegistry.of(BulkheadConfig.custom()
                    .maxConcurrentCalls(limit)
                    .maxWaitDuration(Duration.ofHours(1))
                    .build());
        }

        @Override
        public Object call(String group, Callable<?> task) throws Exception {
            return bulkheads.bulkhead(group).executeCallable(task);
        }
    }

    /** The bulkhead with its own threads. It allocates the full capacity of its queue at once. */
    static final class ThreadPoolBulkheads implements ExecutorAdapter {
        private final ThreadPoolBulkheadRegistry bulkheads;

        ThreadPoolBulkheads(int limit, int queueCapacity) {
            bulkheads = ThreadPoolBulkheadRegistry.of(ThreadPoolBulkheadConfig.custom()
                    .coreThreadPoolSize(limit)
                    .maxThreadPoolSize(limit)
                    .queueCapacity(queueCapacity)
                    .build());
        }

        @Override
        public Object submit(String group, Callable<?> task) {
            return bulkheads.bulkhead(group).executeCallable(task);
        }

        @Override
        public void close() {
            bulkheads.getAllBulkheads().forEach(ThreadPoolBulkheads::close);
        }

        private static void close(ThreadPoolBulkhead bulkhead) {
            try {
                bulkhead.close();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
