package io.github.kobe;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

/** No text is made on the way of a call that gets its permit. It would be the largest part of the cost. */
class PermitAllocationTest {

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int CALLS = 1_000;
    private static final int LONG = 10_000;

    @Test
    void aCallWithLongNamesAllocatesNoMoreThanOneWithShortNames() throws Exception {
        long withShortNames = bytesPerCall("a");
        long withLongNames = bytesPerCall("a".repeat(LONG));

        assertThat(withLongNames - withShortNames)
                .as("%s bytes with long names, %s with short ones", withLongNames, withShortNames)
                .isLessThan(LONG);
    }

    private static long bytesPerCall(String name) throws Exception {
        GroupPolicy policy = GroupPolicy.builder().name(name).build();
        PermitOptions options = PermitOptions.builder().taskId(name).tag(name).build();
        Callable<String> task = () -> "done";
        try (GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(policy)) {
            executor.call(name, task, options); // creates the group
            long before = THREADS.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < CALLS; i++) {
                executor.call(name, task, options);
            }
            return (THREADS.getCurrentThreadAllocatedBytes() - before) / CALLS;
        }
    }
}
