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

/** Does the queue keep its order when keys are removed, and does its memory follow the number of keys? */
class KeyFifoTest {

    private final KeyFifo fifo = new KeyFifo();

    private List<KeyState> content() {
        List<KeyState> content = new ArrayList<>();
        fifo.forEach(content::add);
        return content;
    }

    private List<KeyState> filled(int number) {
        List<KeyState> keys = new ArrayList<>();
        for (int i = 0; i < number; i++) {
            KeyState key = new KeyState();
            keys.add(key);
            fifo.add(key);
        }
        return keys;
    }

    @Test
    void emptyQueueHasNoFirstKey() {
        assertThat(fifo.isEmpty()).isTrue();
        assertThat(fifo.first()).isNull();
    }

    @Test
    void firstInIsFirstOut() {
        List<KeyState> keys = filled(20);
        for (KeyState key : keys) {
            assertThat(fifo.first()).isSameAs(key);
            fifo.remove(key);
        }
        assertThat(fifo.isEmpty()).isTrue();
    }

    /** Compared with a linked hash set, for several rates of additions. */
    @ParameterizedTest
    @ValueSource(doubles = {0.3, 0.5, 0.6, 0.9})
    void anyKeyCanBeRemovedAtAnyTime(double additions) {
        Random random = new Random(7);
        Set<KeyState> expected = new LinkedHashSet<>();
        List<KeyState> queued = new ArrayList<>();
        for (int step = 0; step < 3000; step++) {
            if (queued.isEmpty() || random.nextDouble() < additions) {
                KeyState key = new KeyState();
                fifo.add(key);
                expected.add(key);
                queued.add(key);
            } else {
                KeyState key = queued.remove(random.nextInt(queued.size()));
                fifo.remove(key);
                expected.remove(key);
            }
            assertThat(fifo.isEmpty()).isEqualTo(expected.isEmpty());
            assertThat(fifo.first())
                    .isSameAs(expected.isEmpty() ? null : expected.iterator().next());
        }
        assertThat(content()).containsExactlyElementsOf(expected);
    }

    /** One key stays at the head while many others are added and removed behind it. */
    @Test
    void doesNotGrowByRemovedKeys() {
        KeyState stays = filled(1).getFirst();
        for (int i = 0; i < 10_000; i++) {
            KeyState removed = new KeyState();
            fifo.add(removed);
            fifo.remove(removed);
        }
        assertThat(fifo.first()).isSameAs(stays);
        assertThat(fifo.slots()).isLessThan(20);
    }

    @Test
    void shrinksWhenMostKeysAreRemoved() {
        List<KeyState> keys = filled(1000);
        keys.subList(0, 998).forEach(fifo::remove);
        assertThat(fifo.slots()).isLessThan(20);
        assertThat(content()).containsExactlyElementsOf(keys.subList(998, 1000));
    }

    @Test
    void shrinksWhenAllKeysAreRemoved() {
        filled(1000).reversed().forEach(fifo::remove);
        assertThat(fifo.slots()).isLessThan(20);
    }
}
