package io.github.kobe;

import static io.github.kobe.TestKit.await;
import static io.github.kobe.TestKit.eventually;
import static io.github.kobe.TestKit.executor;
import static io.github.kobe.TestKit.letOthersRun;
import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.TestKit.Caller;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Do groups that hang leave room for the tasks of other groups, in {@code completions} and in {@code feed}? */
@Timeout(60)
class FeedTest {

    private static final int HOSTS = 200;
    private static final int HANGING = 5;
    private static final int PAGES = 10;

    private final GroupExecutor executor = executor(b -> b.defaultMaxConcurrencyPerGroup(2));
    private final CountDownLatch release = new CountDownLatch(1);
    private final AtomicBoolean closed = new AtomicBoolean();
    private final List<TaskHandle<String>> handles = new CopyOnWriteArrayList<>();

    @AfterEach
    void close() {
        release.countDown();
        executor.close();
    }

    private static <T> GroupTask<T> task(String group, Callable<T> work) {
        return new GroupTask<>(group, "t", work);
    }

    private GroupTask<String> hanging(String group) {
        return task(group, () -> {
            release.await();
            return "released";
        });
    }

    private GroupTask<String> page(int host) {
        return host < HANGING ? hanging("hanging-" + host) : task("host-" + host, () -> "page");
    }

    /** All pages of the first host, then all of the second, and so on; or the first page of all hosts, and so on. */
    private Stream<GroupTask<String>> pages(boolean hostByHost) {
        return IntStream.range(0, HOSTS * PAGES)
                .mapToObj(i -> page(hostByHost ? i / PAGES : i % HOSTS))
                .onClose(() -> closed.set(true));
    }

    // ---- completions ------------------------------------------------------------------------------------------------

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void resultsOfOtherGroupsArriveWhileSomeHang(boolean hostByHost) {
        try (Stream<GroupResult<String>> stream = executor.completions(pages(hostByHost), 32, 2)) {
            Iterator<GroupResult<String>> results = stream.iterator();
            for (int i = 0; i < (HOSTS - HANGING) * PAGES; i++) {
                assertThat(results.next().value()).isEqualTo("page");
            }
            release.countDown();
            for (int i = 0; i < HANGING * PAGES; i++) {
                assertThat(results.next().value()).isEqualTo("released");
            }
            assertThat(results.hasNext()).isFalse();
        }
        assertThat(closed).isTrue();
    }

    @Test
    void neitherWindowIsExceeded() {
        Map<String, AtomicInteger> outstanding = new ConcurrentHashMap<>();
        List<String> violations = new CopyOnWriteArrayList<>();
        TaskLifecycleListener counting = new TaskLifecycleListener() {
            @Override
            public void onSubmitted(TaskIdentity task) {
                AtomicInteger ofGroup = outstanding.computeIfAbsent(task.groupKey(), key -> new AtomicInteger());
                int all = outstanding.values().stream()
                        .mapToInt(AtomicInteger::get)
                        .sum();
                if (ofGroup.incrementAndGet() > 3 || all + 1 > 8) {
                    violations.add(task.groupKey() + " " + outstanding);
                }
            }
        };
        try (GroupExecutor observed = executor(b -> b.taskLifecycleListener(counting))) {
            Stream<GroupTask<String>> tasks =
                    IntStream.range(0, 2000).mapToObj(i -> new GroupTask<>("g" + i % 7 % 5, "t" + i, () -> "ran"));
            try (Stream<GroupResult<String>> results = observed.completions(tasks, 8, 3)) {
                results.forEach(result -> outstanding.get(result.groupKey()).decrementAndGet());
            }
        }
        assertThat(violations).isEmpty();
        assertThat(outstanding)
                .hasSize(5)
                .allSatisfy((key, left) -> assertThat(left).hasValue(0));
    }

