package io.github.kobe.scope;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.TestKit;
import io.github.kobe.TestKit.Plug;
import io.github.kobe.internal.FakeTimer;
import io.github.kobe.internal.Runner;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

/** What the tests of scopes share. */
final class ScopeKit {

    static final Duration LONG = Duration.ofHours(1);
    static final Duration SHORT = Duration.ofMillis(2);

    private ScopeKit() {}

    /** Submits a new polite plug, and returns when it runs. */
    static Plug plug(ThreadScope scope) {
        return plug(scope, Plug.polite());
    }

    static Plug plug(ThreadScope scope, Plug plug) {
        scope.submit("plug", plug);
        TestKit.await(plug.started);
        return plug;
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

    /** Those whose threads serve one task after the other, with one thread each. */
    static Stream<Scheduler> schedulersWithOneThread() {
        return Stream.of(Scheduler.fixed(1), Scheduler.priority(1), Scheduler.from(new OneThread()));
    }

    /** Fresh threads, and time that passes when the test says so. */
    static Scheduler on(FakeTimer timer) {
        return new Scheduler("fake", true, null, Runner.freshVirtualThreads(), timer);
    }

    static <T> Callable<T> failing(Exception fault) {
        return () -> {
            throw fault;
        };
    }

    static Callable<String> value(String value) {
        return () -> value;
    }

    static void assertEnds(Task<?> task, Task.State state) {
        TestKit.eventually(() -> assertThat(task.state()).isEqualTo(state));
    }

    /** Somebody's executor of the simplest kind: one thread, which does nothing about its interrupt flag between two tasks. */
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

    /** Writes down what a hook hears: "start a", "success a", "failure b", "cancel c". */
    static class Heard implements ThreadHook {

        final Queue<TaskInfo> infos = new ConcurrentLinkedQueue<>();
        final Queue<Duration> durations = new ConcurrentLinkedQueue<>();
        final Queue<Throwable> errors = new ConcurrentLinkedQueue<>();
        private final Queue<String> heard = new ConcurrentLinkedQueue<>();

        private void hear(String what, TaskInfo info) {
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

        /** All that was heard of the task of that name, in order. */
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
