package io.github.kobe.internal.kernel;

import static io.github.kobe.TestKit.await;
import static io.github.kobe.TestKit.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.TestKit.Caller;
import io.github.kobe.internal.fair.WeightedRoundRobin;
import io.github.kobe.internal.time.FakeTimer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** When a shutdown returns, is the outcome of every task published, wherever the task was meanwhile? */
@Timeout(60)
class ShutdownOutcomesTest {

    private static final int UNLIMITED = Integer.MAX_VALUE;
    private static final long LONG = TimeUnit.SECONDS.toNanos(30);

    private final FakeTimer timer = new FakeTimer();
    private final CountDownLatch deciding = new CountDownLatch(1);
    private final CountDownLatch mayDecide = new CountDownLatch(1);

    /** Stops just before its outcome is published. By then it has released its permit, or has left the queue. */
    private class SlowToPublish extends KernelTask<String> {

        @Override
        protected String execute() {
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
        protected void countOutcome(Object result, int number) {
            deciding.countDown();
            await(mayDecide);
        }
    }

    /** Its listener takes long. */
    private final class SlowListener extends SlowToPublish {

        @Override
        protected boolean hasListeners() {
            return true;
        }

        @Override
        protected void notifyCompleted(String result) {
            deciding.countDown();
            await(mayDecide);
            publishResult(result);
        }

        @Override
        protected void countOutcome(Object result, int number) {}
    }

    private Dispatcher dispatcher(long ttl, TaskRunner runner) {
        timer.advance(1);
        return new Dispatcher(
                key -> new GroupLimits(1, UNLIMITED, UNLIMITED),
                UNLIMITED,
                UNLIMITED,
                ttl,
                new WeightedRoundRobin(),
                runner,
                timer);
    }

    /** Asserts that the shutdown waits, lets the task decide, and asserts that the task is completed when the shutdown returns. */
    private void assertWaitsFor(KernelTask<?> task, Callable<Boolean> shutdown) throws Exception {
        await(deciding);
        Caller<Boolean> caller = Caller.of(() -> {
            shutdown.call();
            return task.isCompleted();
        });
        eventually(() -> assertThat(caller.isWaiting() || caller.isDone()).isTrue());
        mayDecide.countDown();
        assertThat(caller.result()).as("completed when the shutdown returned").isTrue();
    }

    private static Callable<Boolean> drain(Dispatcher dispatcher) {
        return () -> {
            dispatcher.close();
            boolean terminated = dispatcher.awaitTermination(LONG);
            dispatcher.stop();
            return terminated;
        };
    }

    private static Callable<Boolean> stop(Dispatcher dispatcher) {
        return () -> {
            dispatcher.stop();
            return true;
        };
    }

    @ParameterizedTest
    @ValueSource(longs = {0, Long.MAX_VALUE})
    void drainWaitsForATaskThatHasReleasedItsPermit(long ttl) throws Exception {
        Dispatcher dispatcher = dispatcher(ttl, TaskRunner.freshVirtualThreads());
        SlowToPublish task = new SlowToPublish();
        dispatcher.submit("g", task);
        assertWaitsFor(task, drain(dispatcher));
    }

    /** It has done its work, so the shutdown that follows the drain must not cancel it. */
    @ParameterizedTest
    @ValueSource(longs = {0, Long.MAX_VALUE})
    void drainLeavesTheOutcomeToATaskThatHasReleasedItsPermit(long ttl) throws Exception {
        Dispatcher dispatcher = dispatcher(ttl, TaskRunner.freshVirtualThreads());
        SlowToPublish task = new SlowToPublish() {
            @Override
            protected void countOutcome(Object result, int number) {
                if (result.equals("ran")) {
                    super.countOutcome(result, number);
                }
            }
        };
        dispatcher.submit("g", task);
        assertWaitsFor(task, drain(dispatcher));
        assertThat(task.completion().join()).isEqualTo("ran");
    }

    @ParameterizedTest
    @ValueSource(longs = {0, Long.MAX_VALUE})
    void stopWaitsForATaskThatHasReleasedItsPermit(long ttl) throws Exception {
        Dispatcher dispatcher = dispatcher(ttl, TaskRunner.freshVirtualThreads());
        SlowToPublish task = new SlowToPublish();
        dispatcher.submit("g", task);
        assertWaitsFor(task, stop(dispatcher));
    }

    @Test
    void secondShutdownWaitsToo() throws Exception {
        Dispatcher dispatcher = dispatcher(Long.MAX_VALUE, TaskRunner.freshVirtualThreads());
        SlowToPublish task = new SlowToPublish();
        dispatcher.submit("g", task);
        await(deciding);
        Caller<Boolean> first = Caller.of(drain(dispatcher));
        eventually(() -> assertThat(dispatcher.group("g")).isNull());
        assertWaitsFor(task, stop(dispatcher));
        assertThat(first.result()).isTrue();
    }

    @Test
    void stopWaitsForADetachedTask() throws Exception {
        Dispatcher dispatcher = dispatcher(0, TaskRunner.freshVirtualThreads());
        SlowToPublish task = new SlowToPublish();
        dispatcher.submitDetached(task);
        assertWaitsFor(task, stop(dispatcher));
    }

