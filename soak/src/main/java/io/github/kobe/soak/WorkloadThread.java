package io.github.kobe.soak;

import io.github.kobe.RejectedTaskException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/** A thread that performs random operations on some workloads, one after the other, until it is told to stop. */
final class WorkloadThread implements Runnable {

    /** The name of the current workload thread. It is inheritable in order to check that no task inherits it. */
    static final InheritableThreadLocal<String> NAME = new InheritableThreadLocal<>();

    /** If a face has more outstanding tasks, the thread backs off. */
    private static final int MAX_OUTSTANDING = 1500;

    private final String name;
    private final List<? extends FaceWorkload> workloads;
    private final Function<FaceWorkload, List<Operation>> operations;
    private final RandomSource random;
    private final CheckRecorder recorder;
    private final BooleanSupplier stop;

    WorkloadThread(
            String name,
            List<? extends FaceWorkload> workloads,
            Function<FaceWorkload, List<Operation>> operations,
            RandomSource random,
            CheckRecorder recorder,
            BooleanSupplier stop) {
        this.name = name;
        this.workloads = workloads;
        this.operations = operations;
        this.random = random;
        this.recorder = recorder;
        this.stop = stop;
    }

    Thread start() {
        return Thread.ofPlatform().name("workload-" + name).daemon().start(this);
    }

    @Override
    public void run() {
        NAME.set(name);
        while (!stop.getAsBoolean()) {
            FaceWorkload workload = random.oneOf(workloads);
            List<Operation> candidates = operations.apply(workload);
            if (workload.isShutdown() || candidates.isEmpty()) {
                LockSupport.parkNanos(100_000);
                continue;
            }
            workload.verifyCompleted();
            if (workload.outstandingTasks() > MAX_OUTSTANDING) {
                LockSupport.parkNanos(500_000);
            } else {
                perform(workload, Operation.choose(candidates, random));
            }
        }
    }

    private void perform(FaceWorkload workload, Operation operation) {
        long opId = recorder.countOperation(operation.name());
        try {
            operation.action().run(random, opId);
            recorder.check(Check.NO_STRAY_EXCEPTION, true, opId, () -> "");
        } catch (InterruptedException | PoolWorkload.PoolDownException e) {
            // expected: the soak interrupts this thread from time to time, and shuts the pool down from time to time
        } catch (IllegalStateException | RejectedTaskException e) {
            recorder.check(
                    Check.NO_STRAY_EXCEPTION,
                    workload.isShutdown(),
                    opId,
                    () -> operation.name() + ": " + stackTrace(e));
        } catch (Throwable e) {
            recorder.check(Check.NO_STRAY_EXCEPTION, false, opId, () -> operation.name() + ": " + stackTrace(e));
        } finally {
            Thread.interrupted();
        }
    }

    static String stackTrace(Throwable thrown) {
        StringWriter text = new StringWriter();
        thrown.printStackTrace(new PrintWriter(text));
        return text.toString().strip();
    }
}
