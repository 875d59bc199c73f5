package io.github.kobe.soak;

import io.github.kobe.RejectedTaskException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/** A thread that does one thing after the other with some faces, as the random have it. */
final class WorkloadThread implements Runnable {

    /** As many tasks of a face may be under way; then actors wait. */
    private static final int MOST_OPEN = 1500;

    /** The name of the current workload thread. It is inheritable in order to check that no task inherits it. */
    static final InheritableThreadLocal<String> NAME = new InheritableThreadLocal<>();

    private final String name;
    private final List<FaceWorkload> faces;
    private final Function<FaceWorkload, List<Operation>> ops;
    private final RandomSource random;
    private final Recorder recorder;
    private final BooleanSupplier over;

    WorkloadThread(
            String name,
            List<FaceWorkload> faces,
            Function<FaceWorkload, List<Operation>> ops,
            RandomSource random,
            Recorder recorder,
            BooleanSupplier over) {
        this.name = name;
        this.faces = faces;
        this.ops = ops;
        this.random = random;
        this.recorder = recorder;
        this.over = over;
    }

    Thread start() {
        return Thread.ofPlatform().name("actor-" + name).daemon().start(this);
    }

    @Override
    public void run() {
        WorkloadThread.NAME.set(name);
        while (!over.getAsBoolean()) {
            FaceWorkload face = random.oneOf(faces);
            List<Operation> possible = ops.apply(face);
            if (face.isOver() || possible.isEmpty()) {
                LockSupport.parkNanos(100_000);
                continue;
            }
            face.tidy();
            if (face.open() > MOST_OPEN) {
                LockSupport.parkNanos(500_000);
            } else {
                act(face, Operation.choose(possible, random));
            }
        }
    }

    private void act(FaceWorkload face, Operation op) {
        long number = recorder.countOperation(op.name());
        try {
            op.action().run(random, number);
            recorder.check(Check.NO_STRAY_EXCEPTION, true, number, () -> "");
        } catch (InterruptedException | PoolRig.Down e) {
            // in order: somebody interrupts us now and then, and the pool is down now and then
        } catch (IllegalStateException | RejectedTaskException e) {
            recorder.check(Check.NO_STRAY_EXCEPTION, face.isOver(), number, () -> op.name() + ": " + stackTrace(e));
        } catch (Throwable e) {
            recorder.check(Check.NO_STRAY_EXCEPTION, false, number, () -> op.name() + ": " + stackTrace(e));
        } finally {
            Thread.interrupted();
        }
    }

    /** With its stack: one line would not do to look into it. */
    static String stackTrace(Throwable fault) {
        StringWriter text = new StringWriter();
        fault.printStackTrace(new PrintWriter(text));
        return text.toString().strip();
    }
}