    @ParameterizedTest
    @ValueSource(longs = {0, Long.MAX_VALUE})
    void drainWaitsForACancellerThatHasTakenTheTaskOffTheQueue(long ttl) throws Exception {
        Dispatcher dispatcher = dispatcher(ttl, TaskRunner.freshVirtualThreads());
        CountDownLatch release = new CountDownLatch(1);
        dispatcher.submit("g", new TestTask(() -> await(release)));
        SlowToPublish queued = new SlowToPublish();
        dispatcher.submit("g", queued);
        Caller<Boolean> canceller = Caller.of(() -> queued.cancel(true, "by test"));
        await(deciding);
        release.countDown();
        assertWaitsFor(queued, drain(dispatcher));
        assertThat(canceller.result()).isTrue();
    }

    @Test
    void stopWaitsForACancellerThatHasTakenTheTaskOffTheQueue() throws Exception {
        Dispatcher dispatcher = dispatcher(Long.MAX_VALUE, TaskRunner.freshVirtualThreads());
        CountDownLatch release = new CountDownLatch(1);
        dispatcher.submit("g", new TestTask(() -> await(release)));
        SlowToPublish queued = new SlowToPublish();
        dispatcher.submit("g", queued);
        Caller<Boolean> canceller = Caller.of(() -> queued.cancel(true, "by test"));
        assertWaitsFor(queued, stop(dispatcher));
        assertThat(canceller.result()).isTrue();
        release.countDown();
    }

    @Test
    void drainWaitsForTheListenersOfATaskThatWasCancelledWhileQueued() throws Exception {
        Dispatcher dispatcher = dispatcher(Long.MAX_VALUE, TaskRunner.freshVirtualThreads());
        CountDownLatch release = new CountDownLatch(1);
        dispatcher.submit("g", new TestTask(() -> await(release)));
        SlowListener queued = new SlowListener();
        dispatcher.submit("g", queued);
        assertThat(queued.tryCancel(true, "by test")).isTrue();
        release.countDown();
        assertWaitsFor(queued, drain(dispatcher));
    }

    @Test
    void listenerThatShutsDownDoesNotWaitForItself() throws Exception {
        Dispatcher dispatcher = dispatcher(Long.MAX_VALUE, TaskRunner.freshVirtualThreads());
        CountDownLatch shutDown = new CountDownLatch(1);
        AtomicReference<String> seen = new AtomicReference<>();
        KernelTask<String> task = new KernelTask<>() {
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

            @Override
            protected boolean hasListeners() {
                return true;
            }

            @Override
            protected void notifyCompleted(String result) {
                dispatcher.stop();
                seen.set(isCompleted() ? "completed" : "not completed");
                publishResult(result);
                shutDown.countDown();
            }
        };
        dispatcher.submit("g", task);
        await(shutDown);
        assertThat(seen).hasValue("not completed");
    }

    /** Its threads start when the test says so. */
    private static final class HeldThreads implements TaskRunner {
        final CountDownLatch go = new CountDownLatch(1);
        private final TaskRunner threads = TaskRunner.freshVirtualThreads();

        @Override
        public void start(Runnable work) {
            threads.start(() -> {
                await(go);
                work.run();
            });
        }

        @Override
        public boolean startsByItself() {
            return true;
        }
    }

    @Test
    void stopWaitsForATaskThatHasAPermitAndNoThreadYet() throws Exception {
        HeldThreads threads = new HeldThreads();
        Dispatcher dispatcher = dispatcher(Long.MAX_VALUE, threads);
        TestTask task = new TestTask(() -> {
            throw new AssertionError("it ran after the stop");
        });
        dispatcher.submit("g", task);
        Caller<Boolean> caller = Caller.of(() -> {
            dispatcher.stop();
            return task.isCompleted();
        });
        eventually(() -> assertThat(caller.isWaiting() || caller.isDone()).isTrue());
        threads.go.countDown();
        assertThat(caller.result()).as("completed when the stop returned").isTrue();
        assertThat(task.completion().join()).startsWith("cancelled");
    }

    @Test
    void noSubmitterIsBlockedWhenAStopReturns() throws Exception {
        timer.advance(1);
        Dispatcher dispatcher = new Dispatcher(
                key -> new GroupLimits(1, UNLIMITED, 0),
                new DispatcherConfig(UNLIMITED, UNLIMITED, Long.MAX_VALUE, false, true),
                new WeightedRoundRobin(),
                TaskRunner.freshVirtualThreads(),
                timer);
        CountDownLatch release = new CountDownLatch(1);
        dispatcher.submit("g", new TestTask(() -> await(release)));
        List<Caller<Admission>> blocked = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            blocked.add(Caller.of(() -> dispatcher.submitBlocking("g", new TestTask(() -> {}), LONG)));
        }
        SubmitterQueue submitters = Objects.requireNonNull(dispatcher.submitterQueue());
        eventually(() -> assertThat(submitters.blocked()).isEqualTo(50));
        dispatcher.stop();
        assertThat(submitters.blocked()).isZero();
        for (Caller<Admission> caller : blocked) {
            assertThat(caller.result()).isEqualTo(Admission.CLOSED);
        }
        release.countDown();
    }

    @Test
    void stopDoesNotWaitForAPermitOfACaller() throws Exception {
        Dispatcher dispatcher = dispatcher(Long.MAX_VALUE, TaskRunner.freshVirtualThreads());
        PermitRequest held = new PermitRequest();
        dispatcher.submit("g", held);
        assertThat(held.isGranted()).isTrue();
        dispatcher.stop();
        assertThat(dispatcher.awaitTermination(0)).as("the permit is held").isFalse();
        held.release(0);
        assertThat(dispatcher.awaitTermination(LONG)).isTrue();
    }
}
