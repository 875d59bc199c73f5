package io.github.kobe.internal.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Are the counts of a retired group handed over without an outcome that is taken back? */
class HandOverTest {

    private static final int SUCCEEDED = OutcomeCounters.COMMON_OUTCOME;
    private static final int NOT_ADMITTED = 1;
    private static final int CANCELLED = 3;

    private final StepDispatcher runner = new StepDispatcher(1, Integer.MAX_VALUE, 0);
    private final List<String> handedOver = new ArrayList<>();

    HandOverTest() {
        runner.dispatcher.counters().onRetired(new RetirementListener() {
            @Override
            public boolean isActive() {
                return true;
            }

            @Override
            public boolean isComplete(long[] counts) {
                return counts[NOT_ADMITTED] == counts[SUCCEEDED] + counts[CANCELLED];
            }

            @Override
            public void retired(Group group, long[] counts, Map<String, Long> byTag, boolean first) {
                handedOver.add(counts[SUCCEEDED] + " ok, " + counts[CANCELLED] + " cancelled");
            }

            @Override
            public void deliver() {}

            @Override
            public void awaitDelivered(long start, long nanos) {}
        });
    }

    /** A task whose cancellation is overtaken, at the last moment, by its work. */
    private static final class OvertakenCancel extends KernelTask<String> {
        private final Group rejectedBy;
        private @Nullable Runnable faster;

        OvertakenCancel(Group rejectedBy) {
            this.rejectedBy = rejectedBy;
        }

        /** Called before the outcome is decided. */
        @Override
        protected boolean countsOnce() {
            boolean once = super.countsOnce();
            if (once) {
                runFaster();
            }
            return once;
        }

        /** Called before the outcome is decided if it may be taken back. */
        @Override
        protected void countOutcome(Object result, int number) {
            super.countOutcome(result, number);
            runFaster();
        }

        private void runFaster() {
            Runnable action = faster;
            faster = null;
            if (action != null) {
                action.run();
            }
        }

        @Override
        protected TaskHome countingHome() {
            return rejectedBy;
        }

        @Override
        protected int counterSlot(Object result) {
            return result.equals("ran") ? SUCCEEDED : CANCELLED;
        }

        @Override
        protected String execute() {
            return "ran";
        }

        @Override
        protected String failed(Throwable fault) {
            throw new AssertionError(fault);
        }

        @Override
        protected String cancelled(String why) {
            return why;
        }
    }

    @Test
    void outcomeOfARejectedTaskIsHandedOverOnce() {
        runner.submit("g");
        Group group = runner.dispatcher.group("g");
        OvertakenCancel task = new OvertakenCancel(group);
        task.count(NOT_ADMITTED);
        runner.finishOldest();
        assertThat(group.isRetired()).isTrue();
        assertThat(handedOver).isEmpty();
        task.faster = () -> task.completeUnadmitted("ran");
        assertThat(task.tryCancel(true, "too late")).isFalse();
        assertThat(handedOver).containsExactly("1 ok, 0 cancelled");
    }
}