    @Test
    void endlessSourceIsReadNoFurtherThanTheBoundOfTasksHeldBack() throws Exception {
        AtomicInteger taken = new AtomicInteger();
        Stream<GroupTask<String>> endless = Stream.generate(() -> {
            taken.incrementAndGet();
            return hanging("h");
        });
        Stream<GroupResult<String>> stream = executor.completions(endless, 100, 2);
        Caller<Long> consumer = Caller.of(stream::count);
        eventually(() -> assertThat(taken).hasValue(10_002));
        consumer.awaitWaiting();
        assertThat(taken).hasValue(10_002);
        stream.close();
        assertThat(consumer.result()).as("a close ends the wait").isZero();
        assertThat(executor.stats().counts().submitted()).isEqualTo(2);
    }

    @Test
    void limitEndsAnEndlessSourceWithGroupsThatHang() {
        AtomicInteger number = new AtomicInteger();
        Stream<GroupTask<String>> endless = Stream.generate(() -> page(number.getAndIncrement() % HOSTS));
        try (Stream<GroupResult<String>> results = executor.completions(endless, 32, 2)) {
            assertThat(results.limit(3000)).allMatch(result -> "page".equals(result.value()));
        }
    }

    @Test
    void tasksHeldBackNeverRunAfterAClose() {
        AtomicInteger ran = new AtomicInteger();
        BlockingTask blocker = BlockingTask.interruptible();
        List<GroupTask<String>> tasks = new ArrayList<>(List.of(task("a", blocker)));
        for (int i = 0; i < 5; i++) {
            tasks.add(task("a", () -> "ran " + ran.incrementAndGet()));
        }
        tasks.add(task("b", () -> "quick"));
        try (Stream<GroupResult<String>> results = executor.completions(tasks.stream(), 10, 1)) {
            assertThat(results.findFirst().orElseThrow().value()).isEqualTo("quick");
        }
        await(blocker.interrupted);
        eventually(() -> assertThat(executor.stats().totalActiveCount()).isZero());
        assertThat(ran).hasValue(0);
        assertThat(executor.stats().counts().submitted()).isEqualTo(2);
    }

    @Test
    void exceptionOfTheSourceCancelsTheOutstandingTasks() {
        BlockingTask blocker = BlockingTask.interruptible();
        Stream<GroupTask<String>> source = Stream.of(1, 2, 3).map(number -> {
            if (number == 3) {
                await(blocker.started);
                throw new IllegalStateException("bad source");
            }
            return task("a", blocker);
        });
        assertThatThrownBy(() -> executor.completions(source, 5, 1).count()).hasMessage("bad source");
        await(blocker.interrupted);
    }

    @Test
    void shutdownWhileTasksAreHeldBackIsThrown() throws Exception {
        BlockingTask blocker = BlockingTask.interruptible();
        Stream<GroupTask<String>> tasks = Stream.of(task("a", blocker), task("a", () -> "never"));
        Caller<Throwable> consumer = Caller.of(
                () -> catchThrowable(() -> executor.completions(tasks, 5, 1).count()));
        await(blocker.started);
        consumer.awaitWaiting();
        executor.shutdown();
        assertThat(consumer.result()).isInstanceOf(IllegalStateException.class);
    }

    // ---- feed -------------------------------------------------------------------------------------------------------

