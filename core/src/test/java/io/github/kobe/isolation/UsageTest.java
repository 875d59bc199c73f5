package io.github.kobe.isolation;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** How many places have others had? */
class UsageTest {

    private static final long WINDOW = 100;

    private final Usage usage = new Usage(WINDOW, 0);
    private final TenantShare one = new TenantShare();
    private final TenantShare other = new TenantShare();

    private void begin(TenantShare share, int tasks, long now) {
        for (int i = 0; i < tasks; i++) {
            share.begin(now);
            usage.began(share, now);
        }
    }

    private static void end(TenantShare share, int tasks, long now) {
        for (int i = 0; i < tasks; i++) {
            share.end(now, now);
        }
    }

    @Test
    void eachCountsAtItsMostAndNotForItself() {
        begin(one, 3, 1);
        end(one, 2, 2);
        begin(one, 1, 3);
        begin(other, 5, 4);
        assertThat(usage.ofOthers(one, 5)).isEqualTo(5);
        assertThat(usage.ofOthers(other, 5)).isEqualTo(3);
        assertThat(usage.ofOthers(new TenantShare(), 5)).isEqualTo(8);
    }

    @Test
    void whatWasHadInTheHalfBeforeCountsToo() {
        begin(one, 3, 1);
        begin(other, 2, 1);
        end(one, 3, 40);
        begin(one, 1, 60);
        assertThat(usage.ofOthers(other, 70)).isEqualTo(3);
        assertThat(usage.ofOthers(one, 70)).isEqualTo(2);
    }

    @Test
    void whatIsLongAgoDoesNot() {
        begin(one, 3, 1);
        end(one, 3, 2);
        assertThat(usage.ofOthers(other, 99)).isEqualTo(3);
        assertThat(usage.ofOthers(other, 101)).isZero();
        begin(other, 1, 10_000);
        assertThat(usage.ofOthers(one, 10_000)).isEqualTo(1);
        assertThat(usage.ofOthers(other, 10_000)).isZero();
    }
}
