package io.github.kobe.demo;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** An executor that answers each request on its own virtual thread. The clients of one source give up before the answer. */
final class RequestExecutor implements DemoExecutor {

    /** Makes the calls of a request and waits for them. */
    interface Handler {
        void handle(Request request, int source) throws Exception;
    }

    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final RunRecorder recorder;
    private final Handler handler;
    private final Runnable stopCalls;
    private final int impatientSource;
    private final long patienceNanos;

    /**
     * Creates an executor.
     *
     * @param stopCalls stops calls that still run
     * @param impatientSource the source whose clients give up
     * @param patienceNanos how long they wait before they give up
     */
    RequestExecutor(
            RunRecorder recorder, Handler handler, Runnable stopCalls, int impatientSource, long patienceNanos) {
        this.recorder = recorder;
        this.handler = handler;
        this.stopCalls = stopCalls;
        this.impatientSource = impatientSource;
        this.patienceNanos = patienceNanos;
    }

    @Override
    public void submit(Submission submission) {
        Request request = new Request(submission, recorder);
        threads.execute(() -> handle(request, submission.source()));
    }

    @SuppressWarnings("InterruptedExceptionSwallowed") // the thread ends here
    private void handle(Request request, int source) {
        if (source == impatientSource) {
            Thread handling = Thread.currentThread();
            threads.execute(() -> interruptLater(handling));
        }
        try {
            handler.handle(request, source);
        } catch (Exception e) {
            // A failure, a timeout or an interrupt is part of the scenario. It answers the request.
        } finally {
            request.answered();
        }
    }

    /** Interrupts a thread that handles one request only, so that a late interrupt has no effect. */
    private void interruptLater(Thread handling) {
        if (Sleep.nanos(patienceNanos)) {
            handling.interrupt();
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
        stopCalls.run();
        threads.close();
    }
}
