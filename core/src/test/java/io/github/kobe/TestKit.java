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
import org.jspecify.annotations.Nullable;

/** Shared by the tests: tasks that block until they are released, and ways to wait without a sleep. */
public final class TestKit {

    /** The longest wait; only a bug takes longer. */
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

    /** Waits for the result of the task, which must complete. */
    public static <T> GroupResult<T> resultOf(TaskHandle<T> handle) {
        GroupResult<T> result = handle.join(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertThat(result.error() instanceof TimeoutException)
                .as("waited in vain for %s", handle)
                .isFalse();
        return result;
    }

    /** The rejection without its estimate, which depends on how long tasks have run. */
    public static Rejection withoutEstimate(@Nullable Rejection rejection) {
        assertThat(rejection).isNotNull();
        return rejection(
                rejection.reason(),
                rejection.limitedBy(),
                rejection.active(),
                rejection.queued(),
                rejection.limit(),
                rejection.queueCapacity(),
                rejection.waited(),
                Duration.ZERO);
    }

    /** A rejection by an executor without a name, of a task of cost 1. */
    public static Rejection rejection(
            RejectionReason reason,
            LimitKind limitedBy,
            int active,
            int queued,
            int limit,
            int queueCapacity,
            Duration waited,
            Duration estimatedWait) {
        return new Rejection(
                reason,
                limitedBy,
                active,
                queued,
                limit,
                queueCapacity,
                waited,
                estimatedWait,
                "",
                Integer.MAX_VALUE,
                "",
                1);
    }

    public static void eventually(ThrowingRunnable assertion) {
        Awaitility.await()
                .atMost(PATIENCE)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(2))
                .untilAsserted(assertion);
    }

