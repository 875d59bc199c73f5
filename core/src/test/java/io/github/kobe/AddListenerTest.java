package io.github.kobe;

import static io.github.kobe.TestKit.await;
import static io.github.kobe.TestKit.eventually;
import static io.github.kobe.TestKit.executor;
import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.TestKit.Events;
import io.github.kobe.TestKit.Log;
import io.github.kobe.isolation.IsolationExecutor;
import io.github.kobe.isolation.IsolationPolicy;
import io.github.kobe.pool.WorkerPool;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What does a listener hear that is added to, or removed from, an executor with tasks? */
@Timeout(60)
class AddListenerTest {

    /** What the three executors have in common. */
    record Face(String name, Function<String, Function<Callable<?>, TaskHandle<?>>> submit, Adder add, Runnable close) {
        interface Adder {
            Registration add(TaskLifecycleListener listener);
        }

        TaskHandle<?> submit(String taskId, Callable<?> task) {
            return submit.apply(taskId).apply(task);
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Face> faces() {
        GroupExecutor groups = executor(b -> b);
        WorkerPool pool = WorkerPool.builder().name("p").build();
        IsolationExecutor isolation = IsolationExecutor.create(
                IsolationPolicy.builder().maxConcurrency(1).build());
        return Stream.of(
                new Face("groups", id -> task -> groups.submit("g", id, task), groups::addListener, groups::close),
                new Face("pool", id -> task -> pool.submit("g", id, task), pool::addListener, pool::close),
                new Face(
                        "isolation",
                        id -> task -> isolation.submit("g", id, task),
                        isolation::addListener,
                        isolation::close));
    }

    @ParameterizedTest
    @MethodSource("faces")
    void hearsOfEventsFromThenOn(Face face) {
        Events events = new Events();
        BlockingTask blocker = BlockingTask.interruptible();
        TaskHandle<?> running = face.submit("running", blocker);
        await(blocker.started);
        TaskHandle<?> queued = face.submit("queued", () -> "ran");
        Registration registration = face.add().add(events);
        TaskHandle<?> later = face.submit("later", () -> "ran");
        blocker.release();
        Stream.of(running, queued, later).forEach(TestKit::resultOf);
        assertThat(events.of("g/running")).containsExactly("completed SUCCESS");
        assertThat(events.of("g/queued")).containsExactly("started", "completed SUCCESS");
        assertThat(events.of("g/later")).containsExactly("submitted", "started", "completed SUCCESS");
        registration.close();
        registration.close();
        resultOf(face.submit("after", () -> "ran"));
        assertThat(events.of("g/after")).isEmpty();
        face.close().run();
    }

    private static TaskLifecycleListener noting(String name, Queue<String> calls) {
        return new TaskLifecycleListener() {
            @Override
            public void onCompleted(TaskIdentity task, GroupResult<?> result) {
                calls.add(name);
            }
        };
    }

    @Test
    void listenersAreCalledInTheOrderInWhichTheyWereAdded() {
        Queue<String> calls = new ConcurrentLinkedQueue<>();
        try (GroupExecutor executor = executor(b -> b.taskLifecycleListener(noting("policy", calls)))) {
            executor.addListener(noting("first", calls));
            TaskLifecycleListener twice = noting("second", calls);
            Registration second = executor.addListener(twice);
            executor.addListener(twice);
            resultOf(executor.submit("g", "t", () -> "ran"));
            assertThat(calls).containsExactly("policy", "first", "second", "second");
            calls.clear();
            second.close();
            resultOf(executor.submit("g", "t", () -> "ran"));
            assertThat(calls).containsExactly("policy", "first", "second");
        }
    }

    @Test
    void listenerThatThrowsDoesNotAffectTheNextOne() {
        Events events = new Events();
        try (Log log = new Log();
                GroupExecutor executor = executor(b -> b)) {
            executor.addListener(new TaskLifecycleListener() {
                @Override
                public void onStarted(TaskIdentity task) {
                    throw new StackOverflowError("on purpose");
                }

                @Override
                public void onCompleted(TaskIdentity task, GroupResult<?> result) {
                    throw new IllegalStateException("on purpose");
                }
            });
            executor.addListener(events);
            resultOf(executor.submit("g", "t", () -> "ran"));
            assertThat(events.of("g/t")).containsExactly("submitted", "started", "completed SUCCESS");
            assertThat(log.lines("on purpose")).hasSize(2);
        }
    }

    @Test
    void listenerThatHangsDoesNotAffectTheNextOne() throws Exception {
        Events events = new Events();
        BlockingTask stuck = BlockingTask.uninterruptible();
        try (Log log = new Log();
                GroupExecutor executor = executor(b -> b)) {
            executor.addListener(new TaskLifecycleListener() {
                @Override
                public void onCompleted(TaskIdentity task, GroupResult<?> result) {
                    try {
                        stuck.call();
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                }
            });
            executor.addListener(events);
            assertThat(resultOf(executor.submit("g", "t", () -> "ran")).value()).isEqualTo("ran");
            assertThat(events.of("g/t")).containsExactly("submitted", "started", "completed SUCCESS");
            assertThat(stuck.hasEnded()).isFalse();
            stuck.release();
            await(stuck.ended);
            TestKit.letOthersRun();
            assertThat(events.of("g/t")).hasSize(3);
            assertThat(log.lines("onCompleted has not returned")).hasSize(1);
        }
    }

    @Test
    void listenerThatIsRemovedWhileAnotherHangsIsNotCalled() {
        Events events = new Events();
        BlockingTask stuck = BlockingTask.uninterruptible();
        try (Log log = new Log();
                GroupExecutor executor = executor(b -> b)) {
            executor.addListener(new TaskLifecycleListener() {
                @Override
                public void onCompleted(TaskIdentity task, GroupResult<?> result) {
                    try {
                        stuck.call();
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                }
            });
            Registration registration = executor.addListener(events);
            TaskHandle<String> handle = executor.submit("g", "t", () -> "ran");
            await(stuck.started);
            registration.close();
            assertThat(resultOf(handle).value()).isEqualTo("ran");
            assertThat(events.of("g/t")).containsExactly("submitted", "started");
            stuck.release();
            assertThat(log.lines("onCompleted has not returned")).hasSize(1);
        }
    }

    @Test
    void everyTaskCompletesOnceWhileListenersComeAndGo() throws Throwable {
        Events always = new Events();
        try (GroupExecutor executor = executor(b -> b.defaultMaxConcurrencyPerGroup(4))) {
            Runnable comeAndGo = () -> {
                Registration registration = executor.addListener(new Events());
                Registration all = executor.addListener(always);
                registration.close();
                all.close();
            };
            List<TaskHandle<String>> handles = new ArrayList<>();
            TestKit.whileRepeating(comeAndGo, () -> {
                for (int i = 0; i < 5_000; i++) {
                    TaskHandle<String> handle = executor.submit("g" + i % 3, "t" + i, () -> "ran");
                    handles.add(handle);
                    if (i % 7 == 0) {
                        handle.cancel(true);
                    }
                }
                handles.forEach(TestKit::resultOf);
            });
            assertThat(executor.stats().counts().succeeded()
                            + executor.stats().counts().cancelled())
                    .isEqualTo(5_000);
            for (int i = 0; i < 5_000; i++) {
                assertThat(always.of("g" + i % 3 + "/t" + i).stream().filter(event -> event.startsWith("completed")))
                        .hasSizeLessThanOrEqualTo(1);
            }
            eventually(() -> assertThat(executor.stats().totalActiveCount()).isZero());
        }
    }
}
