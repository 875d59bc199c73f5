package io.github.kobe.benchmarks;

/**
 * What a user could use instead of this library to limit the concurrency of groups. Each one is used as its documentation shows. jox is not
 * among them, since its limit applies to one call: see {@link FanOut}.
 */
enum Peer {
    SEMAPHORE("hand-written Semaphore") {
        @Override
        ExecutorAdapter open(int limit, int queueCapacity) {
            return new SemaphoreAdapter(limit);
        }
    },
    THREAD_POOLS("ThreadPoolExecutor for each group") {
        @Override
        ExecutorAdapter open(int limit, int queueCapacity) {
            return new ThreadPoolsAdapter(limit);
        }
    },
    SHARED_THREAD_POOL("ThreadPoolExecutor, one for all groups") {
        @Override
        ExecutorAdapter open(int limit, int queueCapacity) {
            return new SharedGroupAdapter(new ThreadPoolsAdapter(limit));
        }
    },
    RESILIENCE4J("resilience4j Bulkhead") {
        @Override
        ExecutorAdapter open(int limit, int queueCapacity) {
            return new Resilience4jAdapters.SemaphoreBulkheads(limit);
        }
    },
    RESILIENCE4J_POOLS("resilience4j ThreadPoolBulkhead") {
        @Override
        ExecutorAdapter open(int limit, int queueCapacity) {
            return new Resilience4jAdapters.ThreadPoolBulkheads(limit, queueCapacity);
        }
    },
    FAILSAFE("Failsafe Bulkhead") {
        @Override
        ExecutorAdapter open(int limit, int queueCapacity) {
            return new FailsafeAdapter(limit);
        }
    },
    CONCURRENCY_LIMITS("Netflix concurrency-limits") {
        @Override
        ExecutorAdapter open(int limit, int queueCapacity) {
            return new ConcurrencyLimitsAdapter(limit);
        }
    },
    CAMELLIA("camellia-tools") {
        @Override
        ExecutorAdapter open(int limit, int queueCapacity) {
            return new CamelliaAdapter();
        }

        @Override
        String counterpart() {
            return IsolationExecutorAdapter.NAME;
        }
    },
    VIRTUAL_THREADS("virtual threads, no limit") {
        @Override
        ExecutorAdapter open(int limit, int queueCapacity) {
            return new VirtualThreadsAdapter();
        }
    };

    private final String title;

    Peer(String title) {
        this.title = title;
    }

    String title() {
        return title;
    }

    /**
     * Creates an executor.
     *
     * @param limit how many tasks of a group may run at the same time
     * @param queueCapacity how many tasks of a group may be queued, for executors that require a bound
     */
    abstract ExecutorAdapter open(int limit, int queueCapacity);

    /** Returns the name of the executor of this library that it is compared with. */
    String counterpart() {
        return GroupExecutorAdapter.NAME;
    }
}
