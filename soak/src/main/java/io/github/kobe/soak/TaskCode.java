package io.github.kobe.soak;

import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** The code of a task: behaves as its {@link TaskBehavior} says, and checks the thread that it runs on. */
final class TaskCode implements Callable<Object> {

    /** A value that a task leaves on its thread. No later task may find it. */
    private static final ThreadLocal<Long> LEFT_BY_TASK = new ThreadLocal<>();

    /** How long a task waits for its own timeout. */
    private static final long MAX_WAIT_FOR_TIMEOUT = TimeUnit.SECONDS.toNanos(30);

    private final TrackedTask task;
    private final ExecutionMonitor monitor;
    private final CheckRecorder recorder;

    TaskCode(TrackedTask task, ExecutionMonitor monitor, CheckRecorder recorder) {
        this.task = task;
        this.monitor = monitor;
        this.recorder = recorder;
    }

    @Override
    public Object call() throws Exception {
        int attempt = task.attempts.incrementAndGet();
        if (PermitFreeThread.isCurrent()) {
            task.ranWithoutPermit = true;
            return runAndRecord(attempt);
        }
        monitor.enter(task);
        try {
            boolean fresh = monitor.usesFreshThreads();
            if (fresh) {
                recorder.taskThreads().sampleCurrentThread(task.opId);
            }
            checkCleanStart(
                    recorder, task, fresh ? LEFT_BY_TASK.get() : null, fresh ? WorkloadThread.NAME.get() : null);
            return runAndRecord(attempt);
        } finally {
            checkInterruptAtEnd();
            monitor.exit(task);
        }
    }

    private Object runAndRecord(int attempt) throws Exception {
        try {
            Object value = run(attempt);
            task.recordReturn(value);
            return value;
        } catch (Throwable thrown) {
            task.recordThrow(thrown);
            throw thrown;
        }
    }

    private Object run(int attempt) throws Exception {
        switch (task.behavior) {
            case RETURN -> {}
            case YIELD -> Thread.yield();
            case PARK -> LockSupport.parkNanos(100_000);
            case THROW -> throw new InjectedException("a task");
            case THROW_CHECKED -> throw new InjectedException.Checked("a task");
            case THROW_ERROR -> throw new AssertionError(InjectedException.message("a task"));
            case THROW_STACK_OVERFLOW -> throwStackOverflow(500);
            case SUCCEED_AT_LAST_ATTEMPT -> InjectedException.throwIf(attempt < task.spec.maxAttempts(), "an attempt");
            case SLEEP -> TimeUnit.MICROSECONDS.sleep(500);
            case IGNORE_INTERRUPTS -> ignoreInterrupts();
            case SELF_INTERRUPT -> Thread.currentThread().interrupt();
            case LEAVE_THREAD_LOCAL -> leaveThreadLocal();
        }
        return new Object();
    }

    /** Does nothing on the thread of a submitter: this may be another task, whose thread-locals are still to be checked. */
    private void leaveThreadLocal() {
        if (!PermitFreeThread.isCurrent()) {
            LEFT_BY_TASK.set(task.opId);
        }
    }

    /** Throws from a deep stack, but with enough stack left for the library to handle the error. */
    private static int throwStackOverflow(int depth) {
        if (depth > 0) {
            return throwStackOverflow(depth - 1) + 1;
        }
        throw new StackOverflowError(InjectedException.message("a task"));
    }

    /** Runs until the handle is done if the task has a timeout, else for a short time. */
    private void ignoreInterrupts() {
        boolean withoutPermit = PermitFreeThread.isCurrent(); // timeouts do not apply there
        boolean timesOut = task.spec.hasTimeout() && !withoutPermit;
        long start = System.nanoTime();
        long maxTime = timesOut ? MAX_WAIT_FOR_TIMEOUT : TimeUnit.MILLISECONDS.toNanos(2);
        boolean interrupted = false;
        while (!task.isHandleDone() && System.nanoTime() - start < maxTime) {
            interrupted |= Thread.interrupted(); // restored below, for the check at the end
            LockSupport.parkNanos(50_000); // two tasks that only yield to each other would occupy a carrier
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        if (task.isHandleDone() && !withoutPermit) {
            monitor.runningAfterOutcome(task);
        }
        if (timesOut) {
            checkDoneAtTimeout(recorder, task, task.isHandleDone());
        }
    }

    static void checkDoneAtTimeout(CheckRecorder recorder, TrackedTask task, boolean done) {
        recorder.check(
                Check.DONE_AT_TIMEOUT, done, task.opId, () -> "its timeout did not complete its handle: " + task);
    }

    /**
     * Checks the thread when a task starts.
     *
     * @param leftover thread-local value of an earlier task
     * @param inherited thread-local value inherited from the thread that created this one
     */
    static void checkCleanStart(
            CheckRecorder recorder, TrackedTask task, @Nullable Object leftover, @Nullable Object inherited) {
        boolean interrupted = Thread.currentThread().isInterrupted();
        recorder.check(
                Check.NO_INTERRUPT_AT_START,
                !interrupted || task.mayBeInterrupted(),
                task.opId,
                () -> "the interrupt flag is set at the start: " + task);
        recorder.check(
                Check.NO_THREAD_LOCALS_AT_START,
                leftover == null && inherited == null,
                task.opId,
                () -> "found " + leftover + " and " + inherited + " in thread-locals: " + task);
    }

    private void checkInterruptAtEnd() {
        if (task.behavior != TaskBehavior.SELF_INTERRUPT) {
            checkInterrupt(recorder, task, Thread.currentThread().isInterrupted() || task.endedByInterrupt());
        }
    }

    /** Checks, when the code of a task has ended, that it was not interrupted without a reason. */
    static void checkInterrupt(CheckRecorder recorder, TrackedTask task, boolean interrupted) {
        recorder.check(
                Check.NO_STRAY_INTERRUPT,
                !interrupted || task.mayBeInterrupted(),
                task.opId,
                () -> "interrupted, but neither cancelled nor timed out: " + task);
    }
}
