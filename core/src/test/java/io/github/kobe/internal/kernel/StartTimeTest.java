package io.github.kobe.internal.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.internal.fair.Competitor;
import io.github.kobe.internal.fair.FairnessState;
import io.github.kobe.internal.fair.ReadyQueue;
import io.github.kobe.internal.fair.WeightedRoundRobin;
import io.github.kobe.internal.time.FakeTimer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * When has a ticket started that was counted, whose submitter was then held up before it was put in line, and that found its place
 * free? Not before that place came free, whenever it was counted.
 */
class StartTimeTest {

    private static final long MS = 1_000_000;
    private static final long HELD_UP = 50 * MS;
    private static final int NO_CAP = Integer.MAX_VALUE;

    private final FakeTimer timer = new FakeTimer();
    private final ArrayDeque<Runnable> threads = new ArrayDeque<>();

    private static final class DelayedSubmitTask extends KernelTask<String> {
        private final AttemptState plan;
        private @Nullable Runnable beforeItIsInLine;
        private long start;

        DelayedSubmitTask(AttemptState plan) {
            this.plan = plan;
        }

        /** Asked for between being counted and being put in line. */
        @Override
        protected AttemptState attempts() {
            Runnable once = beforeItIsInLine;
            if (once != null && queuedOrCompletedAt != 0) {
                beforeItIsInLine = null;
                once.run();
            }
            return plan;
        }

        @Override
        protected Object execute() {
            start = startedAt;
            return "ran";
        }

        @Override
        protected Object failed(Throwable fault) {
            return fault.toString();
        }

        @Override
        protected String cancelled(String why) {
            return why;
        }

        @Override
        protected String terminated(TerminationCause why) {
            return why.name();
        }
    }

    private static AttemptState plan(long timeout) {
        return new AttemptState(0, AttemptLimits.NONE, timeout, false);
    }

    private Dispatcher dispatcher(int globalCap, ReadyQueue ready) {
        timer.advance(1);
        GroupLimits one = new GroupLimits(1, Integer.MAX_VALUE, Integer.MAX_VALUE);
        return new Dispatcher(key -> one, globalCap, Integer.MAX_VALUE, Long.MAX_VALUE, ready, threads::add, timer);
    }

    /** Two tickets, the place of the first coming free while the submitter of the second is held up. */
    private List<DelayedSubmitTask> play(Dispatcher dispatcher, AttemptState planOfSecond) {
        DelayedSubmitTask first = new DelayedSubmitTask(plan(AttemptState.NONE));
        DelayedSubmitTask second = new DelayedSubmitTask(planOfSecond);
        dispatcher.submit("g", first);
        second.beforeItIsInLine = () -> {
            timer.advance(HELD_UP);
            threads.removeFirst().run();
        };
        assertThat(dispatcher.submit("g", second)).isEqualTo(Admission.ADMITTED);
        return List.of(first, second);
    }

    @ParameterizedTest
    @ValueSource(ints = {NO_CAP, 1})
    void isNotBeforeThePlaceCameFree(int globalCap) {
        List<DelayedSubmitTask> both = play(dispatcher(globalCap, new WeightedRoundRobin()), plan(AttemptState.NONE));
        threads.removeFirst().run();
        assertThat(both.getLast().start).isEqualTo(both.getFirst().completedAt());
    }

    @ParameterizedTest
    @ValueSource(ints = {NO_CAP, 1})
    void leavesAllOfItsTimeToTheWork(int globalCap) {
        DelayedSubmitTask second = play(dispatcher(globalCap, new WeightedRoundRobin()), plan(20 * MS))
                .getLast();
        threads.removeFirst();
        int place = second.register();
        second.begin();
        timer.advance(19 * MS);
        assertThat(second.isCompleted()).as("after 19 of 20 ms").isFalse();
        timer.advance(MS);
        assertThat(second.isCompleted()).isTrue();
        second.finishTask(place, "ran");
    }

    @Test
    void isWhatTheReadyQueueIsTold() {
        List<Long> told = new ArrayList<>();
        WeightedRoundRobin turns = new WeightedRoundRobin();
        ReadyQueue ready = new ReadyQueue() {
            @Override
            public FairnessState newState() {
                return turns.newState();
            }

            @Override
            public void add(Competitor group) {
                turns.add(group);
            }

            @Override
            public @Nullable Competitor poll() {
                return turns.poll();
            }

            @Override
            public boolean isEmpty() {
                return turns.isEmpty();
            }

            @Override
            public boolean chargesTime() {
                return true;
            }

            @Override
            public void left(Competitor group, boolean idle) {
                turns.left(group, idle);
            }

            @Override
            public void started(Competitor group, long now) {
                told.add(now);
            }

            @Override
            public boolean startedDirectly(Competitor group, long now) {
                told.add(now);
                return true;
            }

            @Override
            public void completed(Competitor group, long start, long now) {
                told.add(now);
            }
        };
        play(dispatcher(1, ready), plan(AttemptLimits.NONE));
        assertThat(told).as("start, end, start").containsExactly(1L, 1 + HELD_UP, 1 + HELD_UP);
    }
}
