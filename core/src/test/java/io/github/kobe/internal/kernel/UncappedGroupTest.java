package io.github.kobe.internal.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.internal.fair.WeightedRoundRobin;
import io.github.kobe.internal.time.FakeTimer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** An enclosure without a limit: nothing waits, it is over when the last has left after the close, and its figures are true. */
class UncappedGroupTest {

    private static final long SOON = TimeUnit.MILLISECONDS.toNanos(1);

    private final FakeTimer timer = new FakeTimer();
    private final Deque<Runnable> threads = new ArrayDeque<>();
    private boolean noThreads;
    private final Dispatcher dispatcher = new Dispatcher(
            key -> new GroupLimits(1, 1, 1), 1, 1, Long.MAX_VALUE, new WeightedRoundRobin(), this::startThread, timer);
    private final StandaloneGroup enclosure = new StandaloneGroup("e", Integer.MAX_VALUE, dispatcher);

    private void startThread(Runnable work) {
        if (noThreads) {
            throw new InternalError("no threads, on purpose");
        }
        threads.add(work);
    }

    /** Some of its attempts fail. */
    private final class RetryingTask extends KernelTask<String> {
        private final AttemptState plan;
        private int failures;
        private int attempts;

        RetryingTask(int failures, boolean keepsPlace) {
            this.failures = failures;
            this.plan =
                    new AttemptState(new AttemptLimits(0, AttemptLimits.NONE, AttemptLimits.NONE, keepsPlace, false));
        }

        @Override
        protected @Nullable AttemptState attempts() {
            return plan;
        }

        @Override
        protected String execute() {
            attempts++;
            return "ran";
        }

        @Override
        protected long retryDelay(Object result) {
            return failures-- > 0 ? SOON : -1;
        }

        @Override
        protected String failed(Throwable fault) {
            return "failed";
        }

        @Override
        protected String cancelled(String why) {
            return "cancelled";
        }

        @Override
        protected int counterSlot(Object result) {
            return result.equals("ran") ? OutcomeCounters.COMMON_OUTCOME : 1;
        }

        boolean cancel() {
            return cancel(true, "test");
        }

        @Nullable
        String end() {
            return outcomeOrNull();
        }
    }

    private RetryingTask submit() {
        return submit(new RetryingTask(0, false));
    }

    private RetryingTask submit(RetryingTask ticket) {
        assertThat(enclosure.submit(ticket)).isTrue();
        return ticket;
    }

    private void runNext() {
        Objects.requireNonNull(threads.poll(), "nothing was started").run();
    }

    @Test
    void oneWithALimitIsOfTheOtherKind() {
        assertThat(enclosure.home()).isInstanceOf(UncappedGroup.class);
        assertThat(new StandaloneGroup("e", Integer.MAX_VALUE - 1, dispatcher).home())
                .isNotInstanceOf(UncappedGroup.class);
    }

    @Test
    void everyTicketGetsAThreadAtOnce() {
        for (int i = 0; i < 1000; i++) {
            submit();
        }
        assertThat(threads).hasSize(1000);
        assertThat(enclosure.home().active()).isEqualTo(1000);
        assertThat(enclosure.home().queued()).isZero();
    }

    @Test
    void ticketsAreNumberedAsTheyCome() {
        long[] numbers = new long[3];
        for (int i = 0; i < numbers.length; i++) {
            int at = i;
            enclosure.submit(new NumberedTask(number -> numbers[at] = number));
        }
        assertThat(numbers).containsExactly(1, 2, 3);
    }

    private static final class NumberedTask extends KernelTask<String> {
        private final LongConsumer tell;

        NumberedTask(LongConsumer tell) {
            this.tell = tell;
        }

        @Override
        protected void admitted(long number) {
            tell.accept(number);
        }

        @Override
        protected String execute() {
            return "ran";
        }

        @Override
        protected String failed(Throwable fault) {
            return "failed";
        }

        @Override
        protected String cancelled(String why) {
            return "cancelled";
        }
    }

    // ---- the end -------------------------------------------------------------------------------------------------

    @Test
    void oneThatIsEmptyIsOverWhenItIsClosed() {
        assertThat(enclosure.isTerminated()).isFalse();
        enclosure.shut();
        assertThat(enclosure.isTerminated()).isTrue();
    }

    @Test
    void itIsOverWhenTheLastHasLeftAndNotBefore() {
        submit();
        submit();
        enclosure.shut();
        runNext();
        assertThat(enclosure.isTerminated()).isFalse();
        runNext();
        assertThat(enclosure.isTerminated()).isTrue();
    }

    @Test
    void thatAllHaveLeftDoesNotEndItBeforeItIsClosed() {
        submit();
        runNext();
        assertThat(enclosure.isTerminated()).isFalse();
        submit();
        runNext();
        enclosure.shut();
        assertThat(enclosure.isTerminated()).isTrue();
    }

    @Test
    void closedTwiceIsClosedOnce() {
        submit();
        enclosure.shut();
        enclosure.shut();
        assertThat(enclosure.isTerminated()).isFalse();
        runNext();
        assertThat(enclosure.isTerminated()).isTrue();
        enclosure.shut();
        assertThat(enclosure.isTerminated()).isTrue();
    }

