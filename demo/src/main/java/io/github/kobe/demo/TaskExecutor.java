package io.github.kobe.demo;

import io.github.kobe.console.ConsoleBuilder;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** An executor that receives tasks and queues them until it starts them. */
final class TaskExecutor implements DemoExecutor {

    /** Passes a task of a source to the real executor. */
    interface Submitter {
        void submit(int source, Runnable task);
    }

    private final RunRecorder recorder;
    private final Submitter submitter;
    private final Runnable stop;
    private final Consumer<ConsoleBuilder> shown;

    /** @param shown adds the real executor to a console */
    TaskExecutor(RunRecorder recorder, Submitter submitter, Runnable stop, Consumer<ConsoleBuilder> shown) {
        this.recorder = recorder;
        this.submitter = submitter;
        this.stop = stop;
        this.shown = shown;
    }

    /** Returns a {@link ThreadPoolExecutor} with an unbounded queue. */
    static TaskExecutor threadPool(int threads, RunRecorder recorder) {
        ThreadFactory factory =
                Thread.ofPlatform().name("demo-pool-", 0).daemon().factory();
        ThreadPoolExecutor pool =
                new ThreadPoolExecutor(threads, threads, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), factory);
        return new TaskExecutor(recorder, (source, task) -> pool.execute(task), () -> stop(pool), console -> {});
    }

    private static void stop(ThreadPoolExecutor pool) {
        pool.shutdownNow();
        pool.close();
    }

    @Override
    public void submit(Submission submission) {
        SourceRecorder.Wait wait = recorder.submitted(submission.source());
        submitter.submit(submission.source(), () -> run(submission, wait));
    }

    private void run(Submission submission, SourceRecorder.Wait wait) {
        recorder.waitFinished(submission.source(), wait);
        recorder.started(submission.source());
        try {
            Sleep.nanos(submission.durationNanos());
        } finally {
            recorder.completed(submission.source());
        }
    }

    @Override
    public void addTo(ConsoleBuilder console) {
        shown.accept(console);
    }

    @Override
    public void close() {
        stop.run();
    }
}
