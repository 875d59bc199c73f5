package io.github.kobe;

import static io.github.kobe.TestKit.executor;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.TestKit.Caller;
import io.github.kobe.TestKit.Events;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Timeout;

/** Is every handle completed when a shutdown returns, with every core busy? */
@Timeout(120)
class ShutdownHammerTest {

    private static final int ROUNDS = 400;
    private static final Duration LONG = Duration.ofSeconds(30);

    private final AtomicBoolean over = new AtomicBoolean();
    private final List<Thread> busy = new ArrayList<>();

    @BeforeEach
    void keepCoresBusy() {
        for (int i = 0; i < Runtime.getRuntime().availableProcessors(); i++) {
            Thread spinner = new Thread(() -> {
                while (!over.get()) {
                    Thread.onSpinWait();
                }
            });
            spinner.setDaemon(true);
            spinner.start();
            busy.add(spinner);
        }
    }

    @AfterEach
    void letCoresGo() throws InterruptedException {
        over.set(true);
        for (Thread spinner : busy) {
            spinner.join();
        }
    }

    private static GroupPolicy.Builder settings(GroupPolicy.Builder b, SplittableRandom random) {
        b.defaultMaxConcurrencyPerGroup(1 + random.nextInt(8));
        if (random.nextBoolean()) {
            b.globalMaxInFlight(1 + random.nextInt(4));
        }
        if (random.nextBoolean()) {
            b.idleGroupTtl(Duration.ZERO);
        }
        if (random.nextInt(3) == 0) {
            b.taskLifecycleListener(new Events());
        }
        return b;
    }

    private static TaskHandle<String> submit(GroupExecutor executor, int number, SplittableRandom random) {
        TaskOptions.Builder options = TaskOptions.builder();
        if (random.nextInt(4) == 0) {
            options.timeout(Duration.ofNanos(1 + random.nextInt(200_000)));
        }
        if (random.nextInt(4) == 0) {
            options.maxQueueTime(Duration.ofNanos(1 + random.nextInt(200_000)));
        }
        return random.nextBoolean()
                ? executor.submit("g" + number % 3, "t" + number, () -> "ran")
                : executor.submit("g" + number % 3, "t" + number, () -> "ran", options.build());
    }

    /** {@code isDone} would complete a task that was stopped on its way, so it is not asked. */
    private static void assertCompleted(List<TaskHandle<String>> handles, String after) {
        assertThat(handles)
                .as(after)
                .allSatisfy(handle -> assertThat(handle.toString()).doesNotContain("not completed"));
    }

    @RepeatedTest(2)
    void everyHandleIsCompletedWhenAShutdownReturns() throws Exception {
        SplittableRandom random = new SplittableRandom();
        for (int round = 0; round < ROUNDS; round++) {
            GroupExecutor executor = executor(b -> settings(b, random));
            List<TaskHandle<String>> handles = new ArrayList<>();
            int tasks = 1 + random.nextInt(20);
            for (int i = 0; i < tasks; i++) {
                handles.add(submit(executor, i, random));
            }
            TaskHandle<String> victim = handles.get(random.nextInt(tasks));
            Caller<Boolean> canceller = Caller.of(() -> victim.cancel(true));
            switch (random.nextInt(3)) {
                case 0 -> {
                    assertThat(executor.shutdown(LONG)).isTrue();
                    assertCompleted(handles, "after a drain");
                }
                case 1 -> {
                    executor.shutdown(Duration.ofNanos(random.nextInt(100_000)));
                    assertCompleted(handles, "after a drain that stopped what was left");
                }
                default -> {
                    executor.close();
                    assertCompleted(handles, "after a close");
                }
            }
            canceller.result();
        }
    }
}
