package io.github.kobe.internal.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Field;
import org.junit.jupiter.api.Test;

/** Does a line keep only what it needs? In which order it gives tickets out is seen from outside. */
class TaskQueueTest {

    private final TaskQueue line = new TaskQueue();

    /** Not in line as far as it knows itself, which is the same as withdrawn. */
    private static KernelTask<String> withdrawn(int priority) {
        AttemptState plan = new AttemptState(priority, AttemptLimits.NONE, AttemptLimits.NONE, false);
        return new KernelTask<>() {
            @Override
            protected AttemptState attempts() {
                return plan;
            }

            @Override
            protected Object execute() {
                return "ran";
            }

            @Override
            protected Object failed(Throwable fault) {
                return "failed";
            }

            @Override
            protected String cancelled(String why) {
                return why;
            }
        };
    }

    private Object ranks() throws ReflectiveOperationException {
        Field ranks = TaskQueue.class.getDeclaredField("levels");
        ranks.setAccessible(true);
        return ranks.get(line);
    }

    @Test
    void withoutPrioritiesThereAreNoRanks() throws Exception {
        for (int i = 0; i < 100; i++) {
            line.add(withdrawn(0));
        }
        assertThat(line.isEmpty()).isFalse();
        assertThat(line.poll()).isNull();
        assertThat(line.isEmpty()).isTrue();
        assertThat(ranks()).isNull();
        line.add(withdrawn(1));
        assertThat(ranks()).isNotNull();
    }

    @Test
    void withdrawnTicketsOfEveryPriorityAreDroppedWhenTheyAreMost() {
        for (int i = 0; i < 300; i++) {
            line.add(withdrawn(i % 3 - 1));
        }
        for (int i = 0; i < 300 && !line.isEmpty(); i++) {
            line.withdrawn(100);
        }
        assertThat(line.isEmpty()).isTrue();
    }
}
