package io.github.kobe;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.awaitility.Awaitility;
import org.awaitility.core.ThrowingRunnable;

/** What the tests of this package share: tasks that stand still until told otherwise, and ways to wait without a sleep. */
public final class TestKit {

    /** Long enough that only something broken takes longer. */
    public static final Duration PATIENCE = Duration.ofSeconds(30);

    private TestKit() {}

    public static GroupExecutor executor(UnaryOperator<GroupPolicy.Builder> settings) {
        return GroupExecutor.newVirtualThreadExecutor(
                settings.apply(GroupPolicy.builder()).build());
    }

    public static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .as("what the test waits for happened")
                    .isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted while it waited", e);
        }
    }

    /** The end of the task, which must come. */
    static <T> GroupResult<T> end(TaskHandle<T> handle) {
        GroupResult<T> result = handle.join(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertThat(result.error() instanceof TimeoutException)
                .as("waited in vain for %s", handle)
                .isFalse();
        return result;
    }

    public static void eventually(ThrowingRunnable assertion) {
        Awaitility.await()
                .atMost(PATIENCE)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(2))
                .untilAsserted(assertion);
    }

    /** Lets whatever was started before this call, rightly or wrongly, have its turn on the scheduler of virtual threads. */
    public static void letOthersRun() {
        for (int i = 0; i < 200; i++) {
            try {
                Thread.ofVirtual().start(TestKit::stepAside).join();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    /** Gives another thread a chance to come in between. */
    @SuppressWarnings("ThreadPriorityCheck") // no test relies on it; it only makes overlaps more likely
    public static void stepAside() {
        Thread.yield();
    }

    /** A task that stands on its thread until it is released; a stubborn one takes no notice of interruption. */
    static final class Plug implements Callable<String> {

        final CountDownLatch started = new CountDownLatch(1);
        final CountDownLatch ended = new CountDownLatch(1);
        final CountDownLatch interrupted = new CountDownLatch(1);
        private final CountDownLatch released = new CountDownLatch(1);
        private final boolean stubborn;

        private Plug(boolean stubborn) {
            this.stubborn = stubborn;
        }

        static Plug polite() {
            return new Plug(false);
        }

        static Plug stubborn() {
            return new Plug(true);
        }

        /** Submits a new polite plug, and returns when it runs. */
        static Plug in(GroupExecutor executor, String group) {
            Plug plug = polite();
            executor.submit(group, "plug", plug);
            TestKit.await(plug.started);
            return plug;
        }

        @Override
        public String call() throws InterruptedException {
            started.countDown();
            try {
                standStill();
                return "released";
            } finally {
                ended.countDown();
            }
        }

        private void standStill() throws InterruptedException {
            while (true) {
                try {
                    released.await();
                    return;
                } catch (InterruptedException e) {
                    interrupted.countDown();
                    if (!stubborn) {
                        throw e;
                    }
                }
            }
        }

        void release() {
            released.countDown();
        }

        boolean hasStarted() {
            return started.getCount() == 0;
        }

        boolean wasInterrupted() {
            return interrupted.getCount() == 0;
        }

        boolean hasEnded() {
            return ended.getCount() == 0;
        }
    }

    /** Who is where now: an executor's figures without its history. */
    record Places(int groups, int active, int queued, int globalUsed, int globalMax) {

        static Places of(GroupExecutorStats stats) {
            return new Places(
                    stats.activeGroupCount(),
                    stats.totalActiveCount(),
                    stats.totalQueuedCount(),
                    stats.globalInFlightUsed(),
                    stats.globalInFlightMax());
        }

        static Places of(GroupExecutor executor) {
            return of(executor.stats());
        }
    }

    /** How many are inside now, and how many were at most. */
    static final class Peak {

        private final AtomicInteger inside = new AtomicInteger();
        private final AtomicInteger most = new AtomicInteger();

        <T> T during(Callable<T> body) throws Exception {
            most.accumulateAndGet(inside.incrementAndGet(), Math::max);
            try {
                return body.call();
            } finally {
                inside.decrementAndGet();
            }
        }

        int now() {
            return inside.get();
        }

        int most() {
            return most.get();
        }
    }

    /** How many are inside now, and how many were at most since a moment of the test's choosing. */
    static final class PeakSince {

        private final AtomicInteger inside = new AtomicInteger();
        private final AtomicReference<AtomicInteger> most = new AtomicReference<>(new AtomicInteger());

        void during(Runnable body) {
            AtomicInteger current =
                    most.get(); // first: who counts before the moment and notes it after does so in vain
            current.accumulateAndGet(inside.incrementAndGet(), Math::max);
            try {
                body.run();
            } finally {
                inside.decrementAndGet();
            }
        }

        /** Those that come from now on count. */
        void startAfresh() {
            most.set(new AtomicInteger());
        }

        int most() {
            return most.get().get();
        }
    }

    /** A call on a thread of its own, for tests that interrupt the caller of something. */
    static final class Caller<T> extends FutureTask<T> {

        private final Thread thread = new Thread(this, "caller");

        private Caller(Callable<T> call) {
            super(call);
        }

        static <T> Caller<T> of(Callable<T> call) {
            Caller<T> caller = new Caller<>(call);
            caller.thread.start();
            return caller;
        }

        /** Interrupts the caller once it stands still. */
        void interruptWhenWaiting() {
            awaitWaiting();
            thread.interrupt();
        }

        void awaitWaiting() {
            eventually(() -> assertThat(isWaiting()).isTrue());
        }

        boolean isWaiting() {
            Thread.State state = thread.getState();
            return state == Thread.State.WAITING || state == Thread.State.TIMED_WAITING;
        }

        T result() throws Exception {
            return get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
    }

    /** Does {@code action} again and again on a thread of its own, at least once before and as long as {@code body} runs. */
    static void whileRepeating(Runnable action, ThrowingRunnable body) throws Throwable {
        CountDownLatch underWay = new CountDownLatch(1);
        AtomicBoolean stop = new AtomicBoolean();
        Caller<Boolean> repeating = Caller.of(() -> {
            try {
                while (!stop.get()) {
                    action.run();
                    underWay.countDown();
                }
                return true;
            } finally {
                underWay.countDown();
            }
        });
        await(underWay);
        try {
            body.run();
        } finally {
            stop.set(true);
        }
        assertThat(repeating.result()).isTrue();
    }

    /** Writes down what a listener hears: "submitted a/1", "completed a/1 SUCCESS", and so on. */
    static class Events implements TaskLifecycleListener {

        private final Queue<String> heard = new ConcurrentLinkedQueue<>();

        @Override
        public void onSubmitted(String groupKey, String taskId) {
            heard.add("submitted " + groupKey + "/" + taskId);
        }

        @Override
        public void onStarted(String groupKey, String taskId) {
            heard.add("started " + groupKey + "/" + taskId);
        }

        @Override
        public void onCompleted(String groupKey, String taskId, GroupResult<?> result) {
            heard.add("completed " + groupKey + "/" + taskId + " " + result.status());
        }

        @Override
        public void onRejected(String groupKey, String taskId, String reason) {
            heard.add("rejected " + groupKey + "/" + taskId);
        }

        /** All that was heard of one task, in order. */
        List<String> of(String task) {
            return heard.stream()
                    .filter(event -> (event + " ").contains(" " + task + " "))
                    .map(event -> event.replace(" " + task, ""))
                    .toList();
        }

        boolean isEmpty() {
            return heard.isEmpty();
        }
    }

    /** What the library logs while this is open. */
    public static final class Log extends Handler implements AutoCloseable {

        private final Logger logger = Logger.getLogger("io.github.kobe");
        private final Queue<LogRecord> records = new ConcurrentLinkedQueue<>();
        private final boolean parents = logger.getUseParentHandlers();

        /** Listens from now on. */
        public Log() {
            logger.setUseParentHandlers(false);
            logger.addHandler(this);
        }

        /** The logged lines that contain {@code part} in the message or in what was thrown. */
        public List<String> lines(String part) {
            List<String> lines = new ArrayList<>();
            for (LogRecord r : records) {
                String line = r.getMessage() + " / " + r.getThrown();
                if (line.contains(part)) {
                    lines.add(line);
                }
            }
            return lines;
        }

        @Override
        public void publish(LogRecord line) {
            records.add(line);
        }

        @Override
        public void flush() {}

        @Override
        public void close() {
            logger.removeHandler(this);
            logger.setUseParentHandlers(parents);
        }
    }
}
