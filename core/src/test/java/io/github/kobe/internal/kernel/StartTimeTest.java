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
 * The start time of a task whose submitter is suspended between counting and enqueueing it, while a permit is released. The task
 * starts no earlier than the release.
 */
class StartTimeTest {

    private static final long MS = 1_000_000;
    private static final long HELD_UP = 50 * MS;
    private static final int UNLIMITED = Integer.MAX_VALUE;

    private final FakeTimer timer = new FakeTimer();
    private final ArrayDeque<Runnable> threads = new ArrayDeque<>();

    private static final class DelayedSubmitTask extends KernelTask<String> {
        private final AttemptState attemptState;
        private @Nullable Runnable beforeEnqueue;
        private long start;

        DelayedSubmitTask(AttemptState attemptState) {
            this.attemptState = attemptState;
        }

        /** The kernel calls this after it has counted the task and before it enqueues it. */
        @Override
        protected AttemptState attempts() {
            Runnable once = beforeEnqueue;
            if (once != null && queuedOrCompletedAt != 0) {
                beforeEnqueue = null;
                once.run();
            }
            return attemptState;
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

    private static AttemptState attemptState(long timeout) {
        return new AttemptState(0, AttemptLimits.NONE, timeout, false);
    }

    private Dispatcher dispatcher(int globalLimit, ReadyQueue ready) {
        timer.advance(1);
        GroupLimits one = new GroupLimits(1, Integer.MAX_VALUE, Integer.MAX_VALUE);
        return new Dispatcher(key -> one, globalLimit, Integer.MAX_VALUE, Long.MAX_VALUE, ready, threads::add, timer);
    }

    /** Submits two tasks. The first completes while the submitter of the second is suspended. */
    private List<DelayedSubmitTask> play(Dispatcher dispatcher, AttemptState planOfSecond) {
        DelayedSubmitTask first = new DelayedSubmitTask(attemptState(AttemptLimits.NONE));
        DelayedSubmitTask second = new DelayedSubmitTask(planOfSecond);
        dispatcher.submit("g", first);
        second.beforeEnqueue = () -> {
            timer.advance(HELD_UP);
            threads.removeFirst().run();
        };
        assertThat(dispatcher.submit("g", second)).isEqualTo(Admission.ADMITTED);
        return List.of(first, second);
    }

    @ParameterizedTest
    @ValueSource(ints = {UNLIMITED, 1})
    void startIsNotBeforeTheRelease(int globalLimit) {
        List<DelayedSubmitTask> both =
                play(dispatcher(globalLimit, new WeightedRoundRobin()), attemptState(AttemptLimits.NONE));
        threads.removeFirst().run();
        assertThat(both.getLast().start).isEqualTo(both.getFirst().completedAt());
    }

    @ParameterizedTest
    @ValueSource(ints = {UNLIMITED, 1})
    void timeoutCountsFromTheStart(int globalLimit) {
        DelayedSubmitTask second = play(dispatcher(globalLimit, new WeightedRoundRobin()), attemptState(20 * MS))
                .getLast();
        threads.removeFirst();
        int slot = second.register();
        second.begin();
        timer.advance(19 * MS);
        assertThat(second.isCompleted()).as("after 19 of 20 ms").isFalse();
        timer.advance(MS);
        assertThat(second.isCompleted()).isTrue();
        second.finishTask(slot, "ran");
    }

    @Test
    void readyQueueIsToldTheStartTime() {
        List<Long> told = new ArrayList<>();
        WeightedRoundRobin roundRobin = new WeightedRoundRobin();
        ReadyQueue ready = new ReadyQueue() {
            @Override
            public FairnessState newState() {
                return roundRobin.newState();
            }

            @Override
            public void add(Competitor group) {
                roundRobin.add(group);
            }

            @Override
            public @Nullable Competitor poll() {
                return roundRobin.poll();
            }

            @Override
            public boolean isEmpty() {
                return roundRobin.isEmpty();
            }

            @Override
            public boolean chargesTime() {
                return true;
            }

            @Override
            public void left(Competitor group, boolean idle) {
                roundRobin.left(group, idle);
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
        play(dispatcher(1, ready), attemptState(AttemptLimits.NONE));
        assertThat(told).as("start, completion, start").containsExactly(1L, 1 + HELD_UP, 1 + HELD_UP);
    }
}
