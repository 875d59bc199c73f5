package io.github.kobe.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.Permit;
import io.github.kobe.PermitResult;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.fleet.TestNodes.Node;
import io.github.kobe.internal.kernel.PermitLeases;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Is the first caller of a group served although no permit is held yet, and although it is not to be queued? */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class FleetColdGroupTest {

    private static final int GROUPS = 20;

    private final TestNodes nodes = new TestNodes();

    @AfterEach
    void close() {
        nodes.close();
    }

    /** On a busy machine an answer may take longer than a caller waits for it. But no caller is rejected without having waited. */
    @ParameterizedTest
    @ValueSource(strings = {"PT0S", "PT1M"})
    void taskIsAdmittedWithAQueueThresholdOfZero(Duration idleGroupTtl) throws Exception {
        Node node = nodes.add(policy -> policy.defaultMaxConcurrencyPerGroup(1)
                .defaultQueueThresholdPerGroup(0)
                .idleGroupTtl(idleGroupTtl));
        int admitted = 0;
        for (int i = 0; i < GROUPS; i++) {
            String key = "tenant-" + i;
            if (isServedOrWaits(() -> isAdmitted(node, key))) {
                admitted++;
            }
        }
        assertThat(admitted).isPositive();
    }

    private static boolean isAdmitted(Node node, String group) {
        try {
            return node.executor().submit(group, "task", () -> {}).join().isSuccess();
        } catch (RejectedTaskException e) {
            assertThat(e.rejection().leased()).isZero();
            return false;
        }
    }

    /** As {@code attempt} says, which is true if the caller was served. If not, the caller has waited for the first answer. */
    private static boolean isServedOrWaits(Callable<Boolean> attempt) throws Exception {
        long start = System.nanoTime();
        boolean served = attempt.call();
        assertThat(served || System.nanoTime() - start >= PermitLeases.DEFAULT_FIRST_ANSWER_NANOS)
                .as("served, or rejected after the wait")
                .isTrue();
        return served;
    }

    @Test
    void permitIsGrantedToACallerThatDoesNotWait() throws Exception {
        Node node = nodes.add(policy -> policy.defaultMaxConcurrencyPerGroup(1));
        int granted = 0;
        for (int i = 0; i < GROUPS; i++) {
            String key = "tenant-" + i;
            if (isServedOrWaits(() -> isGranted(node, key))) {
                granted++;
            }
        }
        assertThat(granted).isPositive();
    }

    private static boolean isGranted(Node node, String key) throws InterruptedException {
        PermitResult result = node.executor().tryAcquire(key, Duration.ZERO);
        if (result.isGranted()) {
            result.permit().close();
        }
        return result.isGranted();
    }

    @Test
    void callerIsRejectedIfAnotherNodeHasThePermit() throws Exception {
        Node first = nodes.add(policy -> policy.defaultMaxConcurrencyPerGroup(1));
        Node second =
                nodes.add(policy -> policy.defaultMaxConcurrencyPerGroup(1).defaultQueueThresholdPerGroup(0));
        try (Permit permit = first.executor().acquire("tenant")) {
            assertThat(second.executor().tryAcquire("tenant", Duration.ZERO).isGranted())
                    .isFalse();
            assertThat(isAdmitted(second, "tenant")).isFalse();
        }
    }
}
