package io.github.kobe;

import static io.github.kobe.TestKit.executor;
import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.TestKit.BlockingTask;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Is a rejected task one object: the one that was submitted, that listeners see, and that the submitter gets? */
@Timeout(60)
class RejectedTaskIdentityTest {

    private static final TaskOptions OPTIONS =
            TaskOptions.builder().tag("tag").retry(RetryPolicy.attempts(3)).build();

    /** Collects the objects that a listener is called with. */
    private static final class Seen implements TaskLifecycleListener {
        private final List<TaskIdentity> submitted = Collections.synchronizedList(new ArrayList<>());
        private final List<TaskIdentity> rejected = Collections.synchronizedList(new ArrayList<>());

        @Override
        public void onSubmitted(TaskIdentity task) {
            submitted.add(task);
        }

        @Override
        public void onRejected(TaskIdentity task, Rejection rejection) {
            rejected.add(task);
        }
    }

    private static void assertOneObject(UnaryOperator<GroupPolicy.Builder> settings) {
        Seen seen = new Seen();
        try (GroupExecutor executor =
                executor(b -> settings.apply(b.defaultQueueThresholdPerGroup(0).taskLifecycleListener(seen)))) {
            BlockingTask blocker = BlockingTask.in(executor, "g");
            TaskHandle<String> plain = executor.submit("g", "plain", () -> "never");
            TaskHandle<String> optioned = executor.submit("g", "optioned", () -> "never", OPTIONS);
            awaitRejected(plain);
            awaitRejected(optioned);
            assertThat(seen.submitted.subList(1, 3))
                    .usingElementComparator(identity())
                    .containsExactly(plain, optioned);
            assertThat(seen.rejected) // a handler runs on a thread of its own for each task
                    .usingElementComparator(identity())
                    .containsExactlyInAnyOrder(plain, optioned);
            assertThat(optioned.tag()).isEqualTo("tag");
            blocker.release();
        }
    }

    private static Comparator<TaskIdentity> identity() {
        return (a, b) -> a == b ? 0 : 1;
    }

    private static void awaitRejected(TaskHandle<String> handle) {
        try {
            assertThat(resultOf(handle).status()).isEqualTo(TaskStatus.REJECTED);
        } catch (RejectedTaskException e) {
            assertThat(e.taskId()).isEqualTo(handle.taskId());
        }
    }

    @Test
    void abortedTaskIsTheOneThatWasSubmitted() {
        assertOneObject(b -> b.rejectionPolicy(RejectionPolicy.ABORT));
    }

    @Test
    void discardedTaskIsTheOneThatWasSubmitted() {
        assertOneObject(b -> b.rejectionPolicy(RejectionPolicy.DISCARD));
    }

    @Test
    void taskOfARejectionHandlerIsTheOneThatWasSubmitted() {
        assertOneObject(b -> b.rejectionHandler(new RejectionHandler() {
            @Override
            public <T> GroupResult<T> onRejected(String groupKey, String taskId, Callable<T> task) {
                return GroupResult.rejected(groupKey, taskId);
            }
        }));
    }
}
