package io.github.kobe.internal.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.internal.fair.WeightedRoundRobin;
import io.github.kobe.internal.time.FakeTimer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What happens if a lease ends while user code runs, or while a task waits for another one? */
class LeaseEndsMeanwhileTest {

    private static final int UNLIMITED = Integer.MAX_VALUE;
    private static final long TTL = TimeUnit.SECONDS.toNanos(1);

    private final FakeTimer timer = new FakeTimer();
    private final TestLeases leases = new TestLeases();
    private final Deque<Runnable> threads = new ArrayDeque<>(); // that have been started, and have not begun
    private boolean noThread; // for the next task
    private final Dispatcher dispatcher = new Dispatcher(
            key -> new GroupLimits(2, UNLIMITED, UNLIMITED),
            new DispatcherConfig(UNLIMITED, UNLIMITED, TTL, false, false),
            new WeightedRoundRobin(),
            this::startThread,
            timer,
            leases.newControl());
    private final List<String> ran = new ArrayList<>();

    private void startThread(Runnable work) {
        if (noThread) {
            noThread = false;
            throw new IllegalStateException("no thread");
        }
        threads.add(work);
    }

    /** A task with a listener that hears of its completion. */
    private class Named extends KernelTask<String> {
        private final String name;
        private final @Nullable Runnable listener;

        Named(String name, @Nullable Runnable listener) {
            this.name = name;
            this.listener = listener;
        }

        @Override
        protected String execute() {
            ran.add(name);
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

        @Override
        protected boolean hasListeners() {
            return listener != null;
        }

        @Override
        protected boolean tellListeners(String result, int slot) {
            listener.run();
            return true;
        }
    }

    @BeforeEach
    void setClock() {
        timer.advance(TTL);
    }

    private void submit(Named task) {
        assertThat(dispatcher.submit("g", task)).isEqualTo(Admission.ADMITTED);
    }

    /** Lets all threads begin that were started, and those that these start. */
    private void runThreads() {
        while (!threads.isEmpty()) {
            threads.remove().run();
        }
    }

    private void expireIn(long nanos) {
        leases.expireAt("g", timer.nanoTime() + nanos);
    }

    @Test
    void listenerOfADrainingGroupTakesLongerThanTheLease() {
        leases.lease("g", 1);
        submit(new Named("a", () -> timer.advance(20)));
        submit(new Named("b", null));
        expireIn(10);
        dispatcher.group("g").close(); // from now on listeners are told before the permit is released
        runThreads();
        assertThat(ran).containsExactly("a");
    }

    @Test
    void listenerOfATaskWithoutAThreadTakesLongerThanTheLease() {
        leases.lease("g", 1);
        submit(new Named("a", null));
        submit(new Named("b", () -> timer.advance(20)));
        submit(new Named("c", null));
        expireIn(10);
        noThread = true;
        runThreads();
        assertThat(ran).containsExactly("a");
    }

    /** The permits become fewer before the awaited task is queued again. Only the permit of the one that waits is left for it. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void permitIsLentToATaskThatIsQueuedAgain(boolean withAttempts) {
        leases.lease("g", 2);
        AttemptState attempts =
                withAttempts ? new AttemptState(0, AttemptLimits.NONE, AttemptLimits.NONE, false) : null;
        Named child = new Named("child", null) {
            @Override
            protected @Nullable AttemptState attempts() {
                return attempts;
            }
        };
        Named parent = new Named("parent", null) {
            @Override
            protected String execute() {
                submit(child);
                BlockedWait wait = BlockedWait.begin(List.of(this), true);
                wait.add(child);
                expireIn(0);
                leases.afterLook(
                        2,
                        () -> { // both looks of the thread find the lease invalid
                            leases.renew("g");
                            leases.lease("g", 1);
                        });
                runThreads(); // the thread of the child
                leases.control().renewed(); // by a later heartbeat
                runThreads();
                wait.end(0);
                return super.execute();
            }
        };
        submit(parent);
        runThreads();
        assertThat(ran).containsExactly("child", "parent");
    }
}
