package io.github.kobe;

import static io.github.kobe.TestKit.executor;
import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.scope.ThreadScope;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Can a listener and a carrier tell which task a call is about? */
@Timeout(60)
class TaskIdentityTest {

    /** Notes all calls by the identity of the object that they get. */
    private static final class Notes implements TaskLifecycleListener, ContextCarrier {
        final Map<TaskIdentity, List<String>> calls = Collections.synchronizedMap(new IdentityHashMap<>());
        final Set<TaskIdentity> equal = Collections.synchronizedSet(new java.util.HashSet<>());

        private void note(TaskIdentity task, String call) {
            calls.computeIfAbsent(task, t -> new CopyOnWriteArrayList<>()).add(call);
            equal.add(task);
        }

        @Override
        public void onSubmitted(TaskIdentity task) {
            note(task, "submitted");
        }

        @Override
        public void onStarted(TaskIdentity task) {
            note(task, "started");
        }

        @Override
        public void onRetry(TaskIdentity task, int failedAttempts, Throwable fault, Duration delay) {
            note(task, "retry");
        }

        @Override
        public void onCompleted(TaskIdentity task, GroupResult<?> result) {
            note(task, "completed");
        }

        @Override
        public void onRejected(TaskIdentity task, Rejection rejection) {
            note(task, "rejected");
        }

        @Override
        public Captured capture() {
            throw new AssertionError("an executor says which task it captures for");
        }

        @Override
        public Captured capture(TaskIdentity task) {
            note(task, "captured");
            return () -> () -> {};
        }
    }

    private final Notes notes = new Notes();

    private GroupPolicy.Builder noted(GroupPolicy.Builder policy) {
        return policy.taskLifecycleListener(notes).contextCarrier(notes);
    }

    @Test
    void allCallsForATaskGetTheSameObject() throws Exception {
        TaskOptions twice = TaskOptions.builder().retry(RetryPolicy.attempts(2)).build();
        try (GroupExecutor executor = executor(this::noted)) {
            resultOf(executor.submit("g", "same name", Flaky.failing(1), twice));
            resultOf(executor.submit("g", "same name", Flaky.failing(1), twice));
        }
        assertThat(notes.calls.values())
                .containsExactly(
                        List.of("submitted", "captured", "started", "retry", "completed"),
                        List.of("submitted", "captured", "started", "retry", "completed"));
        assertThat(notes.equal).hasSize(2);
    }

    @Test
    void alsoForARejectedTask() {
        try (GroupExecutor executor = executor(b -> noted(b).defaultMaxConcurrencyPerGroup(1)
                .defaultQueueThresholdPerGroup(0)
                .rejectionPolicy(RejectionPolicy.DISCARD))) {
            BlockingTask blocker = BlockingTask.in(executor, "g");
            resultOf(executor.submit("g", "rejected", () -> 1));
            blocker.release();
        }
        assertThat(notes.calls.entrySet())
                .filteredOn(entry -> entry.getKey().taskId().equals("rejected"))
                .extracting(Map.Entry::getValue)
                .containsExactly(List.of("submitted", "captured", "rejected"));
    }

    @Test
    void alsoForAnAnnouncedPermit() throws Exception {
        PermitOptions announced = PermitOptions.builder().announce(true).build();
        try (GroupExecutor executor = executor(this::noted)) {
            executor.call("g", () -> 1, announced);
            executor.call("g", () -> 1, announced);
        }
        assertThat(notes.calls.values())
                .containsExactly(
                        List.of("submitted", "captured", "started", "completed"),
                        List.of("submitted", "captured", "started", "completed"));
        assertThat(notes.equal).hasSize(2);
    }

    @Test
    void carrierHearsOfEachTaskHoweverItIsSubmitted() throws Exception {
        try (GroupExecutor executor = executor(this::noted)) {
            executor.asExecutorService("g").submit(() -> 1).get();
            executor.executeAll(List.of(new GroupTask<>("g", "1", () -> 1), new GroupTask<>("g", "2", () -> 1)));
            executor.completions(Stream.of(new GroupTask<>("g", "3", () -> 1)), 1)
                    .forEach(result -> {});
        }
        assertThat(notes.calls.values())
                .hasSize(4)
                .allSatisfy(calls -> assertThat(calls).startsWith("submitted", "captured"));
    }

    @Test
    void pairOfCarriersTellsBothOfTheTask() throws Exception {
        Notes other = new Notes();
        try (GroupExecutor executor =
                executor(b -> b.taskLifecycleListener(notes).contextCarrier(notes.andThen((ContextCarrier) other)))) {
            resultOf(executor.submit("g", () -> 1));
        }
        assertThat(other.calls.keySet()).containsExactlyElementsOf(notes.calls.keySet());
    }

    @Test
    void listenerOfGroupsLearnsOfWhichScopeAnAttemptIs() throws Exception {
        List<Optional<String>> seen = new CopyOnWriteArrayList<>();
        List<Optional<String>> expected = new ArrayList<>();
        TaskLifecycleListener scopes = new TaskLifecycleListener() {
            @Override
            public void onSubmitted(TaskIdentity task) {
                seen.add(task.scopeId());
            }

            @Override
            public void onCompleted(TaskIdentity task, GroupResult<?> result) {
                seen.add(task.scopeId());
            }
        };
        try (GroupExecutor executor = executor(b -> b.taskLifecycleListener(scopes))) {
            try (ThreadScope scope = ThreadScope.open().withGroups(executor)) {
                expected.add(Optional.of(scope.id()));
                expected.add(Optional.of(scope.id()));
                scope.submitTo("g", () -> 1).await();
            }
            resultOf(executor.submit("g", () -> 1));
            expected.add(Optional.empty());
            expected.add(Optional.empty());
        }
        assertThat(seen).isEqualTo(expected);
    }
}