    /** Lets the scheduler run every virtual thread that was started before this call. */
    public static void letOthersRun() {
        for (int i = 0; i < 200; i++) {
            try {
                Thread.ofVirtual().start(TestKit::yieldToOthers).join();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    /** Makes it more likely that another thread runs now. */
    @SuppressWarnings("ThreadPriorityCheck") // no test relies on it; it only makes overlaps more likely
    public static void yieldToOthers() {
        Thread.yield();
    }

    /** A task that blocks until it is released. Either it ends when it is interrupted, or it ignores interrupts. */
    public static final class BlockingTask implements Callable<String> {

        public final CountDownLatch started = new CountDownLatch(1);
        public final CountDownLatch ended = new CountDownLatch(1);
        public final CountDownLatch interrupted = new CountDownLatch(1);
        private final CountDownLatch released = new CountDownLatch(1);
        private final boolean uninterruptible;

        private BlockingTask(boolean stubborn) {
            this.uninterruptible = stubborn;
        }

        public static BlockingTask interruptible() {
            return new BlockingTask(false);
        }

        public static BlockingTask uninterruptible() {
            return new BlockingTask(true);
        }

        /** Submits a new polite blocker, and returns when it is running. */
        public static BlockingTask in(GroupExecutor executor, String group) {
            BlockingTask blocker = interruptible();
            executor.submit(group, "blocker", blocker);
            TestKit.await(blocker.started);
            return blocker;
        }

        @Override
        public String call() throws InterruptedException {
            started.countDown();
            try {
                block();
                return "released";
            } finally {
                ended.countDown();
            }
        }

        private void block() throws InterruptedException {
            while (true) {
                try {
                    released.await();
                    return;
                } catch (InterruptedException e) {
                    interrupted.countDown();
                    if (!uninterruptible) {
                        throw e;
                    }
                }
            }
        }

        public void release() {
            released.countDown();
        }

        public boolean hasStarted() {
            return started.getCount() == 0;
        }

        public boolean wasInterrupted() {
            return interrupted.getCount() == 0;
        }

        public boolean hasEnded() {
            return ended.getCount() == 0;
        }
    }

    /** The current numbers of an executor, without its counts. */
    record CurrentStats(int groups, int active, int queued, int globalUsed, int globalMax) {

        public static CurrentStats of(GroupExecutorStats stats) {
            return new CurrentStats(
                    stats.activeGroupCount(),
                    stats.totalActiveCount(),
                    stats.totalQueuedCount(),
                    stats.globalInFlightUsed(),
                    stats.globalInFlightMax());
        }

        public static CurrentStats of(GroupExecutor executor) {
            return of(executor.stats());
        }
    }

    /** How many threads are in {@link #during} now, and the maximum so far. */
    public static final class Peak {

        private final AtomicInteger inside = new AtomicInteger();
        private final AtomicInteger most = new AtomicInteger();

        public <T> T during(Callable<T> body) throws Exception {
            most.accumulateAndGet(inside.incrementAndGet(), Math::max);
            try {
                return body.call();
            } finally {
                inside.decrementAndGet();
            }
        }

        public int now() {
            return inside.get();
        }

        public int most() {
            return most.get();
        }
    }

    /** How many threads are in {@link #during} now, and the maximum since {@link #startAfresh}. */
    public static final class PeakSince {

        private final AtomicInteger inside = new AtomicInteger();
        private final AtomicReference<AtomicInteger> most = new AtomicReference<>(new AtomicInteger());

        public void during(Runnable body) {
            AtomicInteger current =
                    most.get(); // read first: a thread that counted before a fresh start writes to the old maximum
            current.accumulateAndGet(inside.incrementAndGet(), Math::max);
            try {
                body.run();
            } finally {
                inside.decrementAndGet();
            }
        }

        /** Starts a new maximum. */
        public void reset() {
            most.set(new AtomicInteger());
        }

        public int most() {
            return most.get().get();
        }
    }

    /** A call on its own thread, for tests that interrupt a caller. */
    public static final class Caller<T> extends FutureTask<T> {

        private final Thread thread = new Thread(this, "caller");

        private Caller(Callable<T> call) {
            super(call);
        }

        public static <T> Caller<T> of(Callable<T> call) {
            Caller<T> caller = new Caller<>(call);
            caller.thread.start();
            return caller;
        }

        /** Interrupts the caller when it waits. */
        public void interruptWhenWaiting() {
            awaitWaiting();
            thread.interrupt();
        }

        public void awaitWaiting() {
            eventually(() -> assertThat(isWaiting()).isTrue());
        }

        public boolean isWaiting() {
            Thread.State state = thread.getState();
            return state == Thread.State.WAITING || state == Thread.State.TIMED_WAITING;
        }

        public T result() throws Exception {
            return get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
    }

    /** Repeats {@code action} on another thread, at least once before {@code body} and until it returns. */
    public static void whileRepeating(Runnable action, ThrowingRunnable body) throws Throwable {
        CountDownLatch running = new CountDownLatch(1);
        AtomicBoolean stop = new AtomicBoolean();
        Caller<Boolean> repeating = Caller.of(() -> {
            try {
                while (!stop.get()) {
                    action.run();
                    running.countDown();
                }
                return true;
            } finally {
                running.countDown();
            }
        });
        await(running);
        try {
            body.run();
        } finally {
            stop.set(true);
        }
        assertThat(repeating.result()).isTrue();
    }

    /** Records the callbacks of a listener: "submitted a/1", "completed a/1 SUCCESS", and so on. */
    public static class Events implements TaskLifecycleListener {

        private final Queue<String> events = new ConcurrentLinkedQueue<>();

        @Override
        public void onSubmitted(String groupKey, String taskId) {
            events.add("submitted " + groupKey + "/" + taskId);
        }

        @Override
        public void onStarted(String groupKey, String taskId) {
            events.add("started " + groupKey + "/" + taskId);
        }

        @Override
        public void onCompleted(String groupKey, String taskId, GroupResult<?> result) {
            events.add("completed " + groupKey + "/" + taskId + " " + result.status());
        }

        @Override
        public void onRejected(String groupKey, String taskId, String reason) {
            events.add("rejected " + groupKey + "/" + taskId);
        }

        /** Returns the events of one task, in order. */
        public List<String> of(String task) {
            return events.stream()
                    .filter(event -> (event + " ").contains(" " + task + " "))
                    .map(event -> event.replace(" " + task, ""))
                    .toList();
        }

        public boolean isEmpty() {
            return events.isEmpty();
        }
    }

    /** Collects what the library logs while this is open. */
    public static final class Log extends Handler implements AutoCloseable {

        private final Logger logger = Logger.getLogger("io.github.kobe");
        private final Queue<LogRecord> records = new ConcurrentLinkedQueue<>();
        private final boolean parents = logger.getUseParentHandlers();

        /** Starts collecting. */
        public Log() {
            logger.setUseParentHandlers(false);
            logger.addHandler(this);
        }

        /** Returns the logged lines that contain {@code part} in the message or in the exception. */
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
