package io.github.kobe.internal.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.internal.fair.Competitor;
import io.github.kobe.internal.fair.FairnessState;
import io.github.kobe.internal.fair.HierarchicalRoundRobin;
import io.github.kobe.internal.fair.Level;
import io.github.kobe.internal.fair.ReadyQueue;
import io.github.kobe.internal.kernel.SimulatedTask.CompletionListening;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A thread announces that it adds a group to the ready queue of a shared limit, and then does not: the groups that wait there are dispatched all the same. */
class SharedReadyQueueStallTest {

    private static final int UNLIMITED = Integer.MAX_VALUE;
    private static final DispatcherConfig CONFIG =
            new DispatcherConfig(UNLIMITED, UNLIMITED, TimeUnit.SECONDS.toNanos(1), false, false);

    private Runnable afterBeginAdd = () -> {};

    /** Turns by levels. Other threads come right after a group is announced. */
    private final class InterruptedQueue implements ReadyQueue {
        private final HierarchicalRoundRobin turns = new HierarchicalRoundRobin();

        @Override
        public ReadyQueue another() {
            return new InterruptedQueue();
        }

        @Override
        public FairnessState newState(List<Level> levels) {
            return turns.newState(levels);
        }

        @Override
        public void forget(FairnessState state) {
            turns.forget(state);
        }

        @Override
        public void add(Competitor group) {
            turns.add(group);
        }

        @Override
        public boolean beginAdd() {
            boolean announced = turns.beginAdd();
            Runnable others = afterBeginAdd;
            afterBeginAdd = () -> {};
            others.run();
            return announced;
        }

        @Override
        public void endAdd() {
            turns.endAdd();
        }

        @Override
        public @Nullable Competitor poll() {
            return turns.poll();
        }

        @Override
        public void endPoll() {
            turns.endPoll();
        }

        @Override
        public boolean isEmpty() {
            return turns.isEmpty();
        }

        @Override
        public void removeIf(Predicate<Competitor> leaves) {
            turns.removeIf(leaves);
        }

        @Override
        public void started(Competitor group, int cost, long now) {
            turns.started(group, cost, now);
        }

        @Override
        public void left(Competitor group, boolean idle) {
            turns.left(group, idle);
        }
    }

    private final StepDispatcher steps = new StepDispatcher(
            new SharedTestLimits(4).with("tenant", 2).with("endpoint", 1), CONFIG, null, new InterruptedQueue());

    private SimulatedTask task(String key, int number) {
        return new SimulatedTask(key, number, CompletionListening.NONE);
    }

    @Test
    void aTaskThatIsCancelledWhileItsGroupIsAnnouncedStopsNoOtherGroup() {
        SimulatedTask running = steps.submit("endpoint=x");
        SimulatedTask waiting = steps.submit("endpoint=x/other");
        SimulatedTask cancelled = task("endpoint=x/third", 100);
        afterBeginAdd = () -> {
            steps.finish(running); // finds a group announced, and starts nothing
            cancelled.cancel(false, "queued");
        };

        steps.dispatcher.submit("endpoint=x/third", cancelled);

        assertThat(steps.runs(waiting)).isTrue();
    }

    @Test
    void aGroupThatGoesToAnotherLimitThanAnnouncedStopsNoOtherGroup() {
        SimulatedTask first = steps.submit("tenant=a");
        SimulatedTask second = steps.submit("tenant=a");
        SimulatedTask waiting = steps.submit("tenant=a/other");
        steps.submit("endpoint=x");
        String key = "tenant=a/endpoint=x";
        afterBeginAdd = () -> {
            steps.finish(first);
            steps.finish(second); // so the first limit has room for both groups
            steps.dispatcher.submit(key, task(key, 100)); // adds the group to the ready queue of the second limit
        };

        steps.submit(key);

        assertThat(steps.runs(waiting)).isTrue();
    }
}