    @Test
    void whatComesAfterTheCloseIsRefusedAndNotCounted() {
        submit();
        enclosure.shut();
        assertThat(enclosure.submit(new RetryingTask(0, false))).isFalse();
        assertThat(threads).hasSize(1);
        assertThat(enclosure.home().admittedCount()).isEqualTo(1);
        assertThat(enclosure.home().isClosed()).isTrue();
    }

    @Test
    void whatGetsNoThreadHasLeft() {
        noThreads = true;
        RetryingTask ticket = submit();
        assertThat(ticket.end()).isEqualTo("failed");
        assertThat(enclosure.taskCount()).isZero();
        enclosure.shut();
        assertThat(enclosure.isTerminated()).isTrue();
    }

    @Test
    void whatIsStoppedEndsAndLeavesWhenItsThreadComes() {
        RetryingTask ticket = submit();
        enclosure.stopAll("test");
        enclosure.shut();
        assertThat(enclosure.isTerminated()).isFalse();
        runNext();
        assertThat(ticket.end()).isEqualTo("cancelled");
        assertThat(ticket.attempts).isZero();
        assertThat(enclosure.isTerminated()).isTrue();
    }

    // ---- coming again --------------------------------------------------------------------------------------------

    @Test
    void oneThatWillComeAgainIsWaitedFor() {
        for (boolean keepsPlace : new boolean[] {false, true}) {
            StandaloneGroup its = StandaloneGroup.of("e", Integer.MAX_VALUE, dispatcher);
            RetryingTask ticket = new RetryingTask(2, keepsPlace);
            its.submit(ticket);
            its.shut();
            for (int attempt = 1; attempt <= 2; attempt++) {
                runNext();
                assertThat(its.isTerminated())
                        .as("before attempt %s", attempt + 1)
                        .isFalse();
                assertThat(its.home().active()).isEqualTo(keepsPlace ? 1 : 0);
                assertThat(its.home().awaitingRetryCount()).isEqualTo(1);
                timer.advance(SOON);
                assertThat(its.taskCount()).isEqualTo(1);
                assertThat(its.home().awaitingRetryCount()).isZero();
            }
            runNext();
            assertThat(ticket.end()).isEqualTo("ran");
            assertThat(its.isTerminated()).isTrue();
        }
    }

    @Test
    void oneThatIsCancelledBeforeItComesAgainIsNotWaitedFor() {
        for (boolean keepsPlace : new boolean[] {false, true}) {
            StandaloneGroup its = StandaloneGroup.of("e", Integer.MAX_VALUE, dispatcher);
            RetryingTask ticket = new RetryingTask(1, keepsPlace);
            its.submit(ticket);
            runNext();
            its.shut();
            assertThat(its.isTerminated()).isFalse();
            assertThat(ticket.cancel()).isTrue();
            assertThat(its.isTerminated()).isTrue();
            assertThat(its.taskCount()).isZero();
            assertThat(timer.pending()).isZero();
        }
    }

    @Test
    void oneThatGetsNoThreadWhenItComesAgainHasLeft() {
        RetryingTask ticket = submit(new RetryingTask(1, false));
        runNext();
        enclosure.shut();
        noThreads = true;
        timer.advance(SOON);
        assertThat(ticket.end()).isEqualTo("failed");
        assertThat(enclosure.isTerminated()).isTrue();
    }

    // ---- figures -------------------------------------------------------------------------------------------------

    @Test
    void figuresAreTrueBeforeTheCloseAndAfterIt() {
        submit();
        submit();
        submit(new RetryingTask(1, false));
        runNext();
        assertThat(enclosure.taskCount()).isEqualTo(2);
        assertThat(enclosure.home().commonOutcomeCount()).isEqualTo(1);
        enclosure.shut();
        assertThat(enclosure.taskCount()).isEqualTo(2);
        assertThat(enclosure.home().active()).isEqualTo(2);
        runNext();
        runNext();
        assertThat(enclosure.home().active()).isZero();
        assertThat(enclosure.home().awaitingRetryCount()).isEqualTo(1);
        assertThat(enclosure.taskCount()).isEqualTo(1);
        assertThat(enclosure.home().admittedCount()).isEqualTo(3);
        assertThat(enclosure.home().counts()[OutcomeCounters.ADMITTED]).isEqualTo(3);
        assertThat(enclosure.home().counts()[OutcomeCounters.COMMON_OUTCOME]).isEqualTo(2);
    }

    @Test
    void endsOfOtherKindsAreCountedApart() {
        submit().cancel();
        assertThat(enclosure.home().count(1)).isEqualTo(1);
        assertThat(enclosure.home().commonOutcomeCount()).isZero();
    }

    @Test
    void timerKeepsNothingOfOneThatIsOver() {
        RetryingTask ticket = submit(new RetryingTask(1, false));
        enclosure.deadlineMonitor().sweepBy(timer.nanoTime() + SOON, timer.nanoTime());
        assertThat(timer.pending()).isEqualTo(1);
        ticket.cancel();
        runNext();
        enclosure.shut();
        assertThat(timer.pending()).isZero();
        enclosure.home().deadlineMonitor().sweepBy(timer.nanoTime() + SOON, timer.nanoTime());
        assertThat(timer.pending()).as("started by one who came too late").isZero();
    }
}