    private long feed(Stream<GroupTask<String>> tasks, int window, int windowPerGroup) throws InterruptedException {
        return executor.feed(tasks, window, windowPerGroup, handles::add);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void tasksOfOtherGroupsAreSubmittedWhileSomeHang(boolean hostByHost) throws Exception {
        Caller<Long> feeder = Caller.of(() -> feed(pages(hostByHost), 32, 2));
        int others = (HOSTS - HANGING) * PAGES;
        eventually(() -> assertThat(executor.stats().counts().succeeded()).isEqualTo(others));
        feeder.awaitWaiting();
        assertThat(handles).hasSize(others + 2 * HANGING);
        release.countDown();
        assertThat(feeder.result()).isEqualTo(HOSTS * PAGES);
        assertThat(handles)
                .hasSize(HOSTS * PAGES)
                .allSatisfy(handle -> assertThat(resultOf(handle).isSuccess()).isTrue());
        assertThat(closed).isTrue();
    }

    @Test
    void feedUnderBlockGoesOnWithOtherGroups() throws Exception {
        try (GroupExecutor blocking =
                executor(b -> b.defaultQueueThresholdPerGroup(1).rejectionPolicy(RejectionPolicy.BLOCK))) {
            Caller<Long> feeder = Caller.of(() -> blocking.feed(pages(true), 32, 2, handles::add));
            eventually(() -> assertThat(blocking.stats().counts().succeeded()).isEqualTo((HOSTS - HANGING) * PAGES));
            release.countDown();
            assertThat(feeder.result()).isEqualTo(HOSTS * PAGES);
            assertThat(blocking.stats().counts().rejected()).isZero();
        }
    }

    @Test
    void feedWaitsWhileTheWindowIsFull() throws Exception {
        List<BlockingTask> blockers =
                Stream.generate(BlockingTask::interruptible).limit(5).toList();
        AtomicInteger group = new AtomicInteger();
        Caller<Long> feeder = Caller.of(() ->
                feed(blockers.stream().map(blocker -> task("g" + group.incrementAndGet(), blocker)), 3, 1));
        await(blockers.get(2).started);
        feeder.awaitWaiting();
        letOthersRun();
        assertThat(blockers.get(3).hasStarted()).isFalse();
        blockers.get(1).release();
        await(blockers.get(3).started);
        blockers.forEach(BlockingTask::release);
        assertThat(feeder.result()).isEqualTo(5);
    }

    @Test
    void feedReturnsBeforeTheLastTasksComplete() throws Exception {
        assertThat(feed(Stream.of(hanging("a"), hanging("b")).onClose(() -> closed.set(true)), 5, 1))
                .isEqualTo(2);
        assertThat(handles).hasSize(2).noneMatch(TaskHandle::isDone);
        assertThat(closed).isTrue();
    }

    @Test
    void interruptEndsTheFeedAndSubmittedTasksContinue() throws Exception {
        Stream<GroupTask<String>> tasks =
                Stream.generate(() -> hanging("a")).limit(5).onClose(() -> closed.set(true));
        Caller<Throwable> feeder = Caller.of(() -> catchThrowable(() -> feed(tasks, 3, 2)));
        feeder.interruptWhenWaiting();
        assertThat(feeder.result())
                .isInstanceOf(InterruptedException.class)
                .hasMessage(
                        "interrupted after 2 tasks were submitted; they continue. 3 tasks were read and not submitted");
        assertThat(closed).isTrue();
        release.countDown();
        assertThat(handles)
                .hasSize(2)
                .allSatisfy(handle -> assertThat(resultOf(handle).value()).isEqualTo("released"));
    }

    @Test
    void callerInterruptedBeforehandSubmitsNothing() throws Exception {
        Caller<Throwable> feeder = Caller.of(() -> {
            Thread.currentThread().interrupt();
            return catchThrowable(() -> feed(pages(true), 3, 2));
        });
        assertThat(feeder.result()).isInstanceOf(InterruptedException.class);
        assertThat(handles).isEmpty();
    }

    @Test
    void exceptionOfTheSourceEndsTheFeedAndSubmittedTasksContinue() {
        Stream<GroupTask<String>> source = Stream.of(1, 2)
                .map(number -> {
                    if (number == 2) {
                        throw new IllegalStateException("bad source");
                    }
                    return hanging("a");
                })
                .onClose(() -> closed.set(true));
        assertThatThrownBy(() -> feed(source, 5, 1)).hasMessage("bad source");
        assertThat(closed).isTrue();
        release.countDown();
        assertThat(resultOf(handles.getFirst()).value()).isEqualTo("released");
    }

    @Test
    void exceptionOfTheCallbackEndsTheFeed() {
        assertThatThrownBy(() -> executor.feed(pages(true), 5, 1, handle -> {
                    handles.add(handle);
                    throw new IllegalStateException("bad callback");
                }))
                .hasMessage("bad callback");
        assertThat(handles).hasSize(1);
        assertThat(closed).isTrue();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shutdownEndsTheFeedOfAnEndlessSource(boolean drain) throws Exception {
        Stream<GroupTask<String>> endless = Stream.generate(() -> drain ? task("a", () -> "ran") : hanging("a"));
        Caller<Throwable> feeder = Caller.of(() -> catchThrowable(() -> feed(endless, 3, 2)));
        eventually(() -> assertThat(handles).hasSizeGreaterThanOrEqualTo(2));
        if (drain) {
            assertThat(executor.shutdown(TestKit.PATIENCE)).isTrue();
        } else {
            executor.shutdown();
        }
        assertThat(feeder.result()).isInstanceOf(IllegalStateException.class);
        assertThat(handles).allSatisfy(handle -> assertThat(resultOf(handle)).isNotNull());
    }

    @ParameterizedTest
    @EnumSource(names = {"ABORT", "THROW", "DISCARD"})
    void rejectedTasksAreSubmittedTasks(RejectionPolicy policy) throws Exception {
        try (GroupExecutor full =
                executor(b -> b.defaultQueueThresholdPerGroup(0).rejectionPolicy(policy))) {
            BlockingTask blocker = BlockingTask.in(full, "a");
            assertThat(full.feed(Stream.of(task("a", () -> "1"), task("a", () -> "2")), 5, 1, handles::add))
                    .isEqualTo(2);
            assertThat(handles).hasSize(2).allMatch(TaskHandle::isDone);
            assertThat(full.stats().counts().rejected()).isEqualTo(2);
            blocker.release();
        }
    }

    @Test
    void tasksOfAGroupStartInTheOrderOfTheSource() throws Exception {
        List<Integer> order = new CopyOnWriteArrayList<>();
        try (GroupExecutor one = executor(b -> b)) {
            Stream<GroupTask<Boolean>> tasks =
                    IntStream.range(0, 500).mapToObj(i -> task(i % 2 == 0 ? "a" : "b", () -> order.add(i)));
            List<TaskHandle<Boolean>> all = new ArrayList<>();
            one.feed(tasks, 9, 2, all::add);
            all.forEach(TestKit::resultOf);
        }
        assertThat(order.stream().filter(i -> i % 2 == 0)).isSorted();
        assertThat(order.stream().filter(i -> i % 2 == 1)).isSorted();
    }

    // ---- arguments --------------------------------------------------------------------------------------------------

    @Test
    void windowsBelowOneThrowWithNameAndValue() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> executor.completions(pages(true), 5, 0))
                .withMessage("windowPerGroup must be at least 1, but is 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> feed(pages(true), 0, 1))
                .withMessage("window must be at least 1, but is 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> feed(pages(true), 1, -1))
                .withMessage("windowPerGroup must be at least 1, but is -1");
    }

    @Test
    void nullArgumentsThrowWithTheirNames() {
        assertThatNullPointerException().isThrownBy(() -> feed(null, 1, 1)).withMessage("tasks");
        assertThatNullPointerException()
                .isThrownBy(() -> executor.feed(pages(true), 1, 1, null))
                .withMessage("onSubmitted");
        assertThatNullPointerException()
                .isThrownBy(() -> feed(Arrays.asList(hanging("a"), null).stream(), 5, 1))
                .withMessage("tasks[1]");
    }

    @Test
    void feedAfterAShutdownThrows() {
        executor.shutdown();
        assertThatIllegalStateException().isThrownBy(() -> feed(pages(true), 5, 1));
        assertThatIllegalStateException().isThrownBy(() -> executor.completions(pages(true), 5, 1));
    }
}
