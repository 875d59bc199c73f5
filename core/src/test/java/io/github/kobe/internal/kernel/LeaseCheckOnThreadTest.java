package io.github.kobe.internal.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.internal.fair.WeightedRoundRobin;
import io.github.kobe.internal.time.FakeTimer;
import io.github.kobe.internal.time.ObservedTimer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What happens if the lease of a task ends between its submission and the first step of its thread? */
class LeaseCheckOnThreadTest {

    private static final int UNLIMITED = Integer.MAX_VALUE;
    private static final long TTL = TimeUnit.SECONDS.toNanos(1);

    private final FakeTimer time = new FakeTimer();
    private final ObservedTimer timer = new ObservedTimer(time);
    private final TestLeases leases = new TestLeases();
    private final Deque<Runnable> threads = new ArrayDeque<>(); // that have been started, and have not begun
    private final Dispatcher dispatcher = new Dispatcher(
            key -> new GroupLimits(2, UNLIMITED, UNLIMITED),
            new DispatcherConfig(UNLIMITED, UNLIMITED, TTL, false, false),
            new WeightedRoundRobin(),
            threads::add,
            timer,
            leases.newControl());
    private int ran;

    @BeforeEach
    void holdAllPermits() {
        time.advance(TTL);
        leases.lease("g", 2);
    }

    private TestTask submit() {
        TestTask task = new TestTask(() -> ran++);
        assertThat(dispatcher.submit("g", task)).isEqualTo(Admission.ADMITTED);
        return task;
    }

    private void expire() {
        leases.expireAt("g", time.nanoTime());
    }

    /** Lets all threads begin that were started, and those that these start. */
    private void begin() {
        while (!threads.isEmpty()) {
            threads.remove().run();
        }
    }

    private Group group() {
        return dispatcher.group("g");
    }

    @Test
    void taskIsQueuedAgainAndStartsWhenTheLeaseIsRenewed() {
        TestTask task = submit();
        expire();
        begin();
        assertThat(ran).isZero();
        assertThat(task.isQueuedForFirstStart()).isTrue();
        assertThat(group().active()).isZero();
        assertThat(group().queued()).isEqualTo(1);
        leases.renew("g");
        begin();
        assertThat(ran).isEqualTo(1);
        assertThat(task.completion().join()).isEqualTo("ran");
        assertThat(group().active()).isZero();
        assertThat(group().queued()).isZero();
    }

    @Test
    void leaseThatIsRenewedBeforeTheThreadBeginsIsValid() {
        submit();
        expire();
        leases.renew("g");
        begin();
        assertThat(ran).isEqualTo(1);
    }

    @Test
    void renewalThatComesWhileTheTaskIsQueuedAgainIsNotLost() {
        submit();
        expire();
        leases.afterLook(2, () -> leases.renew("g")); // both looks of the thread find the lease invalid
        begin();
        assertThat(ran).isEqualTo(1);
        assertThat(group().active()).isZero();
    }

    @Test
    void cancelledTaskIsNotQueuedAgain() {
        TestTask task = submit();
        expire();
        assertThat(task.tryCancel(true, "by the caller")).isTrue();
        begin();
        leases.renew("g");
        begin();
        assertThat(ran).isZero();
        assertThat(group().active()).isZero();
        assertThat(group().queued()).isZero();
    }

    @Test
    void stoppedTaskIsNotQueuedAgain() {
        TestTask task = submit();
        expire();
        group().stop("by a test");
        begin();
        assertThat(task.completion().join()).isEqualTo("cancelled by a test");
        leases.renew("g");
        begin();
        assertThat(ran).isZero();
        assertThat(group().active()).isZero();
    }

    @Test
    void whileALeaseIsKnownToBeInvalidNoThreadIsStarted() {
        expire();
        leases.control().lapsed();
        TestTask task = submit();
        assertThat(threads).isEmpty();
        assertThat(task.isQueuedForFirstStart()).isTrue();
        leases.renew("g");
        begin();
        assertThat(ran).isEqualTo(1);
    }

    @Test
    void submitterReadsNoClockAndTheTaskNoMoreThanWithoutALease() {
        submit();
        begin(); // the group is known
        int before = timer.reads();
        submit();
        assertThat(timer.reads()).as("reads of the submitter").isEqualTo(before);
        begin();
        assertThat(timer.reads() - before)
                .as("of the task, at its start and its end")
                .isEqualTo(2);
    }
}
