package io.github.kobe.benchmarks;

import io.github.resilience4j.bulkhead.BulkheadConfig;
import io.github.resilience4j.bulkhead.BulkheadRegistry;
import io.github.resilience4j.bulkhead.ThreadPoolBulkhead;
import io.github.resilience4j.bulkhead.ThreadPoolBulkheadConfig;
import io.github.resilience4j.bulkhead.ThreadPoolBulkheadRegistry;
import java.time.Duration;
import java.util.concurrent.Callable;

/** The two bulkheads of resilience4j, one for each group from a registry. */
final class PeerResilience {

    private PeerResilience() {}

    /** The one that the calling thread waits for; waiting without an end is not to be had. */
    static final class OfSemaphores extends OnVirtualThreads {
        private final BulkheadRegistry bulkheads;

        OfSemaphores(int limit) {
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

    /** The one with threads of its own, and a line whose length is allocated from the start. */
    static final class OfPools implements Contender {
        private final ThreadPoolBulkheadRegistry bulkheads;

        OfPools(int limit, int line) {
            bulkheads = ThreadPoolBulkheadRegistry.of(ThreadPoolBulkheadConfig.custom()
                    .coreThreadPoolSize(limit)
                    .maxThreadPoolSize(limit)
                    .queueCapacity(line)
                    .build());
        }

        @Override
        public Object submit(String group, Callable<?> task) {
            return bulkheads.bulkhead(group).executeCallable(task);
        }

        @Override
        public void close() {
            bulkheads.getAllBulkheads().forEach(OfPools::close);
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
