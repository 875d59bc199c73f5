package io.github.kobe.examples.logs;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupResult;
import io.github.kobe.RejectionHandler;
import io.github.kobe.RetryPolicy;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskOptions;
import io.github.kobe.context.MdcCarrier;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/** Log lines of tasks carry the request and the tenant of the thread that submitted them: in the queue, in a retry and in a fallback. */
public final class LogsWithMdc {

    private static final Logger log = LoggerFactory.getLogger(LogsWithMdc.class);

    private final CountDownLatch slowReport = new CountDownLatch(1);
    private final AtomicInteger attempts = new AtomicInteger();
    private final GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder()
            .defaultMaxConcurrencyPerGroup(1)
            .defaultQueueThresholdPerGroup(1)
            .rejectionHandler(new OldReport())
            .contextCarrier(MdcCarrier.create())
            .build());

    private LogsWithMdc() {}

    /** Runs four requests of two tenants. */
    public static void main(String[] args) throws Exception {
        new LogsWithMdc().run();
    }

    private void run() throws Exception {
        try (executor) {
            TaskHandle<String> first = request("r-1", "alice", () -> executor.submit("alice", this::slowReport));
            TaskHandle<String> queued = request("r-2", "alice", () -> executor.submit("alice", this::report));
            TaskHandle<String> tooMany = request("r-3", "alice", () -> executor.submit("alice", this::report));
            tooMany.await();
            TaskOptions retries =
                    TaskOptions.builder().retry(RetryPolicy.attempts(3)).build();
            request("r-4", "bob", () -> executor.submit("bob", this::flakyReport, retries))
                    .await();
            slowReport.countDown();
            first.await();
            queued.await();
        }
    }

    /** What a web framework does for each request, usually in a filter. */
    private static <T> T request(String id, String tenant, Callable<T> handler) throws Exception {
        MDC.put("request", id);
        MDC.put("tenant", tenant);
        try {
            log.info("request received");
            return handler.call();
        } finally {
            MDC.clear();
        }
    }

    private String slowReport() throws InterruptedException {
        slowReport.await();
        log.info("slow report is ready");
        return "slow report";
    }

    private String report() {
        log.info("report is ready, after a while in the queue");
        return "report";
    }

    private String flakyReport() {
        int attempt = attempts.incrementAndGet();
        if (attempt < 3) {
            log.info("attempt {} failed", attempt);
            throw new IllegalStateException("the database is busy");
        }
        log.info("attempt {} succeeded", attempt);
        return "report";
    }

    /** The queue of the tenant is full. */
    private static final class OldReport implements RejectionHandler {
        @Override
        public <T> GroupResult<T> onRejected(String groupKey, String taskId, Callable<T> task) {
            log.info("too many requests, the client gets the report of yesterday");
            return GroupResult.rejected(groupKey, taskId);
        }
    }
}
