package io.github.kobe.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.internal.kernel.PermitLeases;
import org.junit.jupiter.api.Test;

/** What does the kernel read about the permits of a group while answers of the store and pushes come in any order? */
@SuppressWarnings("NullAway") // a group alone needs no session
class MemberGroupTest {

    private final MemberGroup group = new MemberGroup("tenant", null, "name", null);

    @Test
    void itIsNotKnownHowManyPermitsThereAreUntilTheFirstAnswer() {
        group.bind(0);
        assertThat(group.leased()).isEqualTo(PermitLeases.UNKNOWN);

        assertThat(group.answered()).isTrue();
        assertThat(group.leased()).isZero();
    }

    /** The kernel would go on to use permits that the node has returned, and another node has. */
    @Test
    void permitsOfAPushBeforeTheFirstAnswerAreTakenAway() {
        group.bind(3);
        assertThat(group.leased()).isEqualTo(3);

        group.bind(0);
        assertThat(group.leased()).isZero();

        assertThat(group.answered()).isFalse();
        assertThat(group.leased()).isZero();
    }

    @Test
    void permitsAreNotKnownAgainAfterTheGroupWasClosed() {
        group.answered();
        group.bind(3);

        group.closed();
        group.bind(0);

        assertThat(group.leased()).isEqualTo(PermitLeases.UNKNOWN);
    }
}
