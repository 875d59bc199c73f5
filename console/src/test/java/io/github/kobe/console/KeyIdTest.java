package io.github.kobe.console;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Does an id name one key, and can it be part of an address? */
class KeyIdTest {

    @ParameterizedTest
    @ValueSource(strings = {"", "a", "tenant-1", "a/b?c#d&e=f", "<img src=x>", "grün 中文 😀", "\ud800", "line\nbreak"})
    void idOfAKeyMatchesThatKey(String key) {
        String text = KeyId.of(key).toString();
        assertThat(text).matches("[0-9a-f]{40}");
        KeyId id = KeyId.parse(text);
        assertThat(id).isNotNull();
        assertThat(id.matches(key)).isTrue();
        assertThat(id.matches(key + "x")).isFalse();
    }

    @Test
    void longKeyHasAShortId() {
        String key = "x".repeat(1_000_000);
        assertThat(KeyId.of(key).toString()).hasSize(40);
        assertThat(KeyId.of(key).matches("x".repeat(999_999))).isFalse();
    }

    @Test
    void keysWithTheSameHashCodeDiffer() {
        assertThat("Aa".hashCode()).isEqualTo("BB".hashCode());
        assertThat(KeyId.of("Aa").matches("BB")).isFalse();
    }

    @Test
    void keysThatDifferInHalfACharacterDiffer() {
        assertThat(KeyId.of("\ud800").matches("\ud801")).isFalse();
        assertThat(KeyId.of("\ud800").matches("?")).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "0", "g123456789012345678901234567890123456789", "01234567890123456789012345678901234567890"
            })
    void otherTextIsNoId(String text) {
        assertThat(KeyId.parse(text)).isNull();
    }
}
