package io.github.kobe.demo;

import java.util.concurrent.Callable;

/** A request that makes several calls. It records which of its calls still run when it has been answered. */
final class Request {

    private final Submission submission;
    private final RunRecorder recorder;
    private final SourceRecorder.Wait wait;
    private int running;
    private boolean answered;

    Request(Submission submission, RunRecorder recorder) {
        this.submission = submission;
        this.recorder = recorder;
        this.wait = recorder.submitted(submission.source());
    }

    int calls() {
        return submission.durationsNanos().size();
    }

    /** Returns one of its calls. If {@code fails}, the call throws after its duration. */
    Callable<Boolean> call(int index, boolean fails) {
        return () -> {
            callStarted();
            try {
                if (!Sleep.nanos(submission.durationsNanos().get(index))) {
                    throw new InterruptedException("call " + index);
                }
                if (fails) {
                    throw new IllegalStateException("call " + index + " fails as the scenario demands");
                }
                return true;
            } finally {
                callCompleted();
            }
        };
    }

    private synchronized void callStarted() {
        running++;
        recorder.started(submission.source());
        if (answered) {
            recorder.orphaned(submission.source(), 1);
        }
    }

    private synchronized void callCompleted() {
        running--;
        if (answered) {
            recorder.orphanCompleted(submission.source());
        } else {
            recorder.completed(submission.source());
        }
    }

    /** The client has its answer, or has given up. Calls that still run are orphans from now on. */
    synchronized void answered() {
        answered = true;
        recorder.orphaned(submission.source(), running);
        recorder.waitFinished(submission.source(), wait);
    }
}
