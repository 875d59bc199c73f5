package io.github.kobe.demo;

import java.util.concurrent.Callable;

/** A request that calls others, and knows which of its calls still run when it has been answered. */
final class Request {

    private final Arrival arrival;
    private final Ledger ledger;
    private final Tally.Entry entry;
    private int running;
    private boolean answered;

    Request(Arrival arrival, Ledger ledger) {
        this.arrival = arrival;
        this.ledger = ledger;
        this.entry = ledger.arrive(arrival.role());
    }

    int calls() {
        return arrival.nanos().size();
    }

    /** One of its calls; {@code fails}: throws when it has taken its time. */
    Callable<Boolean> call(int number, boolean fails) {
        return () -> {
            begin();
            try {
                if (!Nap.of(arrival.nanos().get(number))) {
                    throw new InterruptedException("call " + number);
                }
                if (fails) {
                    throw new IllegalStateException("call " + number + " fails, as planned");
                }
                return true;
            } finally {
                end();
            }
        };
    }

    private synchronized void begin() {
        running++;
        ledger.begin(arrival.role());
        if (answered) {
            ledger.leak(arrival.role(), 1);
        }
    }

    private synchronized void end() {
        running--;
        if (answered) {
            ledger.endLeaked(arrival.role());
        } else {
            ledger.end(arrival.role());
        }
    }

    /** Whoever asked has gone on, with a result or without. */
    synchronized void answer() {
        answered = true;
        ledger.leak(arrival.role(), running);
        ledger.settle(arrival.role(), entry);
    }
}
