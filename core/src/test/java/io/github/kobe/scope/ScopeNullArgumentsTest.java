package io.github.kobe.scope;

import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.github.kobe.ContextCarrier;
import io.github.kobe.GroupExecutor;
import io.github.kobe.RetryPolicy;
import io.github.kobe.TestKit;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Does every null argument throw an exception that names the parameter? */
@Timeout(60)
class ScopeNullArgumentsTest {

    private static final GroupExecutor GROUPS = TestKit.executor(b -> b);
    private static final ThreadScope FRESH = ThreadScope.open().withGroups(GROUPS);
    private static final Callable<String> TASK = () -> "ran";
    private static final Duration TIME = Duration.ofSeconds(1);
    private static final RetryPolicy RETRY = RetryPolicy.noRetry();
    private static final TaskPriority HIGH = TaskPriority.HIGH;

    @AfterAll
    static void close() {
        FRESH.close();
        GROUPS.close();
    }

    private static Arguments row(String parameter, ThrowingCallable call) {
        return Arguments.of(parameter, call);
    }

    static Stream<Arguments> settings() {
        return Stream.of(
                row("scheduler", () -> ThreadScope.open().withScheduler(null)),
                row("failurePolicy", () -> ThreadScope.open().withFailurePolicy(null)),
                row("retryPolicy", () -> ThreadScope.open().withRetryPolicy(null)),
                row("defaultTaskPriority", () -> ThreadScope.open().withDefaultTaskPriority(null)),
                row("deadline", () -> ThreadScope.open().withDeadline(null)),
                row("closeGrace", () -> ThreadScope.open().withCloseGrace(null)),
                row("attemptTimeout", () -> ThreadScope.open().withAttemptTimeout(null)),
                row("hook", () -> ThreadScope.open().withHook(null)),
                row("contextCarrier", () -> ThreadScope.open().withContextCarrier(null)),
                row("groups", () -> ThreadScope.open().withGroups(null)));
    }

    static Stream<Arguments> submissions() {
        return Stream.of(
                row("callable", () -> FRESH.submit((Callable<String>) null)),
                row("callable", () -> FRESH.submit("t", (Callable<String>) null)),
                row("runnable", () -> FRESH.submit((Runnable) null)),
                row("runnable", () -> FRESH.submit("t", (Runnable) null)),
                row("groupKey", () -> FRESH.submitTo(null, TASK)),
                row("callable", () -> FRESH.submitTo("g", (Callable<String>) null)),
                row("runnable", () -> FRESH.submitTo("g", (Runnable) null)),
                row("name", () -> FRESH.submitTo("g", null, TASK)),
                row("name", () -> FRESH.submitTo("g", null, (Runnable) () -> {})),
                row("name", () -> FRESH.submit((String) null, (Runnable) () -> {})),
                row("name", () -> FRESH.submit((String) null, TASK)),
                row("name", () -> FRESH.submit((String) null, TASK, HIGH)),
                row("name", () -> FRESH.submit((String) null, TASK, RETRY)),
                row("name", () -> FRESH.submit((String) null, TASK, TIME)),
                row("name", () -> FRESH.submit((String) null, TASK, HIGH, RETRY)),
                row("name", () -> FRESH.submit((String) null, TASK, HIGH, TIME)),
                row("name", () -> FRESH.submit((String) null, TASK, RETRY, TIME)),
                row("priority", () -> FRESH.submit(TASK, (TaskPriority) null)),
                row("priority", () -> FRESH.submit("t", TASK, (TaskPriority) null)),
                row("priority", () -> FRESH.submit(TASK, null, RETRY)),
                row("priority", () -> FRESH.submit("t", TASK, null, RETRY)),
                row("priority", () -> FRESH.submit(TASK, (TaskPriority) null, TIME)),
                row("priority", () -> FRESH.submit(TASK, null, RETRY, TIME)),
                row("retry", () -> FRESH.submit(TASK, (RetryPolicy) null)),
                row("retry", () -> FRESH.submit("t", TASK, (RetryPolicy) null)),
                row("retry", () -> FRESH.submit(TASK, HIGH, (RetryPolicy) null)),
                row("retry", () -> FRESH.submit("t", TASK, HIGH, (RetryPolicy) null)),
                row("retry", () -> FRESH.submit(TASK, (RetryPolicy) null, TIME)),
                row("retry", () -> FRESH.submit("t", TASK, (RetryPolicy) null, TIME)),
                row("retry", () -> FRESH.submit(TASK, HIGH, null, TIME)),
                row("groupKey", () -> FRESH.submit((String) null, "t", TASK)),
                row("name", () -> FRESH.submit("g", null, TASK)),
                row("callable", () -> FRESH.submit("g", "t", null)));
    }

