package io.github.kobe.soak;

import io.github.kobe.GroupResult;
import io.github.kobe.GroupTask;
import io.github.kobe.Permit;
import io.github.kobe.PermitOptions;
import io.github.kobe.PermitResult;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.RejectionPolicy;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** The operations that workload threads perform on a group executor and on its executor service views. */
final class GroupOperations {

    private static final int TRANSIENT_GROUPS = 2000;

    private final GroupFixture fixture;

    GroupOperations(GroupFixture fixture) {
        this.fixture = fixture;
    }

    List<Operation> operations() {
        return List.of(
                Operation.of("group submit", 40, this::submit),
                Operation.of("group submit, cancel", 10, this::submitAndCancel),
                Operation.of("group submit in order", 15, this::submitInOrder),
                Operation.of("group submit, await", 3, this::submitAndAwait),
                Operation.of("group burst", 1, this::submitBurst),
                Operation.of("group dependent stage", 5, this::submitWithStage),
                Operation.of("group submit from a task", 4, this::submitFromTask),
                Operation.of("group executeAll", 1, this::executeAll),
                Operation.of("group completions", 1, this::completions),
                Operation.of("group call", 4, this::call),
                Operation.of("group acquire", 4, this::acquire),
                Operation.of("group tryAcquire", 4, this::tryAcquire),
                Operation.of("group acquireAsync", 4, this::acquireAsync),
                Operation.of("view submit", 3, this::viewSubmit),
                Operation.of("view invokeAll", 1, this::viewInvokeAll),
                Operation.of("view invokeAny", 1, this::viewInvokeAny),
                Operation.of("view supplyAsync", 3, this::viewSupplyAsync));
    }

    static String anyGroup(RandomSource random) {
        return switch (random.below(10)) {
            case 0, 1 -> GroupFixture.STABLE;
            case 2 -> GroupFixture.RESOLVED;
            case 3, 4, 5 -> GroupFixture.TRANSIENT + random.below(TRANSIENT_GROUPS);
            default -> random.oneOf(GroupFixture.DISRUPTED);
        };
    }

    private static String stableOrDisrupted(RandomSource random) {
        return random.oneIn(2) ? GroupFixture.STABLE : random.oneOf(GroupFixture.DISRUPTED);
    }

    private TrackedTask randomTask(RandomSource random, long opId) {
        return fixture.newTask(opId, anyGroup(random), TaskBehavior.random(random), TaskSpec.random(random));
    }

    // ---- tasks with a handle -------------------------------------------------------------------------------------

    private void submit(RandomSource random, long opId) throws Exception {
        fixture.submit(randomTask(random, opId));
    }

    private void submitAndCancel(RandomSource random, long opId) throws Exception {
        randomTask(random, opId).submitAndCancel(fixture::submit, random);
    }

    /** Submits to the group with one permit that only this thread uses. */
    private void submitInOrder(RandomSource random, long opId) throws Exception {
        TaskSpec spec = random.oneIn(2)
                ? TaskSpec.DEFAULT
                : new TaskSpec(TaskOptions.builder().priority(random.below(3)).build(), 1, false);
        fixture.submit(fixture.newTask(
                opId, GroupFixture.FIFO + WorkloadThread.NAME.get(), TaskBehavior.random(random), spec));
    }

    private void submitAndAwait(RandomSource random, long opId) throws Exception {
        TaskHandle<Object> handle = fixture.submit(randomTask(random, opId));
        try {
            if (random.oneIn(2)) {
                handle.await(random.below(3), TimeUnit.MILLISECONDS);
            } else {
                handle.join(random.below(3), TimeUnit.MILLISECONDS);
            }
        } catch (RejectedTaskException e) {
            TrackedTask.checkNumbers(fixture.recorder, opId, e);
        }
    }

