package io.github.kobe.soak;

import io.github.kobe.TaskHandle;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The code of a task: plays its plot, and looks around. */
final class TaskBody implements Callable<Object> {

    /** What one task leaves for the next to find. */
    private static final ThreadLocal<Long> LEFT = new ThreadLocal<>();

    /** What actors have, and what no task may inherit. */
    static final InheritableThreadLocal<String> OF_ACTOR = new InheritableThreadLocal<>();

    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(30);

    private final TrackedTask probe;
    private final ExecutionMonitor stage;
    private final Recorder recorder;

    TaskBody(TrackedTask probe, ExecutionMonitor stage, Recorder recorder) {
        this.probe = probe;
        this.stage = stage;
        this.recorder = recorder;
    }

    @Override
    public Object call() throws Exception {
        int attempt = probe.attempts.incrementAndGet();
        if (PermitFreeThread.isCurrent()) {
            probe.outside = true;
            return tell(attempt);
        }
        stage.enter(probe);
        try {
            boolean fresh = stage.freshThreads();
            if (fresh) {
                recorder.taskThreads().sampleCurrentThread(probe.op);
            }
            CleanStart.check(recorder, probe, fresh ? LEFT.get() : null, fresh ? OF_ACTOR.get() : null);
            return tell(attempt);
        } finally {
            noticeInterrupt();
            stage.leave(probe);
        }
    }

    private Object tell(int attempt) throws Exception {
        try {
            Object value = play(attempt);
            probe.returns(value);
            return value;
        } catch (Throwable fault) {
            probe.throwsUp(fault);
            throw fault;
        }
    }

    private Object play(int attempt) throws Exception {
        switch (probe.plot) {
            case RETURN -> {}
            case YIELD -> Thread.yield();
            case PARK -> LockSupport.parkNanos(100_000);
            case THROW -> throw new InjectedException("a task");
            case THROW_CHECKED -> throw new InjectedException.Checked("a task");
            case THROW_ERROR -> throw new AssertionError(InjectedException.message("a task"));
            case OVERFLOW -> overflow(500);
            case FLAKY -> InjectedException.throwIf(attempt < probe.terms.attempts(), "an attempt");
            case INTERRUPTIBLE -> TimeUnit.MICROSECONDS.sleep(500);
            case STUBBORN -> outliveTheEnd();
            case SELF_INTERRUPT -> Thread.currentThread().interrupt();
            case LEAVE_LOCALS -> leaveLocals();
        }
        return new Object();
    }

    /** Not on a thread of somebody else's, who may be a task that is yet to look around. */
    private void leaveLocals() {
        if (!PermitFreeThread.isCurrent()) {
            LEFT.set(probe.op);
        }
    }

    /** Somewhat like a real one, with stack to spare. */
    private static int overflow(int left) {
        if (left > 0) {
            return overflow(left - 1) + 1;
        }
        throw new StackOverflowError(InjectedException.message("a task"));
    }

    /** With a timeout, until that is over; else for a moment. */
    private void outliveTheEnd() {
        boolean outside = PermitFreeThread.isCurrent(); // where nothing times out
        boolean timesOut = probe.terms.timeout() && !outside;
        long since = System.nanoTime();
        long most = timesOut ? PATIENCE : TimeUnit.MILLISECONDS.toNanos(2);
        boolean interrupted = false;
        while (!isDone() && System.nanoTime() - since < most) {
            interrupted |= Thread.interrupted(); // it takes no notice, but somebody else may ask for it
            LockSupport.parkNanos(50_000); // two that only yielded to each other would keep a carrier from all else
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        if (isDone() && !outside) {
            stage.outlives(probe);
        }
        if (timesOut) {
            checkDone(recorder, probe, isDone());
        }
    }

    static void checkDone(Recorder recorder, TrackedTask probe, boolean done) {
        recorder.check(Check.DONE_AT_TIMEOUT, done, probe.op, () -> "waited in vain for its own timeout: " + probe);
    }

    private boolean isDone() {
        TaskHandle<?> handle = probe.handle;
        return handle != null && handle.isDone();
    }

    private void noticeInterrupt() {
        if (probe.plot != TaskBehavior.SELF_INTERRUPT) {
            CleanStart.checkInterrupt(recorder, probe, Thread.currentThread().isInterrupted() || probe.gaveUp());
        }
    }
}
