package io.github.kobe.spring.boot;

import static io.github.kobe.spring.boot.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.TaskHandle;
import io.github.kobe.spring.boot.TenantApplication.Gate;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.event.ContextClosedEvent;

/** What becomes of requests and tasks of a real application that is closed under load? */
class ShutdownUnderLoadTest {

    @Test
    void requestsInProgressCanStillSubmitTasksAndEverythingCompletes() throws InterruptedException {
        try (LogRecords log = LogRecords.start()) {
            ConfigurableApplicationContext context = TenantApplication.start(TenantApplication.NO_SECURITY);
            Http http = Http.to(context);
            Gate gate = context.getBean(Gate.class);
            GroupExecutor executor = context.getBean(GroupExecutor.class);
            CountDownLatch closing = new CountDownLatch(1);
            context.addApplicationListener(event -> {
                if (event instanceof ContextClosedEvent) {
                    closing.countDown();
                }
            });
            gate.shut();
            List<CompletableFuture<HttpResponse<String>>> responses = new ArrayList<>();
            List<TaskHandle<?>> handles = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                responses.add(http.start(http.request("/task?tenant=acme")));
                responses.add(http.start(http.request("/orders?tenant=globex")));
                handles.add(executor.submit("initech", () -> {
                    gate.pass("initech");
                    return 1;
                }));
            }
            eventually().untilAsserted(() -> {
                assertThat(gate.max("acme")).as("requests in the controller").isEqualTo(10);
                assertThat(executor.groupStats("orders:globex").orElseThrow().queuedCount())
                        .isEqualTo(9);
            });

            Thread closer = Thread.ofPlatform().start(context::close);
            closing.await();
            gate.open();
            closer.join();

            assertThat(responses)
                    .allSatisfy(response -> assertThat(response.join().body()).isIn("done", "orders of globex"));
            assertThat(handles)
                    .allSatisfy(handle -> assertThat(handle.await().isSuccess()).isTrue());
            assertThat(log.texts()).isEmpty();
        }
    }
}
