package io.github.kobe.internal.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.internal.fair.WeightedRoundRobin;
import io.github.kobe.internal.time.FakeTimer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** When does a task start that had a permit, and was returned to the queue before it began? */
class ReturnedTaskOrderTest {

    private static final int UNLIMITED = Integer.MAX_VALUE;
    private static final long TTL = TimeUnit.SECONDS.toNanos(1_000);
    private static final long STEP = 100; // of ageing
    private static final int MORE_THAN_LEVELS = PriorityLevels.MAX_LEVELS + 10;

    private final FakeTimer timer = new FakeTimer();
    private final TestLeases leases = new TestLeases();
    private final List<Runnable> threads = new ArrayList<>(); // that have been started, and have not begun
    private final List<String> ran = new ArrayList<>();
    private Dispatcher dispatcher = dispatcher(DispatcherConfig.NO_AGEING, UNLIMITED);
    private int queueThreshold = UNLIMITED;

    private Dispatcher dispatcher(long ageing, int globalLimit) {
        return dispatcher(ageing, globalLimit, DispatcherConfig.DEFAULT_SWEEP_CAPACITY);
    }

    private Dispatcher dispatcher(long ageing, int globalLimit, int sweepCapacity) {
        timer.advance(1); // 0 means "not started"
        return new Dispatcher(
                key -> new GroupLimits(100, UNLIMITED, queueThreshold),
                new DispatcherConfig(globalLimit, UNLIMITED, TTL, false, false, ageing, sweepCapacity),
                new WeightedRoundRobin(),
                threads::add,
                timer,
                leases.newControl());
    }

    private final class Named extends KernelTask<String> {
        private final String name;
        private final @Nullable AttemptState attempts;
        private int failures;
        private Runnable beforeLink = () -> {};
        private int callsBeforeLink =
                2; // of attempts(), at its admission and when the time at which it is queued is known

        Named(String name, @Nullable AttemptLimits limits) {
            this.name = name;
            this.attempts = limits == null ? null : new AttemptState(limits);
        }

        @Override
        protected @Nullable AttemptState attempts() {
            if (--callsBeforeLink == 0) {
                beforeLink.run();
            }
            return attempts;
        }

        @Override
        protected String execute() {
            ran.add(name);
            return "ran";
        }

        @Override
        protected long retryDelay(Object result) {
            return failures-- > 0 ? 1 : -1;
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
        protected String terminated(TerminationCause cause) {
            return cause.name();
        }

        String outcome() {
            return completion().getNow("none");
        }
    }

    private static AttemptLimits limits(int priority, long maxQueueNanos, int cost) {
        return new AttemptLimits(priority, maxQueueNanos, AttemptLimits.NONE, AttemptLimits.NONE, false, false, cost);
    }

    private Named submit(Named task) {
        assertThat(dispatcher.submit("g", task)).isEqualTo(Admission.ADMITTED);
        return task;
    }

    /** A task without attempts. */
    private Named submit(String name) {
        return submit(new Named(name, null));
    }

    private Named submit(String name, int priority) {
        return submit(new Named(name, limits(priority, AttemptLimits.NONE, 1)));
    }

    private Named submitCostly(String name, int cost) {
        return submit(new Named(name, limits(0, AttemptLimits.NONE, cost)));
    }

    /** From now on so many permits are held. */
    private void lease(int permits) {
        leases.lease("g", permits);
    }

    private void expire() {
        leases.expireAt("g", timer.nanoTime());
    }

    /** The lease is over, and the threads of all tasks that have a permit find that out, in this order. */
    private void returnAll(Integer... order) {
        expire();
        List<Runnable> begun = List.copyOf(threads);
        threads.clear();
        for (int i : order) {
            begun.get(i).run();
        }
        assertThat(begun).hasSize(order.length);
        assertThat(threads).isEmpty();
    }

    /** Lets all threads begin that were started, and those that these start. */
    private void runThreads() {
        while (!threads.isEmpty()) {
            threads.removeFirst().run();
        }
    }

    private void renewAndRun() {
        leases.renew("g");
        runThreads();
        assertThat(group().queued()).isZero();
        assertThat(group().active()).isZero();
    }

    private Group group() {
        return dispatcher.group("g");
    }

