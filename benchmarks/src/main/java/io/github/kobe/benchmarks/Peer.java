package io.github.kobe.benchmarks;

/**
 * What a user would pick instead for the limits of groups, each used as its own documentation has it. jox is none of them, since its
 * limit is that of a single call: see {@link FanOut}.
 */
enum Peer {
    SEMAPHORE("Semaphore by hand") {
        @Override
        Contender open(int limit, int line) {
            return new PeerSemaphore(limit);
        }
    },
    POOLS("ThreadPoolExecutor for each group") {
        @Override
        Contender open(int limit, int line) {
            return new PeerPools(limit);
        }
    },
    POOL("ThreadPoolExecutor, one for all") {
        @Override
        Contender open(int limit, int line) {
            return new Together(new PeerPools(limit));
        }
    },
    RESILIENCE("resilience4j Bulkhead") {
        @Override
        Contender open(int limit, int line) {
            return new PeerResilience.OfSemaphores(limit);
        }
    },
    RESILIENCE_POOLS("resilience4j ThreadPoolBulkhead") {
        @Override
        Contender open(int limit, int line) {
            return new PeerResilience.OfPools(limit, line);
        }
    },
    FAILSAFE("Failsafe Bulkhead") {
        @Override
        Contender open(int limit, int line) {
            return new PeerFailsafe(limit);
        }
    },
    LIMITS("Netflix concurrency-limits") {
        @Override
        Contender open(int limit, int line) {
            return new PeerLimits(limit);
        }
    },
    CAMELLIA("camellia-tools") {
        @Override
        Contender open(int limit, int line) {
            return new PeerCamellia();
        }

        @Override
        String rival() {
            return LibraryTenants.NAME;
        }
    },
    THREADS("virtual threads, no limit") {
        @Override
        Contender open(int limit, int line) {
            return new BareThreads();
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
     * @param limit how many tasks of a group run at once
     * @param line how many may wait, where it wants to know
     */
    abstract Contender open(int limit, int line);

    /** Which of our sides does what this one does. */
    String rival() {
        return Library.NAME;
    }
}
