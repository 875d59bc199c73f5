package io.github.kobe.scope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.github.kobe.TestKit;
import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.TestKit.Caller;
import io.github.kobe.internal.kernel.TaskRunner;
import io.github.kobe.internal.time.FakeTimer;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** What the tests of scopes share. */
final class ScopeKit {

    static final Duration LONG = Duration.ofHours(1);
    static final Duration SHORT = Duration.ofMillis(2);

    private ScopeKit() {}

    /** Submits a new polite blocker, and returns when it runs. */
    static BlockingTask blocker(ThreadScope scope) {
        return blocker(scope, BlockingTask.interruptible());
    }

    static BlockingTask blocker(ThreadScope scope, BlockingTask blocker) {
        scope.submit("blocker", blocker);
        TestKit.await(blocker.started);
        return blocker;
    }

    /** A new one of each kind of scheduler; to be closed with the scope that gets it. */
    static Stream<Scheduler> schedulers() {
        return Stream.of(
                Scheduler.virtualThreads(),
                Scheduler.commonPool(),
                Scheduler.fixed(2),
                Scheduler.priority(2),
                Scheduler.from(new OneThread()));
    }

    /** The schedulers that reuse threads, with one thread each. */
    static Stream<Scheduler> schedulersWithOneThread() {
        return Stream.of(Scheduler.fixed(1), Scheduler.priority(1), Scheduler.from(new OneThread()));
    }

    /** Fresh threads, and a clock that the test advances. */
    static Scheduler on(FakeTimer timer) {
        return new Scheduler("fake", true, null, TaskRunner.freshVirtualThreads(), timer);
    }

    /** The kinds of threads, with a clock that the test advances. */
    enum Threads {
        FRESH,
        COMMON_POOL,
        FIXED,
        PRIORITY,
        FOREIGN;

        /** A new scheduler; to be closed with the scope that gets it. */
        Scheduler on(FakeTimer timer) {
            return switch (this) {
                case FRESH -> ScopeKit.on(timer);
                case COMMON_POOL -> borrowed(ForkJoinPool.commonPool(), timer);
                case FIXED -> owned(FixedPool.inSubmissionOrder(2), timer);
                case PRIORITY -> owned(FixedPool.byPriority(2), timer);
                case FOREIGN -> borrowed(new OneThread(), timer);
            };
        }

        private static Scheduler borrowed(ExecutorService executor, FakeTimer timer) {
            return new Scheduler("fake", false, null, new Scheduler.ExecutorRunner(executor), timer);
        }

        private static Scheduler owned(ExecutorService executor, FakeTimer timer) {
            return new Scheduler("fake", false, executor, new Scheduler.ExecutorRunner(executor), timer);
        }
    }

    /** Returns what {@code waiting} throws if {@code time} passes while its thread waits. */
    static Throwable thrownAfter(FakeTimer timer, Duration time, ThrowingCallable waiting) {
        Caller<Throwable> waiter = Caller.of(() -> catchThrowable(waiting));
        waiter.awaitWaiting();
        timer.advance(time.toNanos());
        try {
            return waiter.result();
        } catch (Exception e) {
            throw new AssertionError("it still waits", e);
        }
    }

    static <T> Callable<T> failing(Exception fault) {
        return () -> {
            throw fault;
        };
    }

    static Callable<String> value(String value) {
        return () -> value;
    }

    static void assertReachesState(Task<?> task, Task.State state) {
        TestKit.eventually(() -> assertThat(task.state()).isEqualTo(state));
    }

    /** A foreign executor with one thread, which does not clear its interrupt flag between two tasks. */
    static class OneThread extends AbstractExecutorService {

        private final LinkedBlockingQueue<Runnable> queue = new LinkedBlockingQueue<>();
        private final Thread thread = Thread.ofPlatform().daemon().unstarted(this::work);
        private final AtomicBoolean started = new AtomicBoolean();
        private volatile boolean shutdown;

        private void work() {
            while (true) {
                next().run();
            }
        }

        private Runnable next() {
            boolean interrupted = false;
            while (true) {
                try {
                    Runnable next = queue.take();
                    if (interrupted) {
                        Thread.currentThread().interrupt();
                    }
                    return next;
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        }

        @Override
        public void execute(Runnable command) {
            queue.add(command);
            if (started.compareAndSet(false, true)) {
                thread.start();
            }
        }

        @Override
        public void shutdown() {
            shutdown = true;
        }

        @Override
        public List<Runnable> shutdownNow() {
            shutdown = true;
            return List.of();
        }

        @Override
        public boolean isShutdown() {
            return shutdown;
        }

        @Override
        public boolean isTerminated() {
            return false;
        }

        @Override
        public boolean awaitTermination(long timeout, TimeUnit unit) {
            return false;
        }
    }

    /** Records the notifications of a hook: "start a", "success a", "failure b", "cancel c". */
    static class RecordingHook implements ThreadHook {

        final Queue<TaskInfo> infos = new ConcurrentLinkedQueue<>();
        final Queue<Duration> durations = new ConcurrentLinkedQueue<>();
        final Queue<Throwable> errors = new ConcurrentLinkedQueue<>();
        private final Queue<String> heard = new ConcurrentLinkedQueue<>();

        void hear(String what, TaskInfo info) {
            infos.add(info);
            heard.add(what + " " + info.name());
        }

        @Override
        public void onStart(TaskInfo info) {
            hear("start", info);
        }

        @Override
        public void onSuccess(TaskInfo info, Duration duration) {
            durations.add(duration);
            hear("success", info);
        }

        @Override
        public void onFailure(TaskInfo info, Throwable error, Duration duration) {
            durations.add(duration);
            errors.add(error);
            hear("failure", info);
        }

        @Override
        public void onCancel(TaskInfo info, Duration duration) {
            durations.add(duration);
            hear("cancel", info);
        }

        /** The notifications of the task of that name, in order. */
        List<String> of(String name) {
            return heard.stream()
                    .filter(event -> event.endsWith(" " + name))
                    .map(event -> event.substring(0, event.indexOf(' ')))
                    .toList();
        }

        List<String> all() {
            return List.copyOf(heard);
        }
    }
}
