package io.github.kobe.internal.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.TestKit;
import io.github.kobe.TestKit.Caller;
import io.github.kobe.internal.fair.WeightedRoundRobin;
import io.github.kobe.internal.time.FakeTimer;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An attempt returns while the timer is about to interrupt it: what follows on its thread is not interrupted. */
@Timeout(60)
class AttemptLimitRaceTest {

    private static final int UNLIMITED = Integer.MAX_VALUE;
    private static final long LIMIT = 100;

    private final FakeTimer timer = new FakeTimer();
    private final CountDownLatch started = new CountDownLatch(1);
    private final CountDownLatch interrupting = new CountDownLatch(1);
    private final CountDownLatch mayInterrupt = new CountDownLatch(1);
    private volatile boolean interrupted;

    /** Interrupts when the test says so. */
    private final TaskRunner slowInterrupts = new TaskRunner() {
        @Override
        public void start(Runnable work) {
            Thread.ofVirtual().start(work);
        }

        @Override
        public void interrupt(Thread thread, Runnable work) {
            interrupting.countDown();
            TestKit.await(mayInterrupt);
            thread.interrupt();
            interrupted = true;
        }
    };

    /** Its attempt returns when the timer is about to interrupt it. */
    private final class ReturningTask extends KernelTask<String> {
        private final AttemptState attempts =
                new AttemptState(new AttemptLimits(0, AttemptLimits.NONE, AttemptLimits.NONE, LIMIT, false, false));
        private final boolean hasAttemptsLeft;

        ReturningTask(boolean hasAttemptsLeft) {
            this.hasAttemptsLeft = hasAttemptsLeft;
        }

        @Override
        protected AttemptState attempts() {
            return attempts;
        }

        @Override
        protected boolean hasAttemptsLeft() {
            return hasAttemptsLeft;
        }

        @Override
        protected Object execute() {
            started.countDown();
            TestKit.await(interrupting);
            boolean timedOut = endAttemptLimit();
            return "timed out " + timedOut + ", interrupt sent before " + interrupted + ", flag "
                    + Thread.currentThread().isInterrupted();
        }

        @Override
        protected Object failed(Throwable fault) {
            return "failed: " + fault;
        }

        @Override
        protected String cancelled(String why) {
            return "cancelled: " + why;
        }

        @Override
        protected String terminated(TerminationCause why) {
            return why.name();
        }

        String outcome() throws Exception {
            return completion().get(TestKit.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
    }

    /** Submits the task, and lets its limit pass; the timer is about to interrupt it when this returns. */
    private Caller<Boolean> timeOut(ReturningTask task) {
        timer.advance(1); // 0 means "not set"
        Dispatcher dispatcher = new Dispatcher(
                key -> new GroupLimits(1, UNLIMITED, UNLIMITED),
                UNLIMITED,
                UNLIMITED,
                Long.MAX_VALUE,
                new WeightedRoundRobin(),
                slowInterrupts,
                timer);
        assertThat(dispatcher.submit("g", task)).isEqualTo(Admission.ADMITTED);
        TestKit.await(started);
        Caller<Boolean> firing = Caller.of(() -> {
            timer.advance(LIMIT);
            return true;
        });
        TestKit.await(interrupting);
        return firing;
    }

    @Test
    void attemptThatReturnsWaitsForTheInterruptAndClearsIt() throws Exception {
        ReturningTask task = new ReturningTask(true);
        Caller<Boolean> firing = timeOut(task);
        TestKit.letOthersRun(); // long enough for a thread that does not wait
        assertThat(task.isCompleted()).isFalse();
        mayInterrupt.countDown();
        assertThat(task.outcome()).isEqualTo("timed out true, interrupt sent before true, flag false");
        assertThat(firing.result()).isTrue();
    }

    @Test
    void lastAttemptIsDecidedByTheTimerThoughItReturns() throws Exception {
        ReturningTask task = new ReturningTask(false);
        Caller<Boolean> firing = timeOut(task);
        mayInterrupt.countDown();
        assertThat(task.outcome()).isEqualTo("ATTEMPT_TIMED_OUT");
        assertThat(firing.result()).isTrue();
    }
}
