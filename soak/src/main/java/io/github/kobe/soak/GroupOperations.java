package io.github.kobe.soak;

import io.github.kobe.GroupResult;
import io.github.kobe.GroupTask;
import io.github.kobe.Permit;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.TaskHandle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** What actors do with a group executor, but for its views. */
final class GroupOperations {

    private static final int PASSING_KEYS = 2000;

    private final GroupFixture rig;

    GroupOperations(GroupFixture rig) {
        this.rig = rig;
    }

    List<Operation> ops() {
        return List.of(
                Operation.of("group submit", 40, this::submit),
                Operation.of("group submit, cancel", 10, this::submitAndCancel),
                Operation.of("group submit in order", 15, this::submitInOrder),
                Operation.of("group submit, await", 3, this::submitAndAwait),
                Operation.of("group burst", 1, this::burst),
                Operation.of("group chain of futures", 5, this::chain),
                Operation.of("group submit from inside", 4, this::submitFromInside),
                Operation.of("group executeAll", 1, this::executeAll),
                Operation.of("group completions", 1, this::completions),
                Operation.of("group call", 4, this::call),
                Operation.of("group acquire", 4, this::acquire),
                Operation.of("group tryAcquire", 4, this::tryAcquire));
    }

    static String anyGroup(RandomSource random) {
        return switch (random.below(10)) {
            case 0, 1 -> GroupFixture.CALM;
            case 2 -> GroupFixture.RESOLVED;
            case 3, 4, 5 -> GroupFixture.PASSING + random.below(PASSING_KEYS);
            default -> random.oneOf(GroupFixture.ROUGH);
        };
    }

    private TrackedTask any(RandomSource random, long op) {
        return rig.probe(op, anyGroup(random), TaskBehavior.random(random), TaskSpec.random(random));
    }

    private void submit(RandomSource random, long op) throws Exception {
        rig.submit(any(random, op));
    }

    private void submitAndCancel(RandomSource random, long op) throws Exception {
        any(random, op).submitAndCancel(rig::submit, random);
    }

    private void submitInOrder(RandomSource random, long op) throws Exception {
        TaskSpec terms = random.oneIn(2)
                ? TaskSpec.DEFAULT
                : new TaskSpec(
                        io.github.kobe.TaskOptions.builder()
                                .priority(random.below(3))
                                .build(),
                        1,
                        false);
        rig.submit(rig.probe(op, GroupFixture.FIFO + WorkloadThread.NAME.get(), TaskBehavior.random(random), terms));
    }

    private void submitAndAwait(RandomSource random, long op) throws Exception {
        TaskHandle<Object> handle = rig.submit(any(random, op));
        try {
            if (random.oneIn(2)) {
                handle.await(random.below(3), TimeUnit.MILLISECONDS);
            } else {
                handle.join(random.below(3), TimeUnit.MILLISECONDS);
            }
        } catch (RejectedTaskException e) {
            TrackedTask.checkNumbers(rig.recorder, op, e);
        }
    }

