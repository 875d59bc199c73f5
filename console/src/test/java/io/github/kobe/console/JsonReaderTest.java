package io.github.kobe.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What does the reader accept? */
class JsonReaderTest {

    @Test
    void textsNumbersFlagsAndNullAreRead() {
        assertThat(JsonReader.read(" { \"a\" : \"x\" , \"b\":-12,\"c\":true,\"d\":false,\"e\":null,\"f\":0 }\n"))
                .containsEntry("a", "x")
                .containsEntry("b", -12L)
                .containsEntry("c", true)
                .containsEntry("d", false)
                .containsEntry("e", null)
                .containsEntry("f", 0L)
                .hasSize(6);
        assertThat(JsonReader.read("{}")).isEmpty();
    }

    @Test
    void escapesAreRead() {
        assertThat(JsonReader.read("{\"a\":\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e4\\uD83D\\uDE00\"}"))
                .containsEntry("a", "\"\\/\b\f\n\r\tä😀");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{",
                "{\"a\"",
                "{\"a\":",
                "{\"a\":1",
                "{\"a\":1,",
                "{\"a\":1,}",
                "{\"a\" 1}",
                "{a:1}",
                "[]",
                "1",
                "{\"a\":{}}",
                "{\"a\":[]}",
                "{\"a\":1.5}",
                "{\"a\":1e3}",
                "{\"a\":01}",
                "{\"a\":-}",
                "{\"a\":99999999999999999999}",
                "{\"a\":1} x",
                "{\"a\":1}{}",
                "{\"a\":tru}",
                "{\"a\":\"x}",
                "{\"a\":\"\\x\"}",
                "{\"a\":\"\\u12\"}",
                "{\"a\":\"\\u12g4\"}",
                "{\"a\":\"\\u\u0661\u0661\u0661\u0661\"}",
                "{\"a\":\"line\nbreak\"}",
                "{\"a\":1,\"a\":2}"
            })
    void everythingElseIsRefused(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> JsonReader.read(text));
    }

    /** Whatever is sent, the reader returns or throws what the caller expects. */
    @Test
    void randomTextIsReadOrRefused() {
        SplittableRandom random = new SplittableRandom(7);
        String alphabet = "{}[]\":,\\u0019aftn -.e\n";
        for (int i = 0; i < 200_000; i++) {
            StringBuilder text = new StringBuilder("{");
            for (int length = random.nextInt(14); length > 0; length--) {
                text.append(alphabet.charAt(random.nextInt(alphabet.length())));
            }
            try {
                assertThat(JsonReader.read(text.toString())).isNotNull();
            } catch (IllegalArgumentException expected) {
                assertThat(expected).hasMessageContaining("JSON");
            }
        }
    }
}
