package io.github.kobe.demo;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Answers requests, each on a virtual thread of its own; some of those who ask give up. */
final class RequestSide implements Side {

    /** Makes the calls of a request and waits for them, for as long as it thinks fit. */
    interface Answer {
        void to(Request request, int role) throws Exception;
    }

    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final Ledger ledger;
    private final Answer answer;
    private final Runnable stopCalls;
    private final int givesUp;
    private final long patienceNanos;

    /**
     * Makes one.
     *
     * @param stopCalls ends calls that are left
     * @param givesUp the role that does not wait for its answers
     * @param patienceNanos for how long it does
     */
    RequestSide(Ledger ledger, Answer answer, Runnable stopCalls, int givesUp, long patienceNanos) {
        this.ledger = ledger;
        this.answer = answer;
        this.stopCalls = stopCalls;
        this.givesUp = givesUp;
        this.patienceNanos = patienceNanos;
    }

    @Override
    public void submit(Arrival arrival) {
        Request request = new Request(arrival, ledger);
        threads.execute(() -> serve(request, arrival.role()));
    }

    @SuppressWarnings("InterruptedExceptionSwallowed") // the thread ends here
    private void serve(Request request, int role) {
        if (role == givesUp) {
            Thread asking = Thread.currentThread();
            threads.execute(() -> interruptLater(asking));
        }
        try {
            answer.to(request, role);
        } catch (Exception e) {
            // It failed, took too long, or nobody wanted it any more: all of that is planned, and is an answer.
        } finally {
            request.answer();
        }
    }

    /** The thread is the request's alone, so that a late interrupt hits nobody. */
    private void interruptLater(Thread asking) {
        if (Nap.of(patienceNanos)) {
            asking.interrupt();
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
        stopCalls.run();
        threads.close();
    }
}
