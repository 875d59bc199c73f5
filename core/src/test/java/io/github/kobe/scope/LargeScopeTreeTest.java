package io.github.kobe.scope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.github.kobe.TestKit.BlockingTask;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which tasks does the tree of a scope show if there are too many to show all? */
@Timeout(60)
class LargeScopeTreeTest {

    private static final int MANY = 100;

    @Test
    void failedTaskIsShownHoweverManyTasksPrecedeIt() {
        try (ThreadScope scope = ThreadScope.open()) {
            List<Task<?>> tasks = new ArrayList<>();
            for (int i = 0; i < MANY; i++) {
                tasks.add(scope.submit("quick-" + i, () -> "ran"));
            }
            scope.await(tasks);
            tasks.add(scope.submit("slow", BlockingTask.interruptible()));
            tasks.add(scope.submit("bad", () -> {
                throw new IOException("on purpose");
            }));
            assertThat(catchThrowable(() -> scope.await(tasks))).hasCauseInstanceOf(IOException.class);
            String tree = scope.failureTree().orElseThrow();
            assertThat(tree).contains("bad FAILED", "slow RUNNING", "quick-0 SUCCESS", "and 52 more");
            assertThat(tree.indexOf("quick-0 ")).isLessThan(tree.indexOf("slow"));
            assertThat(tree.indexOf("slow")).isLessThan(tree.indexOf("bad"));
        }
    }
}
