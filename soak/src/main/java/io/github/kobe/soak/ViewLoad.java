package io.github.kobe.soak;

import io.github.kobe.RejectedTaskException;
import io.github.kobe.RejectionPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** What actors do with the executor services of a group executor. */
final class ViewLoad {

    private final GroupFixture rig;

    ViewLoad(GroupFixture rig) {
        this.rig = rig;
    }

    List<Operation> ops() {
        return List.of(
                Operation.of("view submit", 3, this::submit),
                Operation.of("view invokeAll", 1, this::invokeAll),
                Operation.of("view invokeAny", 1, this::invokeAny),
                Operation.of("view supplyAsync", 3, this::supplyAsync));
    }

    /** Without a probe: it is known to listeners by another name. */
    private Callable<Object> work(long op, String group) {
        return () -> {
            boolean outside = PermitFreeThread.isCurrent();
            if (outside) {
                return group;
            }
            rig.global.enter(op);
            rig.watch(group).enter(op);
            try {
                Thread.yield();
                return group;
            } finally {
                rig.watch(group).exit();
                rig.global.exit();
            }
        };
    }

    private void submit(RandomSource random, long op) throws Exception {
        String group = GroupOperations.anyGroup(random);
        ExecutorService view = rig.executor.asExecutorService(group);
        List<Future<Object>> futures = new ArrayList<>();
        int size = random.between(1, 5);
        try {
            for (int i = 0; i < size; i++) {
                rig.maybeHandedIn.increment();
                futures.add(PermitFreeThread.call(() -> view.submit(work(op, group))));
            }
        } catch (RejectedTaskException e) {
            TrackedTask.checkNumbers(rig.recorder, op, e);
        }
        end(random, op, view, futures);
    }

    /** By itself, or by being stopped; either way the view comes to an end and its futures are done. */
    private void end(RandomSource random, long op, ExecutorService view, List<Future<Object>> futures)
            throws Exception {
        boolean stop = random.oneIn(2);
        if (stop) {
            int taken = view.shutdownNow().size();
            long open = futures.stream().filter(future -> !future.isDone()).count();
            rig.recorder.check(
                    Check.HANDLE_DONE, taken <= futures.size(), op, () -> taken + " taken back, " + open + " open");
        } else {
            view.shutdown();
        }
        if (!view.awaitTermination(rig.patience.timeout().toSeconds(), TimeUnit.SECONDS)) {
            rig.recorder.check(Check.HANDLE_DONE, false, op, () -> "does not terminate: " + view);
        } else if (!stop) {
            boolean done = futures.stream().allMatch(Future::isDone);
            rig.recorder.check(Check.HANDLE_DONE, done, op, () -> "terminated with futures open: " + view);
        }
    }

    private List<Callable<Object>> many(RandomSource random, long op, String group) {
        List<Callable<Object>> all = new ArrayList<>();
        int size = random.between(1, 8);
        for (int i = 0; i < size; i++) {
            all.add(work(op, group));
        }
        return all;
    }

    private void invokeAll(RandomSource random, long op) throws Exception {
        String group = GroupOperations.anyGroup(random);
        List<Callable<Object>> all = many(random, op, group);
        rig.maybeHandedIn.add(all.size());
        try {
            List<Future<Object>> futures = PermitFreeThread.call(
                    () -> rig.executor.asExecutorService(group).invokeAll(all));
            boolean done = futures.size() == all.size() && futures.stream().allMatch(Future::isDone);
            rig.recorder.check(Check.HANDLE_DONE, done, op, () -> "invokeAll returned " + futures);
        } catch (RejectedTaskException e) {
            TrackedTask.checkNumbers(rig.recorder, op, e);
        }
    }

    private void invokeAny(RandomSource random, long op) throws Exception {
        String group = GroupOperations.anyGroup(random);
        List<Callable<Object>> all = many(random, op, group);
        rig.maybeHandedIn.add(all.size());
        try {
            PermitFreeThread.call(() -> rig.executor.asExecutorService(group).invokeAny(all));
        } catch (RejectedTaskException e) {
            TrackedTask.checkNumbers(rig.recorder, op, e);
        } catch (java.util.concurrent.ExecutionException | java.util.concurrent.CancellationException stopped) {
            // its group was shut down meanwhile, or all of it was discarded
        }
    }

    /** Only where a stage cannot be lost: nothing is discarded, and nobody shuts the group down. */
    @SuppressWarnings("FutureReturnValueIgnored") // the count says whether it came
    private void supplyAsync(RandomSource random, long op) throws Exception {
        boolean keeps = rig.rejection == RejectionPolicy.ABORT
                || rig.rejection == RejectionPolicy.BLOCK
                || rig.rejection == RejectionPolicy.CALLER_RUNS;
        if (rig.handler || !keeps) {
            return;
        }
        ExecutorService view = rig.executor.asExecutorService(GroupFixture.CALM);
        rig.maybeHandedIn.increment();
        rig.viewChains.incrementAndGet();
        try {
            PermitFreeThread.call(() -> CompletableFuture.supplyAsync(() -> call(work(op, GroupFixture.CALM)), view)
                    .whenComplete((value, fault) -> {
                        rig.viewChains.decrementAndGet();
                        rig.recorder.check(
                                Check.HANDLE_DONE,
                                fault == null || rig.troupe.isBulkCancelling(),
                                op,
                                () -> "a stage ended with " + fault);
                    }));
        } catch (RejectedTaskException e) {
            rig.viewChains.decrementAndGet();
            TrackedTask.checkNumbers(rig.recorder, op, e);
        }
    }

    private static Object call(Callable<Object> work) {
        try {
            return work.call();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
