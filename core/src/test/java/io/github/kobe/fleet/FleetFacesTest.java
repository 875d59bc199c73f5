package io.github.kobe.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.kobe.Permit;
import io.github.kobe.PermitOptions;
import io.github.kobe.fleet.TestNodes.Node;
import io.github.kobe.fleet.TestNodes.Referee;
import io.github.kobe.scope.Task;
import io.github.kobe.scope.ThreadScope;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Does the limit of a fleet hold for every way to use a group? */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class FleetFacesTest {

    private static final int LIMIT = 2;

    private final TestNodes nodes = new TestNodes();
    private final Node first = nodes.add(policy -> policy.defaultMaxConcurrencyPerGroup(LIMIT));
    private final Node second = nodes.add(policy -> policy.defaultMaxConcurrencyPerGroup(LIMIT));
    private final Referee referee = new Referee();

    @AfterEach
    void close() {
        nodes.close();
    }

    private Void work() {
        referee.begin();
        Thread.yield();
        referee.end();
        return null;
    }

    @Test
    void permitsOfCallingThreads() throws Exception {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            Node node = i % 2 == 0 ? first : second;
            threads.add(Thread.startVirtualThread(() -> {
                try (Permit permit = node.executor().acquire("tenant")) {
                    work();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(referee.most()).isBetween(1, LIMIT);
        assertThat(referee.running()).isZero();
    }

    @Test
    void permitsWithoutAWaitingThread() throws Exception {
        List<CompletableFuture<Void>> done = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            Node node = i % 2 == 0 ? first : second;
            done.add(node.executor()
                    .acquireAsync("tenant", PermitOptions.defaults())
                    .thenAccept(permit -> {
                        work();
                        permit.close();
                    }));
        }
        CompletableFuture.allOf(done.toArray(CompletableFuture<?>[]::new)).get();
        assertThat(referee.most()).isBetween(1, LIMIT);
    }

    @Test
    void userCodeThatDependsOnAPermitDoesNotRunOnTheThreadOfTheFleet() throws Exception {
        CountDownLatch running = new CountDownLatch(LIMIT);
        CountDownLatch end = new CountDownLatch(1);
        for (int i = 0; i < LIMIT; i++) {
            first.executor().submit("tenant", "task", () -> {
                running.countDown();
                end.await();
                return null;
            });
        }
        running.await();
        CompletableFuture<String> thread = second.executor()
                .acquireAsync("tenant", PermitOptions.defaults())
                .thenApply(permit -> {
                    permit.close();
                    return Thread.currentThread().getName();
                });
        await().until(() -> second.group("tenant").wanted() == 1);
        end.countDown();
        assertThat(thread.get()).doesNotStartWith("fleet-");
    }

    @Test
    void executorServiceView() throws Exception {
        ExecutorService ofFirst = first.executor().asExecutorService("tenant");
        ExecutorService ofSecond = second.executor().asExecutorService("tenant");
        List<Future<?>> tasks = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            tasks.add((i % 2 == 0 ? ofFirst : ofSecond).submit(this::work));
        }
        for (Future<?> task : tasks) {
            task.get();
        }
        assertThat(referee.most()).isBetween(1, LIMIT);
    }

    @Test
    void tasksOfAScopeThatRunInAGroup() {
        try (ThreadScope scope = ThreadScope.open().withGroups(first.executor());
                ThreadScope other = ThreadScope.open().withGroups(second.executor())) {
            List<Task<?>> tasks = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                tasks.add(scope.submitTo("tenant", this::work));
                tasks.add(other.submitTo("tenant", this::work));
            }
            tasks.forEach(Task::await);
        }
        assertThat(referee.most()).isBetween(1, LIMIT);
    }
}
