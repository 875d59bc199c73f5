package io.github.kobe;

import static io.github.kobe.TestKit.executor;
import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.TestKit.BlockingTask;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Do the tasks of a group start in the order of submission? */
@Timeout(60)
class SubmissionOrderTest {

    @Test
    void tasksOfAGroupStartInTheOrderOfSubmission() {
        assertServedInOrder(b -> b);
    }

    @Test
    void tasksOfAGroupStartInTheOrderOfSubmissionUnderAGlobalLimit() {
        assertServedInOrder(b -> b.globalMaxInFlight(1).defaultMaxConcurrencyPerGroup(5));
    }

    private static void assertServedInOrder(UnaryOperator<GroupPolicy.Builder> settings) {
        Queue<Integer> starts = new ConcurrentLinkedQueue<>();
        try (GroupExecutor executor = executor(settings)) {
            BlockingTask blocker = BlockingTask.in(executor, "g");
            List<TaskHandle<Boolean>> handles = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                int number = i;
                handles.add(executor.submit("g", "t" + i, () -> starts.add(number)));
            }
            blocker.release();
            handles.forEach(TestKit::resultOf);
            assertThat(resultOf(executor.submit("g", "last", () -> "ran")).value())
                    .isEqualTo("ran");
        }
        assertThat(starts)
                .containsExactlyElementsOf(IntStream.range(0, 200).boxed().toList());
    }
}
