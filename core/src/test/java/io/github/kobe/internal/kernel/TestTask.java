package io.github.kobe.internal.kernel;

/** A task that runs a given action. */
final class TestTask extends KernelTask<String> {

    private final Runnable work;

    TestTask(Runnable work) {
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
