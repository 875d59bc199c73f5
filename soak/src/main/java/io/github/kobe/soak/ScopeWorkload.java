package io.github.kobe.soak;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Load on {@link io.github.kobe.scope.ThreadScope}: opens, nests and closes scopes all the time, also with groups of the executors. */
final class ScopeWorkload implements FaceWorkload {

    private final CheckRecorder recorder;
    private final List<GroupFixture> fixtures;
    private final AtomicInteger openScopes = new AtomicInteger();

    ScopeWorkload(CheckRecorder recorder, List<GroupFixture> fixtures) {
        this.recorder = recorder;
        this.fixtures = fixtures;
    }

    @Override
    public String name() {
        return "scope";
    }

    @Override
    public List<Operation> operations() {
        return List.of(Operation.of("scope", 1, this::runScope));
    }

    private void runScope(RandomSource random, long opId) {
        openScopes.incrementAndGet();
        try {
            new ScopeSession(recorder, random.split(), opId, 0, random.oneOf(fixtures)).run();
        } finally {
            openScopes.decrementAndGet();
        }
    }

    @Override
    public List<Operation> adminOperations() {
        return List.of();
    }

    @Override
    public int outstandingTasks() {
        return 0; // a scope waits for its own tasks when it is closed
    }

    @Override
    public void verifyCompleted() {
        // a session verifies its tasks when its scope is closed
    }

    @Override
    public void unblock() {
        // scopes are never paused
    }

    @Override
    public boolean isIdle() {
        return openScopes.get() == 0;
    }

    @Override
    public void checkIdle() {
        recorder.check(Check.DONE_AT_CLOSE, openScopes.get() == 0, 0, () -> openScopes + " scopes are open when idle");
    }

    @Override
    public void runScenarios(RandomSource random) {
        // scopes share no state that the load could damage
    }

    @Override
    public void shutDown(RandomSource random) {
        // there is nothing to shut down: each scope is closed by its session
    }

    @Override
    public boolean isShutdown() {
        return false;
    }

    @Override
    public String diagnostics() {
        return "scope: " + openScopes + " open";
    }
}
