package io.github.kobe.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Does another reader read what was written? */
class JsonWriterTest {

    @Test
    void objectsAndArraysAreNested() {
        JsonWriter json = new JsonWriter().beginObject().put("a", 1).beginArray("b");
        json.beginObject().put("c", true).endObject().beginObject().endObject().add("text");
        json.endArray().beginObject("d").put("e", (String) null).endObject().put("f", "g");
        String text = json.endObject().toString();
        assertThat(text).isEqualTo("{\"a\":1,\"b\":[{\"c\":true},{},\"text\"],\"d\":{\"e\":null},\"f\":\"g\"}");
        assertThat(ConsoleKit.json(text).get("b")).hasSize(3);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "plain",
                "",
                "\"quoted\" \\ back",
                "line\nbreak\r\u2028\u2029\u0000\u001f\u007f",
                "</script><img src=x onerror=alert(1)>",
                "grün 中文 😀"
            })
    void everyTextIsReadAsItWas(String text) {
        String json = new JsonWriter().beginObject().put(text, text).endObject().toString();
        assertThat(json).matches("\\p{ASCII}*").doesNotContain("<", "\n", "\r");
        JsonNode read = ConsoleKit.json(json);
        assertThat(read.get(text).asText()).isEqualTo(text);
    }

    @Test
    void halfOfACharacterIsReadAsItWas() {
        String json =
                new JsonWriter().beginObject().put("a", "\ud800x").endObject().toString();
        assertThat(json).isEqualTo("{\"a\":\"\\ud800x\"}");
        assertThat(JsonReader.read(json)).containsEntry("a", "\ud800x");
    }

    @Test
    void numbersHaveAtMostThreeDecimalPlaces() {
        String json = new JsonWriter()
                .beginObject()
                .put("whole", 3.0)
                .put("third", 1 / 3.0)
                .put("large", 12_345_678.9)
                .put("time", Duration.ofNanos(1_234_567))
                .put("day", Duration.ofDays(1))
                .putLimit("limit", 7)
                .putLimit("none", Integer.MAX_VALUE)
                .endObject()
                .toString();
        JsonNode read = ConsoleKit.json(json);
        assertThat(read.get("whole").toString()).isEqualTo("3");
        assertThat(read.get("third").asDouble()).isEqualTo(0.333);
        assertThat(read.get("large").asDouble()).isEqualTo(12_345_678.9);
        assertThat(read.get("time").asDouble()).isEqualTo(1.235);
        assertThat(read.get("day").asLong()).isEqualTo(86_400_000);
        assertThat(read.get("limit").asInt()).isEqualTo(7);
        assertThat(read.get("none").isNull()).isTrue();
    }
}
