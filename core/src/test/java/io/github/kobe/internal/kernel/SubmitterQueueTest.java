package io.github.kobe.internal.kernel;

import static io.github.kobe.TestKit.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.TestKit;
import io.github.kobe.internal.time.FakeTimer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Whom do blocked submitters wake when they leave, and in which order are they admitted? */
@Timeout(60)
class SubmitterQueueTest {

    private static final long LONG = Long.MAX_VALUE >> 1;

    private final SubmitterQueue queue = new SubmitterQueue();
    private final FakeTimer timer = new FakeTimer();
    private final AtomicInteger room = new AtomicInteger();
    private final List<Submitter> submitters = new ArrayList<>();

    /** A thread that is blocked by the global queue until there is room. */
    private final class Submitter extends Thread {
        private final String key;
        private final AtomicInteger attempts = new AtomicInteger();

        Submitter(String key) {
            this.key = key;
            submitters.add(this);
        }

        @Override
        public void run() {
            try {
                queue.submit(key, this::attempt, timer, LONG);
            } catch (InterruptedException e) {
                // it leaves
            }
        }

        private Admission attempt() {
            attempts.incrementAndGet();
            boolean admitted = room.getAndUpdate(n -> Math.max(0, n - 1)) > 0;
            return admitted ? Admission.ADMITTED : Admission.GLOBAL_QUEUE_FULL;
        }

        @SuppressWarnings("ReferenceEquality") // identity of the queue
        private boolean isBlocked() {
            return LockSupport.getBlocker(this) == queue;
        }
    }

    @AfterEach
    void interruptAll() {
        submitters.forEach(Thread::interrupt);
        submitters.forEach(SubmitterQueueTest::join);
    }

    /** Returns when the submitter is blocked. */
    private Submitter blocked(String key) {
        Submitter submitter = new Submitter(key);
        submitter.start();
        awaitBlocked(submitter);
        return submitter;
    }

    private static void awaitBlocked(Submitter submitter) {
        eventually(() -> assertThat(submitter.isBlocked()).isTrue());
    }

    private static void leave(Submitter submitter) {
        submitter.interrupt();
        join(submitter);
    }

    private static void join(Thread thread) {
        try {
            assertThat(thread.join(TestKit.PATIENCE)).as("it has left").isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void submittersThatLeaveFromTheMiddleWakeNoOther() {
        int leavers = 100;
        Submitter first = blocked("first");
        List<Submitter> others = new ArrayList<>();
        for (int i = 0; i < leavers; i++) {
            others.add(blocked(i % 2 == 0 ? "first" : "g" + i));
        }
        Submitter last = blocked("last");
        int attemptsBefore = first.attempts.get() + last.attempts.get();
        for (Submitter other : others) {
            leave(other);
            awaitBlocked(first); // a thread that was woken tries before it is blocked again
        }
        assertThat(first.attempts.get() + last.attempts.get() - attemptsBefore)
                .as("attempts while %s others left; a few if the JVM ends a wait without a reason", leavers)
                .isLessThan(leavers / 10);
    }

    @Test
    void firstSubmitterThatLeavesWakesTheNextBehindTheGlobalQueue() {
        Submitter first = blocked("a");
        Submitter next = blocked("b");
        int before = next.attempts.get();
        leave(first);
        eventually(() -> assertThat(next.attempts.get()).isGreaterThan(before));
    }

    @Test
    void firstSubmitterThatLeavesWakesTheNextOfItsGroup() {
        Submitter first = blocked("a");
        Submitter next = blocked("a");
        assertThat(next.attempts).as("it waits behind the first").hasValue(0);
        leave(first);
        eventually(() -> assertThat(next.attempts.get()).isPositive());
    }

    @Test
    void oneSignalAdmitsAllForWhomThereIsRoomInOrder() {
        Submitter a = blocked("a");
        Submitter b = blocked("b");
        Submitter c = blocked("c");
        Submitter d = blocked("d");
        leave(b);
        room.set(2);
        queue.signalGlobal();
        join(a);
        join(c);
        awaitBlocked(d);
        room.set(1);
        queue.signal("d");
        join(d);
    }
}