    private void burst(RandomSource random, long op) throws Exception {
        String group = anyGroup(random);
        for (int i = 0; i < 50; i++) {
            rig.submit(rig.probe(
                    rig.recorder.countOperation("group burst task"), group, TaskBehavior.RETURN, TaskSpec.DEFAULT));
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the count says whether it came
    private void chain(RandomSource random, long op) throws Exception {
        TaskHandle<Object> handle = rig.submit(any(random, op));
        boolean bad = random.oneIn(4);
        rig.chains.incrementAndGet();
        handle.toCompletableFuture()
                .thenApply(result -> {
                    InjectedException.throwIf(bad, "a stage");
                    return result;
                })
                .whenComplete((result, fault) -> rig.chains.decrementAndGet());
    }

    /** A task that hands in another, of another group, and does not wait for it. */
    private void submitFromInside(RandomSource random, long op) throws Exception {
        TrackedTask outer = rig.probe(op, random.oneOf(GroupFixture.ROUGH), TaskBehavior.RETURN, TaskSpec.DEFAULT);
        RandomSource inner = random.split();
        var body = rig.body(outer);
        try {
            outer.handle = PermitFreeThread.call(() -> rig.executor.submit(outer.group, outer.taskId(), () -> {
                submitQuietly(inner);
                return body.call();
            }));
            rig.surelyHandedIn.increment();
        } catch (Throwable refused) {
            rig.maybeHandedIn.increment();
            rig.drop(outer);
            throw refused;
        }
    }

    private void submitQuietly(RandomSource random) throws Exception {
        try {
            rig.submit(any(random, rig.recorder.countOperation("group task from inside")));
        } catch (IllegalStateException e) {
            if (!rig.troupe.isBulkCancelling()) {
                throw e;
            }
        }
    }

    private List<GroupTask<Object>> tasks(RandomSource random, List<TrackedTask> probes) {
        List<GroupTask<Object>> tasks = new ArrayList<>();
        int size = random.between(1, 20);
        for (int i = 0; i < size; i++) {
            TrackedTask probe = new TrackedTask(
                    rig.troupe,
                    rig.recorder.countOperation("group task of many"),
                    rig.name,
                    anyGroup(random),
                    TaskBehavior.random(random),
                    TaskSpec.DEFAULT);
            probe.cancelExpected = true;
            probes.add(probe);
            tasks.add(new GroupTask<>(probe.group, probe.taskId(), rig.body(probe)));
        }
        return tasks;
    }

    private void executeAll(RandomSource random, long op) throws Exception {
        List<TrackedTask> probes = new ArrayList<>();
        List<GroupTask<Object>> tasks = tasks(random, probes);
        rig.maybeHandedIn.add(tasks.size());
        List<GroupResult<Object>> results = PermitFreeThread.call(() -> rig.executor.executeAll(tasks));
        rig.recorder.check(
                Check.HANDLE_DONE, results.size() == tasks.size(), op, () -> results + " of " + tasks.size());
        for (int i = 0; i < results.size(); i++) {
            rig.recorder.countOutcome(rig.name + " " + results.get(i).status());
            probes.get(i).verifyResult(rig.recorder, results.get(i), false);
        }
    }

    private void completions(RandomSource random, long op) throws Exception {
        List<TrackedTask> probes = new ArrayList<>();
        List<GroupTask<Object>> tasks = tasks(random, probes);
        rig.maybeHandedIn.add(tasks.size());
        int most = random.oneIn(2) ? tasks.size() : random.below(tasks.size());
        int window = random.between(1, 8);
        List<GroupResult<Object>> results = PermitFreeThread.call(() -> {
            try (Stream<GroupResult<Object>> stream = rig.executor.completions(tasks.stream(), window)) {
                return stream.limit(most).toList();
            } catch (java.util.concurrent.CancellationException interrupted) {
                throw new InterruptedException();
            }
        });
        boolean fine = results.size() == most
                && results.stream().map(GroupResult::taskId).distinct().count() == most;
        rig.recorder.check(Check.HANDLE_DONE, fine, op, () -> "wanted " + most + " completions, and got " + results);
    }

    // ---- on the actor's own thread -------------------------------------------------------------------------------

    private void call(RandomSource random, long op) throws Exception {
        String group = random.oneIn(2) ? GroupFixture.CALM : random.oneOf(GroupFixture.ROUGH);
        boolean bad = random.oneIn(4);
        boolean counted = rig.handler || rig.rejection != io.github.kobe.RejectionPolicy.CALLER_RUNS;
        rig.maybeHandedIn.increment();
        try {
            rig.executor.call(group, () -> work(group, op, counted, bad));
        } catch (InjectedException planned) {
            rig.recorder.check(Check.FAITHFUL_OUTCOME, bad, op, () -> "threw " + planned);
        } catch (RejectedTaskException e) {
            TrackedTask.checkNumbers(rig.recorder, op, e);
        }
    }

    private Object work(String group, long op, boolean counted, boolean bad) {
        if (counted) {
            rig.global.enter(op);
            rig.watch(group).enter(op);
        }
        try {
            InjectedException.throwIf(bad, "a call");
            Thread.yield();
            return group;
        } finally {
            if (counted) {
                rig.watch(group).exit();
                rig.global.exit();
            }
        }
    }

    private void acquire(RandomSource random, long op) throws Exception {
        String group = random.oneIn(2) ? GroupFixture.CALM : random.oneOf(GroupFixture.ROUGH);
        rig.maybeHandedIn.increment();
        try (Permit permit = rig.executor.acquire(group)) {
            work(permit.groupKey(), op, true, false);
            if (random.oneIn(10)) {
                permit.close(); // twice does no harm
            }
        } catch (RejectedTaskException e) {
            TrackedTask.checkNumbers(rig.recorder, op, e);
        }
    }

    private void tryAcquire(RandomSource random, long op) throws Exception {
        String group = random.oneIn(2) ? GroupFixture.CALM : random.oneOf(GroupFixture.ROUGH);
        rig.maybeHandedIn.increment();
        Duration time = random.oneIn(2) ? Duration.ZERO : random.micros(1, 2000);
        try {
            rig.executor.tryAcquire(group, time).ifPresent(permit -> {
                try (permit) {
                    work(group, op, true, false);
                }
            });
        } catch (RejectedTaskException e) {
            TrackedTask.checkNumbers(rig.recorder, op, e);
        }
    }
}
