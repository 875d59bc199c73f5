package io.github.kobe.soak;

import org.jspecify.annotations.Nullable;

/** What a task may find on its thread: nothing of anybody else's. */
final class CleanStart {

    private CleanStart() {}

    /**
     * When a task begins.
     *
     * @param left what a task before has left on it
     * @param inherited what the thread has from the one that started it
     */
    static void check(Recorder recorder, TrackedTask probe, @Nullable Object left, @Nullable Object inherited) {
        boolean flag = Thread.currentThread().isInterrupted();
        recorder.check(
                Check.NO_INTERRUPT_AT_START,
                !flag || probe.mayBeInterrupted(),
                probe.op,
                () -> "is interrupted at its start: " + probe);
        recorder.check(
                Check.NO_THREAD_LOCALS_AT_START,
                left == null && inherited == null,
                probe.op,
                () -> "found " + left + " and " + inherited + " in thread-locals: " + probe);
    }

    /** When a task has ended. */
    static void checkInterrupt(Recorder recorder, TrackedTask probe, boolean interrupted) {
        boolean fine = !interrupted || probe.mayBeInterrupted();
        recorder.check(Check.NO_STRAY_INTERRUPT, fine, probe.op, () -> "was interrupted by nobody: " + probe);
    }
}
