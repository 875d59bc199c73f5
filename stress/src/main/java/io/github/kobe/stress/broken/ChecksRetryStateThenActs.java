package io.github.kobe.stress.broken;

import io.github.kobe.stress.rig.RecordingTask;
import io.github.kobe.stress.rig.SchedulerUnderTest;
import io.github.kobe.stress.rig.StepRunner;
import io.github.kobe.stress.rig.TimerEvent;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Flaw: where a job is that has failed, or waits, or has ended, is looked up in one step and acted on in the next; so one that is over
 * keeps its place, one place comes back twice, and one expires that is not in line any more.
 */
public final class ChecksRetryStateThenActs implements SchedulerUnderTest {

    private final StepRunner crank = new StepRunner();
    private final ConcurrentLinkedQueue<RecordingTask> queue = new ConcurrentLinkedQueue<>();
    private final Set<RecordingTask> delayed = ConcurrentHashMap.newKeySet(); // each with its place
    private final Set<RecordingTask> decided = ConcurrentHashMap.newKeySet();
    private int free = 1;

    @Override
    public StepRunner crank() {
        return crank;
    }

    @Override
    public boolean submit(String group, RecordingTask job) {
        queue.add(job);
        startNext();
        return true;
    }

    private synchronized void startNext() {
        RecordingTask next = free > 0 ? queue.poll() : null;
        if (next != null) {
            free--;
            crank.note(() -> run(next));
        }
    }

    private void run(RecordingTask job) {
        if (!decided.contains(job)) {
            job.work();
            if (job.failed() && !decided.contains(job)) {
                RaceWindow.gap();
                delayed.add(job);
                return;
            }
            end(job, true);
        }
        release();
    }

    private boolean end(RecordingTask job, boolean ran) {
        boolean mine = decided.add(job);
        if (mine) {
            job.end(ran);
        }
        return mine;
    }

    private void release() {
        synchronized (this) {
            free++;
        }
        startNext();
    }

    @Override
    public boolean cancel(RecordingTask job) {
        boolean mine = end(job, false);
        queue.remove(job);
        if (delayed.remove(job)) {
            release();
        }
        return mine;
    }

    @Override
    public Runnable due(TimerEvent kind) {
        if (kind == TimerEvent.EXPIRY) {
            RecordingTask first = queue.peek();
            return () -> expire(first);
        }
        return delayed.isEmpty() ? null : this::comeBack;
    }

    private void expire(RecordingTask job) {
        if (queue.contains(job)) {
            RaceWindow.gap();
            cancel(job);
        }
    }

    private void comeBack() {
        for (RecordingTask job : delayed) {
            RaceWindow.gap();
            delayed.remove(job);
            crank.note(() -> run(job));
        }
    }

    @Override
    public int queued() {
        return queue.size();
    }

    @Override
    public synchronized int held() {
        return 1 - free + queue.size();
    }
}
