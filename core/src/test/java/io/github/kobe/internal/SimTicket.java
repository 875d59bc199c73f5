package io.github.kobe.internal;

import org.jspecify.annotations.Nullable;

/** A ticket that the simulation moves along by hand. */
final class SimTicket extends Ticket<String> {

    /** Where the model believes it to be. */
    enum Where {
        ASKING,
        WAITING,
        STARTING,
        RUNNING,
        REFUSED,
        GONE
    }

    /** How its end is watched for: the kernel goes different ways for each. */
    enum Watched {
        NOT_AT_ALL,
        BY_A_WAITER,
        BY_AN_OBSERVER
    }

    final String key;
    final int number;
    final Watched watched;

    Where where = Where.ASKING;
    int place;
    private int timesTold;
    private @Nullable String firstEnd;
    boolean tellsTwice;
    boolean throwsError;
    int asked;
    int admitted = Integer.MAX_VALUE;

    @SuppressWarnings("FutureReturnValueIgnored")
    SimTicket(String key, int number, Watched watched) {
        this.key = key;
        this.number = number;
        this.watched = watched;
        if (watched == Watched.BY_A_WAITER) {
            completion().whenComplete((result, fault) -> timesTold++);
        }
    }

    /** How often it has ended, as far as anyone can tell. */
    int ends() {
        if (isEnded()) {
            String now = completion().join();
            firstEnd = firstEnd == null ? now : firstEnd;
            return watched == Watched.NOT_AT_ALL ? (now.equals(firstEnd) ? 1 : 2) : timesTold;
        }
        return timesTold;
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
    protected boolean isObserved() {
        return watched == Watched.BY_AN_OBSERVER;
    }

    @Override
    protected void announceEnd(String result) {
        timesTold += tellsTwice ? 2 : 1;
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
