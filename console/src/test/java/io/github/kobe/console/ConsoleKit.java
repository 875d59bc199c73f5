package io.github.kobe.console;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.UnaryOperator;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.awaitility.Awaitility;
import org.awaitility.core.ThrowingRunnable;

/** Shared by the tests. */
final class ConsoleKit {

    /** The longest wait; only a bug takes longer. */
    static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final ObjectMapper JSON = new ObjectMapper();

    private ConsoleKit() {}

    static GroupExecutor executor(UnaryOperator<GroupPolicy.Builder> settings) {
        return GroupExecutor.newVirtualThreadExecutor(
                settings.apply(GroupPolicy.builder().name("orders")).build());
    }

    static void eventually(ThrowingRunnable assertion) {
        Awaitility.await()
                .atMost(PATIENCE)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(10))
                .untilAsserted(assertion);
    }

    static JsonNode json(String text) {
        try {
            return JSON.readTree(text);
        } catch (JsonProcessingException e) {
            throw new AssertionError("not JSON: " + text, e);
        }
    }

    /** Tasks that run until they are released. */
    static final class Blocker {

        private final CountDownLatch released = new CountDownLatch(1);

        /** Submits as many tasks, and returns when as many as may run are running. */
        static Blocker in(GroupExecutor executor, String group, int tasks) {
            Blocker blocker = new Blocker();
            for (int i = 0; i < tasks; i++) {
                executor.submit(group, "task-" + i, blocker::run);
            }
            eventually(() -> {
                var stats = executor.groupStats(group).orElseThrow();
                if (stats.activeCount() + stats.queuedCount() + stats.counts().rejected() < tasks
                        || executor.runningTasks(group).size() < stats.activeCount()) {
                    throw new AssertionError("not all tasks are there: " + stats);
                }
            });
            return blocker;
        }

        boolean run() throws InterruptedException {
            released.await();
            return true;
        }

        void release() {
            released.countDown();
        }
    }

    /** What the console logs while this is open. */
    static final class Log implements AutoCloseable {

        private final List<String> lines = new ArrayList<>();
        private final Logger logger = Logger.getLogger("io.github.kobe.console");
        private final Handler handler = new Handler() {
            @Override
            public void publish(LogRecord record) {
                synchronized (lines) {
                    String message = record.getParameters() == null
                            ? record.getMessage()
                            : java.text.MessageFormat.format(record.getMessage(), record.getParameters());
                    lines.add(record.getLevel() + " " + message);
                }
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };

        Log() {
            logger.addHandler(handler);
            logger.setUseParentHandlers(false);
        }

        List<String> lines() {
            synchronized (lines) {
                return List.copyOf(lines);
            }
        }

        @Override
        public void close() {
            logger.removeHandler(handler);
            logger.setUseParentHandlers(true);
        }
    }
}
