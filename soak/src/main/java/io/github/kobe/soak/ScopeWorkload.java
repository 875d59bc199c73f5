package io.github.kobe.soak;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** {@link io.github.kobe.scope.ThreadScope}: opened and closed all the time, nested, and over the groups of the executors. */
final class ScopeWorkload implements FaceWorkload {

    private final Recorder recorder;
    private final List<GroupFixture> rigs;
    private final AtomicInteger open = new AtomicInteger();

    ScopeWorkload(Recorder recorder, List<GroupFixture> rigs) {
        this.recorder = recorder;
        this.rigs = rigs;
    }

    @Override
    public String name() {
        return "scope";
    }

    @Override
    public List<Operation> operations() {
        return List.of(Operation.of("scope", 1, this::play));
    }

    private void play(RandomSource random, long op) {
        open.incrementAndGet();
        try {
            new ScopeSession(recorder, random.split(), op, 0, random.oneOf(rigs)).play();
        } finally {
            open.decrementAndGet();
        }
    }

    @Override
    public List<Operation> adminOperations() {
        return List.of();
    }

    @Override
    public int outstandingTasks() {
        return 0; // each actor waits for its own
    }

    @Override
    public void verifyCompleted() {
        // each is judged when it is closed
    }

    @Override
    public void unblock() {
        // nothing holds one up
    }

    @Override
    public boolean isIdle() {
        return open.get() == 0;
    }

    @Override
    public void checkIdle() {
        recorder.check(Check.DONE_AT_CLOSE, open.get() == 0, 0, () -> open + " scopes are open at rest");
    }

    @Override
    public void runScenarios(RandomSource random) {
        // each of them is one
    }

    @Override
    public void shutDown(RandomSource random) {
        // nothing is shared between them
    }

    @Override
    public boolean isShutdown() {
        return false;
    }

    @Override
    public String diagnostics() {
        return "scope: " + open + " open";
    }
}
