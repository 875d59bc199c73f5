package io.github.kobe.internal.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.github.kobe.TestKit.Caller;
import io.github.kobe.internal.fair.ServiceTimeQueue;
import io.github.kobe.internal.time.FakeTimer;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@link ServiceTimeQueue} with tasks of different durations. {@link FairnessTest} tests what all strategies have in common. */
class ServiceTimeQueueTest {

    private static final int MANY = 1 << 20;
    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

    private static VirtualTimeRunner workload(int limit, int globalLimit) {
        return new VirtualTimeRunner(timer -> new ServiceTimeQueue(timer::nanoTime), limit, globalLimit);
    }

    @ParameterizedTest
    @CsvSource({
        "1, 1, 1, 1",
        "1, 3, 1, 1",
        "1, 1, 1048576, 1",
        "1, 3, 1048576, 1",
        "1, 1, 1048576, 4",
        "1, 3, 1048576, 4",
        "8, 1, 1, 4",
        "8, 3, 1, 4",
        "8, 1, 1048576, 4",
        "8, 3, 1048576, 4"
    })
    void timeFollowsTheWeights(int pairs, int weight, int limit, int globalLimit) {
        VirtualTimeRunner load = workload(limit, globalLimit);
        for (int i = 0; i < pairs; i++) {
            load.submit("slow" + i, 3_000, 100 * MILLI);
            load.submit("quick" + i, 60_000 / pairs, MILLI);
            load.weigh("slow" + i, weight);
        }
        load.run(20_000);
        double slow = 0;
        double quick = 0;
        for (int i = 0; i < pairs; i++) {
            slow += load.timeOf("slow" + i);
            quick += load.timeOf("quick" + i);
        }
        assertThat(slow / quick).isCloseTo(weight, withinPercentage(3));
    }

    @ParameterizedTest
    @CsvSource({"1048576, 1", "1048576, 4", "1, 1"})
    void unpredictableDurationsEvenOut(int limit, int globalLimit) {
        SplittableRandom random = new SplittableRandom(1);
        VirtualTimeRunner load = workload(limit, globalLimit);
        load.submit("steady", 20_000, 10 * MILLI);
        load.submit("erratic", 20_000, () -> random.nextInt(10) == 0 ? 91 * MILLI : MILLI);
        load.run(20_000);
        assertThat(load.timeOf("erratic") / load.timeOf("steady")).isCloseTo(1, withinPercentage(3));
    }

    @Test
    void taskThatNeverCompletesIsChargedWhileItRuns() {
        VirtualTimeRunner load = workload(MANY, 4);
        load.submit("stuck", 1, VirtualTimeRunner.FOR_EVER);
        load.submit("stuck", 10_000, MILLI);
        load.submit("a", 10_000, MILLI);
        load.run(9_000);
        assertThat(load.timeOf("a") / load.timeOf("stuck")).isCloseTo(1, withinPercentage(3));
    }

    @Test
    void otherGroupsStartBeforeAGroupWithATaskThatNeverCompletes() {
        VirtualTimeRunner load = workload(MANY, 2);
        load.submit("stuck", 1, VirtualTimeRunner.FOR_EVER);
        load.submit("a", 1_000, MILLI);
        load.submit("stuck", 1_000, MILLI);
        int from = load.starts.size();
        load.run(500);
        assertThat(load.startsOf("stuck", from)).as("has used its half already").isLessThan(5);
    }

    @Test
    void permitsThatBecomeFreeTogetherAreShared() {
        VirtualTimeRunner load = workload(MANY, 0);
        load.submit("heavy", 100, MILLI);
        load.submit("light", 100, MILLI);
        load.weigh("heavy", 3);
        load.globalLimit(40);
        assertThat(load.startsOf("heavy", 0)).isBetween(29, 31);
    }