    /** As many priorities as have a level are in use, if {@code many}. So those of the test have none. */
    private void usePriorities(boolean many) {
        lease(1);
        submit("first");
        for (int i = 0; many && i < MORE_THAN_LEVELS; i++) {
            submit("filler", 1_000 + i);
        }
        runThreads();
        ran.clear();
    }

    // ---- order ---------------------------------------------------------------------------------------------------

    @Test
    void itStartsBeforeTasksThatWereSubmittedLater() {
        lease(1);
        submit("a");
        submit("b");
        submit("c");
        returnAll(0);
        submit("d");
        renewAndRun();
        assertThat(ran).containsExactly("a", "b", "c", "d");
    }

    @ParameterizedTest
    @CsvSource({"0,1,2", "0,2,1", "1,0,2", "1,2,0", "2,0,1", "2,1,0"})
    void severalStartInTheOrderOfTheirSubmission(int first, int second, int third) {
        lease(3);
        submit("a");
        submit("b");
        submit("c");
        submit("d");
        returnAll(first, second, third);
        submit("e");
        renewAndRun();
        assertThat(ran).containsExactly("a", "b", "c", "d", "e");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void severalStartInTheOrderOfTheirSubmissionUnderAGlobalLimit(boolean costly) {
        dispatcher = dispatcher(DispatcherConfig.NO_AGEING, 2);
        lease(2);
        submit("a");
        submit("b");
        submit("c");
        if (costly) {
            submitCostly("d", 2);
        }
        submit("e");
        returnAll(1, 0);
        renewAndRun();
        assertThat(ran).isEqualTo(costly ? List.of("a", "b", "c", "d", "e") : List.of("a", "b", "c", "e"));
    }

    @Test
    void costlyOneStartsBeforeTasksThatWereSubmittedLater() {
        lease(3);
        submitCostly("a", 2);
        submit("b");
        submitCostly("c", 3);
        submit("d");
        returnAll(1, 0);
        renewAndRun();
        assertThat(ran).containsExactly("a", "b", "c", "d");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void higherPrioritiesStartFirst(boolean many) {
        usePriorities(many);
        lease(4);
        submit("low 1", -1);
        submit("high 1", 1);
        submit("low 2", -1);
        submit("high 2", 1);
        submit("low 3", -1);
        submit("top", 2);
        submit("middle", 0);
        submit("high 3", 1);
        submit("bottom", -2);
        returnAll(3, 2, 1, 0);
        renewAndRun();
        assertThat(ran)
                .containsExactly("top", "high 1", "high 2", "high 3", "middle", "low 1", "low 2", "low 3", "bottom");
    }

    /** The oldest task of a priority makes up for a higher one. Tasks of its priority that were submitted earlier start before it. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void withAgeingItIsNotOvertakenByItsPriority(boolean many) {
        dispatcher = dispatcher(STEP, UNLIMITED);
        usePriorities(many);
        submit("a", 1);
        submit("b", 1);
        timer.advance(STEP * 3);
        submit("c", 2);
        submit("d", 9);
        returnAll(0);
        renewAndRun();
        assertThat(ran).containsExactly("d", "a", "b", "c");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void withAgeingItIsOvertakenByAHigherPriorityThatItsAgeDoesNotMakeUpFor(boolean many) {
        dispatcher = dispatcher(STEP, UNLIMITED);
        usePriorities(many);
        submit("a", 1);
        submit("b", 1);
        timer.advance(STEP / 2);
        submit("c", 2);
        returnAll(0);
        renewAndRun();
        assertThat(ran).containsExactly("c", "a", "b");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void withAgeingTheFirstThatWasReturnedDoesNotWaitForTheLast(boolean many) {
        dispatcher = dispatcher(STEP, UNLIMITED);
        usePriorities(many);
        lease(2);
        submit("a", 1);
        submit("b", 1);
        expire();
        threads.removeLast().run(); // b
        timer.advance(STEP * 3);
        submit("c", 2);
        returnAll(0);
        renewAndRun();
        assertThat(ran).containsExactly("a", "b", "c");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void withAgeingATaskOfItsPriorityThatIsLinkedLateDoesNotOvertakeIt(boolean many) {
        dispatcher = dispatcher(STEP, UNLIMITED);
        usePriorities(many);
        submit("a", 1);
        Named late = new Named("b", limits(1, AttemptLimits.NONE, 1));
        late.beforeLink = () -> {
            timer.advance(STEP * 3);
            returnAll(0);
        };
        submit(late);
        assertThat(group().queue().peek()).isNotSameAs(late);
        renewAndRun();
        assertThat(ran).containsExactly("a", "b");
    }

    /** A retry is queued when its delay is over, so a task with a permit was submitted before that. */
    @Test
    void itStartsBeforeARetryThatWasQueuedMeanwhile() {
        lease(2);
        Named retried = submit(new Named("retried", limits(0, AttemptLimits.NONE, 1)));
        retried.failures = 1;
        submit("a");
        submit("b");
        lease(1);
        threads.removeFirst().run();
        timer.advance(1);
        submit("c");
        returnAll(0);
        renewAndRun();
        assertThat(ran).containsExactly("retried", "a", "b", "retried", "c");
    }

    // ---- it leaves the queue another way -------------------------------------------------------------------------

    @Test
    void cancelledOneDoesNotStart() {
        lease(2);
        submit("a");
        Named cancelled = submit("b");
        submit("c");
        returnAll(1, 0);
        assertThat(cancelled.tryCancel(true, "by the caller")).isTrue();
        assertThat(group().queued()).isEqualTo(2);
        renewAndRun();
        assertThat(ran).containsExactly("a", "c");
    }

    @Test
    void cancelledOnesAreDroppedWhenTheyAreTheMajority() {
        lease(100);
        List<Named> tasks = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            tasks.add(submit("t" + i));
        }
        expire();
        runThreads();
        assertThat(group().queue().isEmpty()).isFalse();
        tasks.forEach(task -> task.tryCancel(true, "by the caller"));
        List<KernelTask<?>> left = new ArrayList<>();
        group().forEachQueued(left::add);
        assertThat(left).hasSizeLessThan(70);
    }

    @Test
    void itExpiresInTheQueue() {
        lease(1);
        Named expired = submit(new Named("a", limits(0, 10, 1)));
        submit("b");
        timer.advance(20); // it is not queued
        returnAll(0);
        timer.advance(9);
        assertThat(expired.outcome()).isEqualTo("none");
        timer.advance(1);
        assertThat(expired.outcome()).isEqualTo("EXPIRED");
        renewAndRun();
        assertThat(ran).containsExactly("b");
    }

    @Test
    void itIsDisplacedAsTheOldestOfItsPriority() {
        queueThreshold = 0;
        lease(2);
        Named first = submit("a");
        Named second = submit("b");
        returnAll(1, 0);
        assertThat(dispatcher.submitDisplacing("g", new Named("c", null))).isEqualTo(Admission.ADMITTED);
        assertThat(first.outcome()).isEqualTo("DISPLACED");
        assertThat(second.outcome()).isEqualTo("none");
        renewAndRun();
        assertThat(ran).containsExactly("b", "c");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theLowestPriorityIsDisplacedFirst(boolean many) {
        usePriorities(many);
        lease(3);
        submit("high 1", 1);
        submit("low 1", -1);
        submit("low 2", -1);
        submit("low 3", -1);
        submit("bottom", -2);
        submit("high 2", 1);
        returnAll(2, 1, 0);
        List<String> displaced = new ArrayList<>();
        while (!group().queue().isEmpty()) {
            List<KernelTask<?>> before = new ArrayList<>();
            group().forEachQueued(before::add);
            assertThat(group().displace()).isTrue();
            before.stream()
                    .map(Named.class::cast)
                    .filter(KernelTask::isCompleted)
                    .forEach(task -> displaced.add(task.name));
        }
        assertThat(displaced).containsExactly("bottom", "low 1", "low 2", "low 3", "high 1", "high 2");
    }

    @Test
    void stoppedOneDoesNotStart() {
        lease(1);
        Named stopped = submit("a");
        returnAll(0);
        group().stop("by a test");
        assertThat(stopped.outcome()).isEqualTo("cancelled by a test");
        renewAndRun();
        assertThat(ran).isEmpty();
    }

    // ---- what is known of it -------------------------------------------------------------------------------------

    @Test
    void itWaitsSinceItWasReturned() {
        lease(1);
        submit("a");
        timer.advance(10);
        returnAll(0);
        timer.advance(5);
        submit("b");
        timer.advance(3);
        assertThat(group().oldestWaitingNanos()).isEqualTo(8);
    }

    @Test
    void itHasNotStartedBeforeItsThreadBegins() {
        lease(1);
        Named task = submit("a");
        submit("b");
        assertThat(task.startedAt()).isZero();
        returnAll(0);
        assertThat(task.startedAt()).isZero();
        timer.advance(7);
        leases.renew("g");
        assertThat(task.startedAt()).isEqualTo(timer.nanoTime());
        assertThat(task.waitedNanos()).isEqualTo(7);
    }

    @Test
    void itHasNotStartedIfThereIsNoThread() {
        dispatcher = new Dispatcher(
                key -> new GroupLimits(1, UNLIMITED, UNLIMITED),
                new DispatcherConfig(UNLIMITED, UNLIMITED, TTL, false, false),
                new WeightedRoundRobin(),
                work -> {
                    throw new IllegalStateException("no thread");
                },
                timer,
                leases.newControl());
        lease(1);
        timer.advance(10);
        Named task = submit("a");
        assertThat(task.outcome()).startsWith("failed");
        assertThat(task.startedAt()).isEqualTo(timer.nanoTime());
    }

    // ---- a first costly task -------------------------------------------------------------------------------------

    /** As a thread that has not seen yet that costs differ: takes a count and one permit, and polls. */
    private Named pollWithOnePermit() {
        HotFields.STATE.getAndAdd(group(), -GroupState.ONE_PERMIT - GroupState.ONE_QUEUED);
        dispatcher.scheduler().limiter().tryTakeQueued(1);
        return (Named) group().pollQueue();
    }

    /** Two tasks run, and {@code costly}, then others, are queued. */
    private void queueCostly(Named... costly) {
        lease(2);
        submit("running 1");
        submit("running 2");
        for (Named task : costly) {
            submit(task);
        }
        submit("later");
        lease(4);
    }

    @Test
    void firstCostlyTaskGoesBackToTheFront() {
        Named costly = new Named("costly", limits(0, AttemptLimits.NONE, 4));
        queueCostly(costly);
        assertThat(pollWithOnePermit()).isSameAs(costly);
        group().requeue(costly);
        group().release(1, 0, 0);
        renewAndRun();
        assertThat(ran).containsExactly("running 1", "running 2", "costly", "later");
    }

    @Test
    void twoCostlyTasksGoBackToTheFrontInTheirOrder() {
        Named first = new Named("costly 1", limits(0, AttemptLimits.NONE, 4));
        Named second = new Named("costly 2", limits(0, AttemptLimits.NONE, 4));
        lease(2);
        submit("running 1");
        submit("running 2");
        submit(first);
        timer.advance(1);
        submit(second);
        submit("later");
        lease(4);
        assertThat(pollWithOnePermit()).isSameAs(first);
        assertThat(pollWithOnePermit()).isSameAs(second);
        group().requeue(second);
        group().release(1, 0, 0);
        group().requeue(first);
        group().release(1, 0, 0);
        renewAndRun();
        assertThat(ran).containsExactly("running 1", "running 2", "costly 1", "costly 2", "later");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, DispatcherConfig.DEFAULT_SWEEP_CAPACITY})
    void costlyTaskThatWentBackExpires(int sweepCapacity) {
        dispatcher = dispatcher(DispatcherConfig.NO_AGEING, UNLIMITED, sweepCapacity);
        Named costly = new Named("costly", limits(0, 10, 4));
        queueCostly(costly);
        timer.advance(6);
        assertThat(pollWithOnePermit()).isSameAs(costly);
        group().requeue(costly);
        group().release(1, 0, 0);
        timer.advance(3);
        assertThat(costly.outcome()).isEqualTo("none");
        timer.advance(1);
        assertThat(costly.outcome()).isEqualTo("EXPIRED");
        renewAndRun();
        assertThat(ran).containsExactly("running 1", "running 2", "later");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, DispatcherConfig.DEFAULT_SWEEP_CAPACITY})
    void costlyTaskWhoseTimeEndsBeforeItIsBackExpires(int sweepCapacity) {
        dispatcher = dispatcher(DispatcherConfig.NO_AGEING, UNLIMITED, sweepCapacity);
        Named costly = new Named("costly", limits(0, 10, 4));
        queueCostly(costly);
        assertThat(pollWithOnePermit()).isSameAs(costly);
        timer.advance(10);
        group().requeue(costly);
        group().release(1, 0, 0);
        assertThat(costly.outcome()).isEqualTo("EXPIRED");
        renewAndRun();
        assertThat(ran).containsExactly("running 1", "running 2", "later");
    }
}
