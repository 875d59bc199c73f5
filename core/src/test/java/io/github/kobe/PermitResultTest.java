package io.github.kobe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Is the answer to a request for a permit either a permit or a rejection? */
class PermitResultTest {

    private static final Rejection FULL =
            new Rejection(RejectionReason.GROUP_QUEUE_FULL, 3, 10, 3, 10, Duration.ofMillis(5));

    private static final class CountingPermit implements Permit {
        private int closed;

        @Override
        public Permit detach() {
            return this;
        }

        @Override
        public String groupKey() {
            return "g";
        }

        @Override
        public void close() {
            closed++;
        }

        @Override
        public String toString() {
            return "permit of group 'g'";
        }
    }

    private final CountingPermit permit = new CountingPermit();

    @Test
    void grantedResultHasThePermitAndNoRejection() {
        PermitResult result = PermitResult.granted(permit);
        assertThat(result.isGranted()).isTrue();
        assertThat(result.permit()).isSameAs(permit);
        assertThat(result.rejection()).isNull();
        assertThat(result).hasToString("permit of group 'g'");
    }

    @Test
    void closingTheResultClosesThePermit() {
        PermitResult result = PermitResult.granted(permit);
        try (result) {
            assertThat(permit.closed).isZero();
        }
        assertThat(permit.closed).isEqualTo(1);
        assertThat(result.isGranted()).as("it was granted").isTrue();
    }

    @Test
    void rejectedResultHasTheRejectionAndThrowsItWithTheNames() {
        PermitResult result = PermitResult.rejected("g", "upload", "bulk", FULL);
        result.close();
        assertThat(result.isGranted()).isFalse();
        assertThat(result.rejection()).isEqualTo(FULL);
        assertThat(result)
                .hasToString("no permit of group 'g': group queue full (3 active, 10 queued, limit 3, queue threshold"
                        + " 10, waited 5 ms)");
        RejectedTaskException e = catchThrowableOfType(RejectedTaskException.class, result::permit);
        assertThat(e.groupKey()).isEqualTo("g");
        assertThat(e.taskId()).isEqualTo("upload");
        assertThat(e.tag()).isEqualTo("bulk");
        assertThat(e.rejection()).isEqualTo(FULL);
    }

    @Test
    void nullArgumentsThrowWithTheirNames() {
        assertThatNullPointerException()
                .isThrownBy(() -> PermitResult.granted(null))
                .withMessage("permit");
        assertThatNullPointerException()
                .isThrownBy(() -> PermitResult.rejected("g", "t", "", null))
                .withMessage("rejection");
    }
}