    @Test
    void unknownGroupIsExpectedToBeLikeTheOthers() {
        VirtualTimeRunner load = workload(MANY, 8);
        load.submit("known", 1_000, 1_000 * MILLI);
        load.run(8 * 12);
        load.submit("new", 1_000, 1_000 * MILLI);
        int from = load.starts.size();
        load.globalLimit(24);
        assertThat(load.startsOf("new", from)).as("each group has 12").isBetween(11, 13);
    }

    @Test
    void longTasksWithoutCompetitionAreNotCharged() {
        VirtualTimeRunner load = workload(MANY, 2);
        load.submit("batch", 2, 1_000_000 * MILLI);
        load.timer.advance(999_999 * MILLI);
        load.submit("batch", 1_000, MILLI);
        load.submit("fresh", 1_000, MILLI);
        int from = load.starts.size();
        load.run(100);
        assertThat(load.startsOf("batch", from)).isBetween(45, 55);
    }

    @Test
    void heldTimeIsChargedAtTheWeightOfThatTime() {
        VirtualTimeRunner load = workload(MANY, 1);
        load.submit("a", 100, 100 * MILLI);
        load.submit("b", 1_000, MILLI);
        load.timer.advance(99 * MILLI);
        load.weigh("a", 1_000);
        load.run(1);
        load.weigh("a", 1);
        int from = load.starts.size();
        load.run(90);
        assertThat(load.startsOf("a", from)).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void lateGroupThatStartsWithoutCompetitionDelaysNoOther(boolean othersBackFirst) {
        FakeTimer timer = new FakeTimer();
        ServiceTimeQueue queue = new ServiceTimeQueue(timer::nanoTime);
        GroupLimits limits = new GroupLimits(MANY, MANY, MANY);
        Dispatcher dispatcher = new Dispatcher(key -> limits, 1, MANY, MANY, queue, work -> {}, timer);
        Group a = new Group("a", limits, dispatcher, false, true);
        Group b = new Group("b", limits, dispatcher, false, true);
        Group late = new Group("late", limits, dispatcher, false, true);
        queue.add(a);
        assertThat(queue.poll()).isSameAs(a);
        queue.startedDirectly(late, 0);
        timer.advance(10_000 * MILLI);
        queue.add(late);
        assertThat(queue.poll()).as("while another thread dispatches a").isSameAs(late);
        if (othersBackFirst) {
            queue.add(a);
            queue.started(late, timer.nanoTime());
        } else {
            queue.started(late, timer.nanoTime());
            queue.add(a);
        }
        queue.add(b);
        queue.add(late);
        assertThat(queue.poll()).isSameAs(a);
        queue.started(a, timer.nanoTime());
        queue.add(a);
        assertThat(queue.poll()).isSameAs(b);
    }

    @Test
    void whileAnotherThreadHasPolledAGroupNoneIsNext() throws Exception {
        FakeTimer timer = new FakeTimer();
        ServiceTimeQueue queue = new ServiceTimeQueue(timer::nanoTime);
        GroupLimits limits = new GroupLimits(MANY, MANY, MANY);
        Dispatcher dispatcher = new Dispatcher(key -> limits, 1, MANY, MANY, queue, work -> {}, timer);
        Group a = new Group("a", limits, dispatcher, false, true);
        Group b = new Group("b", limits, dispatcher, false, true);
        queue.add(a);
        queue.add(b);
        assertThat(queue.poll()).isSameAs(a);
        assertThat(Caller.of(() -> queue.isEmpty() && queue.poll() == null).result())
                .isTrue();
        queue.started(a, 0);
        queue.left(a, true);
        queue.endPoll();
        assertThat(Caller.of(() -> !queue.isEmpty() && queue.poll() == b).result())
                .isTrue();
    }

    @Test
    void amongEqualGroupsTheLongestQueuedIsNext() {
        VirtualTimeRunner load = workload(MANY, 1);
        for (String key : new String[] {"a", "b", "c", "d"}) {
            load.submit(key, 10, MILLI);
        }
        load.run(11);
        assertThat(String.join("", load.starts)).isEqualTo("abcdabcdabcd");
    }
}