    static Stream<Arguments> waiting() {
        return Stream.of(
                row("tasks", () -> FRESH.await((Collection<Task<?>>) null)),
                row("task", () -> FRESH.await((Task<?>) null)),
                row("task", () -> FRESH.await(Arrays.asList((Task<?>) null))),
                row("tasks", () -> FRESH.awaitAll((Collection<Task<String>>) null)),
                row("task", () -> FRESH.awaitAll((Task<String>) null)),
                row("strategy", () -> FRESH.join(null, List.of(TASK))),
                row("callables", () -> FRESH.join(JoinStrategy.firstSuccess(), (Collection<Callable<String>>) null)),
                row("callables", () -> FRESH.joiner().firstSuccess((Callable<String>[]) null)),
                row("callables", () -> FRESH.joiner().quorum(1, (Callable<String>[]) null)),
                row("backups", () -> FRESH.joiner().hedged(TIME, TASK, (Callable<String>[]) null)),
                row("callable", () -> FRESH.joiner().firstSuccess(TASK, null)),
                row("callable", () -> FRESH.joiner().quorum(1, TASK, null)),
                row("primary", () -> FRESH.joiner().hedged(TIME, null, TASK)),
                row("callable", () -> FRESH.joiner().hedged(TIME, TASK, (Callable<String>) null)),
                row("delay", () -> FRESH.joiner().hedged(null, TASK, TASK)));
    }

    static Stream<Arguments> schedules() {
        Runnable nothing = () -> {};
        return Stream.of(
                row("delay", () -> FRESH.schedule(null, TASK)),
                row("callable", () -> FRESH.schedule(TIME, (Callable<String>) null)),
                row("runnable", () -> FRESH.schedule(TIME, (Runnable) null)),
                row("initial", () -> FRESH.scheduleAtFixedRate(null, TIME, nothing)),
                row("period", () -> FRESH.scheduleAtFixedRate(TIME, null, nothing)),
                row("runnable", () -> FRESH.scheduleAtFixedRate(TIME, TIME, null)),
                row("delay", () -> FRESH.scheduleWithFixedDelay(TIME, null, nothing)),
                row("cleanup", () -> FRESH.defer(null)));
    }

    static Stream<Arguments> others() {
        ThreadHook hook = new ThreadHook() {};
        ContextCarrier carrier = () -> null;
        return Stream.of(
                row("executor", () -> Scheduler.from(null)),
                row("next", () -> hook.andThen(null)),
                row("next", () -> carrier.andThen(null)),
                row("threshold", () -> SlowTaskHook.create(null, e -> {})),
                row("consumer", () -> SlowTaskHook.create(TIME, null)),
                row("key", () -> Context.put(null, "x")),
                row("key", () -> Context.get(null)),
                row("key", () -> Context.remove(null)),
                row("value", () -> Channel.bounded(1).send(null)));
    }

    @ParameterizedTest(name = "{index}: {0}")
    @MethodSource({"settings", "submissions", "waiting", "schedules", "others"})
    void nullArgumentThrowsWithTheNameOfTheParameter(String parameter, ThrowingCallable call) {
        assertThatNullPointerException().isThrownBy(call).withMessageContaining(parameter);
    }

    static Stream<Arguments> functions() {
        ThreadScope scope = ThreadScope.open();
        Task<String> task = scope.submit(TASK);
        task.await();
        scope.close();
        return Stream.of(
                row("function", () -> task.thenApply(null)),
                row("function", () -> task.thenCompose(null)),
                row("function", () -> task.exceptionally(null)));
    }

    @ParameterizedTest(name = "{index}: {0}")
    @MethodSource("functions")
    void nullFunctionThrowsWithTheNameOfTheParameter(String parameter, ThrowingCallable call) {
        assertThatNullPointerException().isThrownBy(call).withMessageContaining(parameter);
    }
}