    private void submitBurst(RandomSource random, long opId) throws Exception {
        String group = anyGroup(random);
        for (int i = 0; i < 50; i++) {
            long taskOpId = fixture.recorder.countOperation("group burst task");
            fixture.submit(fixture.newTask(taskOpId, group, TaskBehavior.RETURN, TaskSpec.DEFAULT));
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // pendingStages shows whether the stage ran
    private void submitWithStage(RandomSource random, long opId) throws Exception {
        TaskHandle<Object> handle = fixture.submit(randomTask(random, opId));
        boolean fail = random.oneIn(4);
        fixture.pendingStages.incrementAndGet();
        handle.toCompletableFuture()
                .thenApply(result -> {
                    InjectedException.throwIf(fail, "a stage");
                    return result;
                })
                .whenComplete((result, thrown) -> fixture.pendingStages.decrementAndGet());
    }

    /** Submits a task that submits another one, to any group, and does not wait for it. */
    private void submitFromTask(RandomSource random, long opId) throws Exception {
        TrackedTask outer =
                fixture.newTask(opId, random.oneOf(GroupFixture.DISRUPTED), TaskBehavior.RETURN, TaskSpec.DEFAULT);
        RandomSource innerRandom = random.split();
        Callable<Object> body = fixture.bodyOf(outer);
        fixture.submit(
                outer,
                () -> fixture.executor.submit(outer.group, outer.taskId(), () -> {
                    submitUnlessShutdown(innerRandom);
                    return body.call();
                }));
    }

    private void submitUnlessShutdown(RandomSource random) throws Exception {
        try {
            fixture.submit(randomTask(random, fixture.recorder.countOperation("group task from a task")));
        } catch (IllegalStateException e) {
            if (!fixture.tracker.isBulkCancelling()) {
                throw e;
            }
        }
    }

    // ---- batches -------------------------------------------------------------------------------------------------

    /** Creates the tasks of a batch. Their tracked tasks are added to {@code tracked}, in the same order. */
    private List<GroupTask<Object>> newBatch(RandomSource random, List<TrackedTask> tracked) {
        List<GroupTask<Object>> batch = new ArrayList<>();
        int size = random.between(1, 20);
        for (int i = 0; i < size; i++) {
            TrackedTask task = new TrackedTask(
                    fixture.tracker,
                    fixture.recorder.countOperation("group batch task"),
                    fixture.name,
                    anyGroup(random),
                    TaskBehavior.random(random),
                    TaskSpec.DEFAULT);
            task.cancelExpected = true;
            tracked.add(task);
            batch.add(new GroupTask<>(task.group, task.taskId(), fixture.bodyOf(task)));
        }
        return batch;
    }

    private void executeAll(RandomSource random, long opId) throws Exception {
        List<TrackedTask> tracked = new ArrayList<>();
        List<GroupTask<Object>> batch = newBatch(random, tracked);
        fixture.possiblySubmitted.add(batch.size());
        List<GroupResult<Object>> results = PermitFreeThread.call(() -> fixture.executor.executeAll(batch));
        fixture.recorder.check(
                Check.HANDLE_DONE,
                results.size() == batch.size(),
                opId,
                () -> "executeAll of " + batch.size() + " tasks returned " + results);
        for (int i = 0; i < results.size(); i++) {
            fixture.recorder.countOutcome(fixture.name + " " + results.get(i).status());
            tracked.get(i).verifyResult(fixture.recorder, results.get(i), false);
        }
    }

    private void completions(RandomSource random, long opId) throws Exception {
        List<GroupTask<Object>> batch = newBatch(random, new ArrayList<>());
        fixture.possiblySubmitted.add(batch.size());
        int limit = random.oneIn(2) ? batch.size() : random.below(batch.size());
        int window = random.between(1, 8);
        int windowPerGroup = random.between(1, 8);
        List<GroupResult<Object>> results = PermitFreeThread.call(() -> {
            try (Stream<GroupResult<Object>> stream =
                    fixture.executor.completions(batch.stream(), window, windowPerGroup)) {
                return stream.limit(limit).toList();
            } catch (CancellationException interrupted) {
                throw new InterruptedException();
            }
        });
        boolean complete = results.size() == limit
                && results.stream().map(GroupResult::taskId).distinct().count() == limit;
        fixture.recorder.check(
                Check.HANDLE_DONE, complete, opId, () -> "expected " + limit + " completions, got " + results);
    }

    // ---- permits held by the workload thread itself --------------------------------------------------------------

    private void call(RandomSource random, long opId) throws Exception {
        String group = stableOrDisrupted(random);
        boolean fail = random.oneIn(4);
        boolean holdsPermit = fixture.callersHoldPermits();
        fixture.possiblySubmitted.increment();
        try {
            fixture.executor.call(group, () -> runOnCaller(group, opId, holdsPermit, fail));
        } catch (InjectedException e) {
            fixture.recorder.check(Check.FAITHFUL_OUTCOME, fail, opId, () -> "threw " + e);
        } catch (RejectedTaskException e) {
            TrackedTask.checkNumbers(fixture.recorder, opId, e);
        }
    }

    private Object runOnCaller(String group, long opId, boolean holdsPermit, boolean fail) {
        if (holdsPermit) {
            fixture.enterLimits(group, opId);
        }
        try {
            InjectedException.throwIf(fail, "a call");
            Thread.yield();
            return group;
        } finally {
            if (holdsPermit) {
                fixture.exitLimits(group);
            }
        }
    }

    private void acquire(RandomSource random, long opId) throws Exception {
        String group = stableOrDisrupted(random);
        fixture.possiblySubmitted.increment();
        try (Permit permit = fixture.executor.acquire(group)) {
            runOnCaller(permit.groupKey(), opId, true, false);
            if (random.oneIn(10)) {
                permit.close(); // closing twice has no effect
            }
        } catch (RejectedTaskException e) {
            TrackedTask.checkNumbers(fixture.recorder, opId, e);
        }
    }

    private void tryAcquire(RandomSource random, long opId) throws Exception {
        String group = stableOrDisrupted(random);
        fixture.possiblySubmitted.increment();
        Duration maxWait = random.oneIn(2) ? Duration.ZERO : random.micros(1, 2000);
        try {
            PermitResult result = fixture.executor.tryAcquire(group, maxWait);
            try (Permit permit = result.permit()) {
                runOnCaller(permit.groupKey(), opId, true, false);
            }
        } catch (RejectedTaskException e) {
            TrackedTask.checkNumbers(fixture.recorder, opId, e);
        }
    }

    /** Some futures are cancelled, maybe at the moment of the grant. A permit that is not given back would show as a leak. */
    @SuppressWarnings("FutureReturnValueIgnored") // pendingStages shows whether the stage ran
    private void acquireAsync(RandomSource random, long opId) {
        String group = stableOrDisrupted(random);
        PermitOptions.Builder options = PermitOptions.builder().priority(random.below(3));
        if (random.oneIn(3)) {
            options.maxWait(random.micros(1, 2000));
        }
        fixture.possiblySubmitted.increment();
        CompletableFuture<Permit> future = fixture.executor.acquireAsync(group, options.build());
        fixture.pendingStages.incrementAndGet();
        future.thenAccept(permit -> {
                    try (permit) {
                        runOnCaller(group, opId, true, false);
                    }
                })
                .whenComplete((nothing, thrown) -> fixture.pendingStages.decrementAndGet());
        if (random.oneIn(3)) {
            future.cancel(false);
        }
    }

    // ---- executor service views ----------------------------------------------------------------------------------

    /** Code for a view. It is not tracked, because a view chooses the task id that listeners see. */
    private Callable<Object> viewCode(long opId, String group) {
        return () -> {
            if (PermitFreeThread.isCurrent()) {
                return group;
            }
            fixture.enterLimits(group, opId);
            try {
                Thread.yield();
                return group;
            } finally {
                fixture.exitLimits(group);
            }
        };
    }

    private List<Callable<Object>> viewBatch(RandomSource random, long opId, String group) {
        List<Callable<Object>> batch = new ArrayList<>();
        int size = random.between(1, 8);
        for (int i = 0; i < size; i++) {
            batch.add(viewCode(opId, group));
        }
        return batch;
    }

    private void viewSubmit(RandomSource random, long opId) throws Exception {
        String group = anyGroup(random);
        ExecutorService view = fixture.executor.asExecutorService(group);
        List<Future<Object>> futures = new ArrayList<>();
        int size = random.between(1, 5);
        try {
            for (int i = 0; i < size; i++) {
                fixture.possiblySubmitted.increment();
                futures.add(PermitFreeThread.call(() -> view.submit(viewCode(opId, group))));
            }
        } catch (RejectedTaskException e) {
            TrackedTask.checkNumbers(fixture.recorder, opId, e);
        }
        terminateView(random, opId, view, futures);
    }

    /** Shuts the view down, with or without a drain. Either way it must terminate. After a drain its futures must be done. */
    private void terminateView(RandomSource random, long opId, ExecutorService view, List<Future<Object>> futures)
            throws Exception {
        boolean stopNow = random.oneIn(2);
        if (stopNow) {
            int removed = view.shutdownNow().size();
            long notDone = futures.stream().filter(future -> !future.isDone()).count();
            fixture.recorder.check(
                    Check.HANDLE_DONE,
                    removed <= futures.size(),
                    opId,
                    () -> "shutdownNow removed " + removed + " of " + futures.size() + " tasks, " + notDone
                            + " are not done");
        } else {
            view.shutdown();
        }
        if (!view.awaitTermination(fixture.watchdog.timeout().toSeconds(), TimeUnit.SECONDS)) {
            fixture.recorder.check(Check.HANDLE_DONE, false, opId, () -> "does not terminate: " + view);
        } else if (!stopNow) {
            boolean done = futures.stream().allMatch(Future::isDone);
            fixture.recorder.check(
                    Check.HANDLE_DONE, done, opId, () -> "terminated, but futures are not done: " + view);
        }
    }

    private void viewInvokeAll(RandomSource random, long opId) throws Exception {
        String group = anyGroup(random);
        List<Callable<Object>> batch = viewBatch(random, opId, group);
        fixture.possiblySubmitted.add(batch.size());
        try {
            List<Future<Object>> futures = PermitFreeThread.call(
                    () -> fixture.executor.asExecutorService(group).invokeAll(batch));
            boolean done = futures.size() == batch.size() && futures.stream().allMatch(Future::isDone);
            fixture.recorder.check(Check.HANDLE_DONE, done, opId, () -> "invokeAll returned " + futures);
        } catch (RejectedTaskException e) {
            TrackedTask.checkNumbers(fixture.recorder, opId, e);
        }
    }

    private void viewInvokeAny(RandomSource random, long opId) throws Exception {
        String group = anyGroup(random);
        List<Callable<Object>> batch = viewBatch(random, opId, group);
        fixture.possiblySubmitted.add(batch.size());
        try {
            PermitFreeThread.call(
                    () -> fixture.executor.asExecutorService(group).invokeAny(batch));
        } catch (RejectedTaskException e) {
            TrackedTask.checkNumbers(fixture.recorder, opId, e);
        } catch (ExecutionException | CancellationException expected) {
            // the group was shut down meanwhile, or all tasks were discarded
        }
    }

    /** Only in the stable group, and only under a policy that discards no task. Otherwise the stage might never run. */
    @SuppressWarnings("FutureReturnValueIgnored") // pendingViewStages shows whether the stage ran
    private void viewSupplyAsync(RandomSource random, long opId) throws Exception {
        boolean discardsNothing = fixture.rejectionPolicy == RejectionPolicy.ABORT
                || fixture.rejectionPolicy == RejectionPolicy.BLOCK
                || fixture.rejectionPolicy == RejectionPolicy.CALLER_RUNS;
        if (fixture.hasRejectionHandler || !discardsNothing) {
            return;
        }
        ExecutorService view = fixture.executor.asExecutorService(GroupFixture.STABLE);
        Callable<Object> code = viewCode(opId, GroupFixture.STABLE);
        fixture.possiblySubmitted.increment();
        fixture.pendingViewStages.incrementAndGet();
        try {
            PermitFreeThread.call(() -> CompletableFuture.supplyAsync(() -> callUnchecked(code), view)
                    .whenComplete((value, thrown) -> {
                        fixture.pendingViewStages.decrementAndGet();
                        fixture.recorder.check(
                                Check.HANDLE_DONE,
                                thrown == null || fixture.tracker.isBulkCancelling(),
                                opId,
                                () -> "a stage completed with " + thrown);
                    }));
        } catch (RejectedTaskException e) {
            fixture.pendingViewStages.decrementAndGet();
            TrackedTask.checkNumbers(fixture.recorder, opId, e);
        }
    }

    private static Object callUnchecked(Callable<Object> code) {
        try {
            return code.call();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
