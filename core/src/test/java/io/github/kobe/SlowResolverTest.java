package io.github.kobe;

import static io.github.kobe.TestKit.await;
import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.TestKit.Caller;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Is a slow resolver asked once for a new group, whatever other threads change meanwhile? */
@Timeout(60)
class SlowResolverTest {

    private static final int ENOUGH = 20;

    private final AtomicInteger calls = new AtomicInteger();
    private volatile Consumer<GroupExecutor> meanwhile = executor -> {};
    private final GroupExecutor executor = TestKit.executor(b -> b.concurrencyResolver(this::resolve));

    /** For the group "g", the change is made by another thread between the question and the answer. */
    private int resolve(String key) {
        if (key.equals("g") && calls.incrementAndGet() < ENOUGH) {
            try {
                assertThat(Caller.of(() -> {
                                    meanwhile.accept(executor);
                                    return true;
                                })
                                .result())
                        .isTrue();
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        }
        return 3;
    }

    @AfterEach
    void close() {
        executor.close();
    }

    private GroupStats stats() {
        return executor.groupStats("g").orElseThrow();
    }

    private void submit() {
        assertThat(resultOf(executor.submit("g", "t", () -> "ran")).value()).isEqualTo("ran");
    }

    @Test
    void isAskedOnceIfTheLimitsOfAnotherGroupChange() {
        meanwhile = e -> e.setMaxConcurrency("other", 2);
        submit();
        assertThat(calls).hasValue(1);
    }

    @Test
    void isAskedOnceIfAnUnknownGroupIsShutDownOrEvicted() {
        meanwhile = e -> {
            e.shutdownGroup("unknown");
            e.evictGroup("unknown");
            e.resetGroup("unknown");
        };
        submit();
        assertThat(calls).hasValue(1);
    }

    @Test
    void isAskedOnceIfAnotherGroupIsCreated() {
        meanwhile = e -> resultOf(e.submit("other", "t", () -> "ran"));
        submit();
        assertThat(calls).hasValue(1);
    }

    @Test
    void settingOfTheGroupThatIsMadeMeanwhileHolds() {
        meanwhile = e -> {
            e.setMaxConcurrency("g", 7);
            e.setWeight("g", 2);
        };
        submit();
        assertThat(stats().maxConcurrency()).isEqualTo(7);
        assertThat(stats().weight()).isEqualTo(2);
        assertThat(calls).hasValue(1);
    }

    @Test
    void pauseOfTheGroupThatIsMadeMeanwhileHolds() {
        meanwhile = e -> e.pauseGroup("g");
        TaskHandle<String> handle = executor.submit("g", "t", () -> "ran");
        TestKit.letOthersRun();
        assertThat(handle.isDone()).isFalse();
        executor.resumeGroup("g");
        assertThat(resultOf(handle).value()).isEqualTo("ran");
        assertThat(calls).hasValue(1);
    }

    @Test
    void globalLimitThatIsSetMeanwhileHolds() {
        meanwhile = e -> e.setGlobalMaxInFlight(1);
        BlockingTask first = BlockingTask.in(executor, "g");
        TaskHandle<String> second = executor.submit("other", "t", () -> "ran");
        TestKit.letOthersRun();
        assertThat(second.isDone()).isFalse();
        first.release();
        assertThat(resultOf(second).value()).isEqualTo("ran");
    }

    @Test
    void submitReturnsAlthoughItsGroupIsEvictedDuringEachResolution() {
        meanwhile = e -> e.evictGroup("g");
        submit();
        assertThat(calls).hasValue(1);
        meanwhile = e -> {};
        submit();
        assertThat(calls).as("asked again by the next submit").hasValue(2);
        submit();
        assertThat(calls).hasValue(2);
    }

    @Test
    void resetThatIsMadeMeanwhileRemovesASetting() {
        executor.setMaxConcurrency("g", 9);
        meanwhile = e -> e.resetGroup("g");
        submit();
        assertThat(stats().maxConcurrency()).isEqualTo(3);
    }

    @Test
    void resetEndsAPauseAlthoughAnEvictionMakesItsAnswerInvalid() {
        BlockingTask running = BlockingTask.in(executor, "g");
        executor.pauseGroup("g");
        BlockingTask queued = BlockingTask.interruptible();
        executor.submit("g", "queued", queued);
        meanwhile = e -> e.evictGroup("g");
        executor.resetGroup("g");
        await(queued.started);
        running.release();
        queued.release();
    }

    @Test
    void secondSubmitterNeedNotWaitForASlowResolution() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch answer = new CountDownLatch(1);
        meanwhile = e -> {
            meanwhile = none -> {};
            asked.countDown();
            await(answer);
        };
        Caller<TaskHandle<String>> slow = Caller.of(() -> executor.submit("g", "slow", () -> "ran"));
        await(asked);
        submit();
        answer.countDown();
        assertThat(resultOf(slow.result()).value()).isEqualTo("ran");
        assertThat(stats().counts().submitted()).as("in one group").isEqualTo(2);
    }

    @Test
    void shutdownDuringAResolutionRejectsTheSubmit() throws Exception {
        meanwhile = GroupExecutor::shutdown;
        Caller<TaskHandle<String>> submitter = Caller.of(() -> executor.submit("g", "t", () -> "ran"));
        assertThat(submitter)
                .failsWithin(TestKit.PATIENCE)
                .withThrowableThat()
                .havingCause()
                .isInstanceOf(IllegalStateException.class);
        assertThat(executor.activeGroupKeys()).isEmpty();
    }
}
