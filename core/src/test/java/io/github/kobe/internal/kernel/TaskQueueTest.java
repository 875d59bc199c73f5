package io.github.kobe.internal.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Field;
import org.junit.jupiter.api.Test;

/** A queue keeps only what it needs. Its order is tested through the dispatcher. */
class TaskQueueTest {

    private final TaskQueue queue = new TaskQueue();

    /** A task that was never marked as queued, which counts as withdrawn. */
    private static KernelTask<String> withdrawn(int priority) {
        AttemptState attemptState = new AttemptState(priority, AttemptLimits.NONE, AttemptLimits.NONE, false);
        return new KernelTask<>() {
            @Override
            protected AttemptState attempts() {
                return attemptState;
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

    private Object levels() throws ReflectiveOperationException {
        Field levels = TaskQueue.class.getDeclaredField("levels");
        levels.setAccessible(true);
        return levels.get(queue);
    }

    @Test
    void withoutPrioritiesThereAreNoLevels() throws Exception {
        for (int i = 0; i < 100; i++) {
            queue.add(withdrawn(0));
        }
        assertThat(queue.isEmpty()).isFalse();
        assertThat(queue.poll()).isNull();
        assertThat(queue.isEmpty()).isTrue();
        assertThat(levels()).isNull();
        queue.add(withdrawn(1));
        assertThat(levels()).isNotNull();
    }

    @Test
    void withdrawnTasksOfEveryPriorityAreDroppedWhenTheyAreTheMajority() {
        for (int i = 0; i < 300; i++) {
            queue.add(withdrawn(i % 3 - 1));
        }
        for (int i = 0; i < 300 && !queue.isEmpty(); i++) {
            queue.withdrawn(100);
        }
        assertThat(queue.isEmpty()).isTrue();
    }
}
