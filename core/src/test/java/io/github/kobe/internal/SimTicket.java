package io.github.kobe.internal;

import java.util.function.BiConsumer;

/** A ticket that the simulation moves along by hand. */
final class SimTicket extends Ticket<String> {

    /** Where the model believes it to be. */
    enum Where {
        ASKING,
        WAITING,
        STARTING,
        RUNNING,
        GONE
    }

    final String key;
    final int number;
    final BiConsumer<SimTicket, String> onEnd;

    Where where = Where.ASKING;
    int place;
    int ends;
    boolean throwsError;
    int asked;
    int admitted = Integer.MAX_VALUE;

    SimTicket(String key, int number, BiConsumer<SimTicket, String> onEnd) {
        this.key = key;
        this.number = number;
        this.onEnd = onEnd;
    }

    @Override
    protected String execute() {
        if (throwsError) {
            throw new AssertionError("thrown by ticket " + number);
        }
        return "ran";
    }

    @Override
    protected String failed(Throwable fault) {
        return "failed: " + fault.getMessage();
    }

    @Override
    protected String cancelled(String why) {
        return "cancelled: " + why;
    }

    @Override
    protected String name() {
        return key;
    }

    @Override
    protected void announceEnd(String result) {
        ends++;
        onEnd.accept(this, result);
        complete(result);
    }

    /** Its submit had returned when the other's began; two that overlap have no order. */
    boolean wasSubmittedBefore(SimTicket other) {
        return admitted < other.asked;
    }

    boolean holdsPlace() {
        return where == Where.STARTING || where == Where.RUNNING;
    }

    @Override
    public String toString() {
        return "#" + number + " of " + key + " (" + where + ")";
    }
}
