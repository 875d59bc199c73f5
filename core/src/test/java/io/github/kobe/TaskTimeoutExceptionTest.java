package io.github.kobe;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Does a timeout name its task and its times? */
class TaskTimeoutExceptionTest {

    private static TaskTimeoutException timeout(String tag) {
        return new TaskTimeoutException(
                "g", "t", tag, Duration.ofMillis(100), Duration.ofMillis(12), Duration.ofMillis(101));
    }

    @Test
    void messageHasTaskTimeoutAndTimes() {
        assertThat(timeout(""))
                .hasMessage("task 't' of group 'g' exceeded its timeout of 100 ms: waited 12 ms, ran 101 ms");
        assertThat(timeout("mail"))
                .hasMessage("task 't' of group 'g' [mail] exceeded its timeout of 100 ms: waited 12 ms, ran 101 ms");
    }

    @Test
    void accessorsReturnTaskTimeoutAndTimes() {
        TaskTimeoutException e = timeout("mail");
        assertThat(e.groupKey()).isEqualTo("g");
        assertThat(e.taskId()).isEqualTo("t");
        assertThat(e.tag()).isEqualTo("mail");
        assertThat(e.timeout()).isEqualTo(Duration.ofMillis(100));
        assertThat(e.waited()).isEqualTo(Duration.ofMillis(12));
        assertThat(e.ran()).isEqualTo(Duration.ofMillis(101));
    }

    @Test
    void messageOfAnAttemptHasItsNumber() {
        TaskTimeoutException e = new TaskTimeoutException(
                "g", "t", "", Duration.ofMillis(100), Duration.ofMillis(12), Duration.ofMillis(101), 3);
        assertThat(e)
                .hasMessage(
                        "attempt 3 of task 't' of group 'g' exceeded its timeout of 100 ms: waited 12 ms, ran 101 ms");
        assertThat(e.attempt()).isEqualTo(3);
        assertThat(timeout("").attempt()).as("of the whole task").isZero();
    }

    @Test
    void hasNoStackTraceButAcceptsSuppressedExceptions() {
        TaskTimeoutException e = timeout("");
        Exception earlier = new Exception("earlier attempt");
        e.addSuppressed(earlier);
        assertThat(e.getStackTrace()).isEmpty();
        assertThat(e.getSuppressed()).containsExactly(earlier);
    }
}
