package io.github.kobe;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Does a rejection have its reason and its numbers in text, exception and result? */
class RejectionTest {

    private static final Rejection FULL =
            new Rejection(RejectionReason.GROUP_QUEUE_FULL, 3, 10, 3, 10, Duration.ofMillis(5));
    private static final String FULL_TEXT =
            "group queue full (3 active, 10 queued, limit 3, queue threshold 10, waited 5 ms)";

    @Test
    void toStringHasTheReasonAndTheNumbers() {
        assertThat(FULL).hasToString(FULL_TEXT);
    }

    @Test
    void toStringShowsUnlimitedAndOmitsZeroWaitingTime() {
        assertThat(new Rejection(RejectionReason.EXPIRED, 1, 0, Integer.MAX_VALUE, Integer.MAX_VALUE, Duration.ZERO))
                .hasToString("expired (1 active, 0 queued, limit unlimited, queue threshold unlimited)");
    }

    @ParameterizedTest
    @CsvSource({
        "GROUP_QUEUE_FULL, group queue full",
        "GLOBAL_QUEUE_FULL, global queue full",
        "EXPIRED, expired",
        "PAUSED, paused"
    })
    void reasonTextIsInWords(RejectionReason reason, String words) {
        assertThat(new Rejection(reason, 0, 0, 1, 1, Duration.ZERO).toString()).startsWith(words + " (");
    }

    @Test
    void toStringNamesTheLimitAndTheEstimate() {
        assertThat(TestKit.rejection(
                        RejectionReason.EXPIRED,
                        LimitKind.GLOBAL,
                        4,
                        2,
                        4,
                        9,
                        Duration.ofMillis(5),
                        Duration.ofSeconds(2)))
                .hasToString("expired (4 active, 2 queued, global limit 4, queue threshold 9, waited 5 ms,"
                        + " estimated wait 2 s)");
        assertThat(TestKit.rejection(
                        RejectionReason.GROUP_QUEUE_FULL,
                        LimitKind.GROUP_IN_FLIGHT,
                        4,
                        2,
                        4,
                        2,
                        Duration.ZERO,
                        Duration.ZERO))
                .hasToString("group queue full (4 active, 2 queued, in-flight limit 4, queue threshold 2)");
    }

    @Test
    void toStringShowsHowManyPermitsOfASharedLimitAreHeld() {
        assertThat(new Rejection(
                        RejectionReason.GROUP_QUEUE_FULL,
                        LimitKind.LEASE,
                        3,
                        0,
                        10,
                        0,
                        Duration.ZERO,
                        Duration.ZERO,
                        "orders",
                        3,
                        "",
                        1))
                .hasToString(
                        "group queue full in 'orders' (3 active, 0 queued, limit 10, 3 leased, queue threshold 0)");
    }

    @Test
    void toStringAfterAShutdownHasNoNumbers() {
        assertThat(new Rejection(RejectionReason.SHUT_DOWN, 0, 0, 0, 0, Duration.ZERO))
                .hasToString("shut down");
        assertThat(new Rejection(RejectionReason.SHUT_DOWN, 0, 0, 0, 0, Duration.ofMillis(5)))
                .hasToString("shut down, waited 5 ms");
    }

    @Test
    void exceptionHasTheRejectionInItsMessageAndAsAnObject() {
        RejectedTaskException e = new RejectedTaskException("g", "t", FULL);
        assertThat(e).hasMessage("task 't' of group 'g' rejected: " + FULL_TEXT);
        assertThat(e.rejection()).isEqualTo(FULL);
        assertThat(e.reason()).isEqualTo(RejectionReason.GROUP_QUEUE_FULL);
        assertThat(e.groupKey()).isEqualTo("g");
        assertThat(e.taskId()).isEqualTo("t");
        assertThat(e.tag()).isEmpty();
    }

    @Test
    void exceptionShowsTheTagIfThereIsOne() {
        RejectedTaskException e = new RejectedTaskException("g", "t", "mail", FULL);
        assertThat(e).hasMessage("task 't' of group 'g' [mail] rejected: " + FULL_TEXT);
        assertThat(e.tag()).isEqualTo("mail");
    }

    @Test
    void exceptionFromTextHasNoRejection() {
        RejectedTaskException e = new RejectedTaskException("g", "t", "not today");
        assertThat(e).hasMessage("task 't' of group 'g' rejected: not today");
        assertThat(e.rejection()).isNull();
        assertThat(e.reason()).isNull();
    }

    @Test
    void rejectedResultHasTheRejectionAndNoError() {
        GroupResult<String> result = GroupResult.rejected("g", "t", FULL);
        assertThat(result.status()).isEqualTo(TaskStatus.REJECTED);
        assertThat(result.rejection()).isEqualTo(FULL);
        assertThat(result.error()).isNull();
        assertThat(result.durationNanos()).isZero();
    }

    @Test
    void otherResultsHaveNoRejection() {
        assertThat(GroupResult.rejected("g", "t").rejection()).isNull();
        assertThat(GroupResult.success("g", "t", "value", 0, 0).rejection()).isNull();
        assertThat(new GroupResult<>("g", "t", TaskStatus.SUCCESS, "value", null, 0, 0))
                .isEqualTo(GroupResult.success("g", "t", "value", 0, 0));
    }

    @Test
    void exceptionsAreSerializable() throws Exception {
        RejectedTaskException rejected = travelled(new RejectedTaskException("g", "t", "mail", FULL));
        assertThat(rejected.rejection()).isEqualTo(FULL);
        TaskTimeoutException late = travelled(
                new TaskTimeoutException("g", "t", "", Duration.ofMillis(1), Duration.ZERO, Duration.ofMillis(2)));
        assertThat(late.ran()).isEqualTo(Duration.ofMillis(2));
    }

    @SuppressWarnings({"unchecked", "BanSerializableRead"}) // the test has written the bytes itself
    private static <T> T travelled(T object) throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(object);
        }
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            return (T) in.readObject();
        }
    }
}
