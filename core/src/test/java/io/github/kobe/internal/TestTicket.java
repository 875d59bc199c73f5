package io.github.kobe.internal;

/** A ticket that runs what it is given. */
final class TestTicket extends Ticket<String> {

    private final Runnable work;

    TestTicket(Runnable work) {
        this.work = work;
    }

    @Override
    protected String execute() {
        work.run();
        return "ran";
    }

    @Override
    protected String failed(Throwable fault) {
        return "failed " + fault;
    }

    @Override
    protected String cancelled(String why) {
        return "cancelled " + why;
    }
}
