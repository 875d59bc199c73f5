package io.github.kobe.isolation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Does a line keep its order, whoever is taken out of it, and does it need no more memory than those who are in it? */
class KeyFifoTest {

    private final KeyFifo ring = new KeyFifo();

    private List<KeyState> content() {
        List<KeyState> content = new ArrayList<>();
        ring.forEach(content::add);
        return content;
    }

    private List<KeyState> filled(int number) {
        List<KeyState> shares = new ArrayList<>();
        for (int i = 0; i < number; i++) {
            KeyState share = new KeyState();
            shares.add(share);
            ring.add(share);
        }
        return shares;
    }

    @Test
    void nobodyIsFirstInAnEmptyLine() {
        assertThat(ring.isEmpty()).isTrue();
        assertThat(ring.first()).isNull();
    }

    @Test
    void firstInIsFirst() {
        List<KeyState> shares = filled(20);
        for (KeyState share : shares) {
            assertThat(ring.first()).isSameAs(share);
            ring.remove(share);
        }
        assertThat(ring.isEmpty()).isTrue();
    }

    /** As a set that remembers the order does, at any mix of coming and going. */
    @ParameterizedTest
    @ValueSource(doubles = {0.3, 0.5, 0.6, 0.9})
    void anyMayLeaveAtAnyTime(double comes) {
        Random random = new Random(7);
        Set<KeyState> expected = new LinkedHashSet<>();
        List<KeyState> inside = new ArrayList<>();
        for (int step = 0; step < 3000; step++) {
            if (inside.isEmpty() || random.nextDouble() < comes) {
                KeyState share = new KeyState();
                ring.add(share);
                expected.add(share);
                inside.add(share);
            } else {
                KeyState share = inside.remove(random.nextInt(inside.size()));
                ring.remove(share);
                expected.remove(share);
            }
            assertThat(ring.isEmpty()).isEqualTo(expected.isEmpty());
            assertThat(ring.first())
                    .isSameAs(expected.isEmpty() ? null : expected.iterator().next());
        }
        assertThat(content()).containsExactlyElementsOf(expected);
    }

    /** One who stays at the front, with many who come and go behind, would otherwise make it longer and longer. */
    @Test
    void doesNotGrowByThoseWhoHaveLeft() {
        KeyState stays = filled(1).getFirst();
        for (int i = 0; i < 10_000; i++) {
            KeyState passesBy = new KeyState();
            ring.add(passesBy);
            ring.remove(passesBy);
        }
        assertThat(ring.first()).isSameAs(stays);
        assertThat(ring.slots()).isLessThan(20);
    }

    @Test
    void isSmallAgainWhenMostHaveLeft() {
        List<KeyState> shares = filled(1000);
        shares.subList(0, 998).forEach(ring::remove);
        assertThat(ring.slots()).isLessThan(20);
        assertThat(content()).containsExactlyElementsOf(shares.subList(998, 1000));
    }

    @Test
    void isSmallAgainWhenAllHaveLeft() {
        filled(1000).reversed().forEach(ring::remove);
        assertThat(ring.slots()).isLessThan(20);
    }
}
