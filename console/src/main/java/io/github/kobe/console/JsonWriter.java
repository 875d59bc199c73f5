package io.github.kobe.console;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Writes JSON. What it writes is ASCII in one line, so that neither an encoding nor a line of a stream can be broken by a key. Not thread-safe.
 */
final class JsonWriter {

    private static final double NANOS_PER_MICRO = 1_000;
    private static final double MICROS_PER_MILLI = 1_000;
    private static final char FIRST_PRINTABLE = ' ';
    private static final char LAST_ASCII = '~';

    private final StringBuilder text = new StringBuilder(4096);
    private boolean needsComma;

    JsonWriter beginObject() {
        return open('{');
    }

    JsonWriter beginObject(String name) {
        return name(name).open('{');
    }

    JsonWriter endObject() {
        return close('}');
    }

    JsonWriter beginArray(String name) {
        return name(name).open('[');
    }

    JsonWriter endArray() {
        return close(']');
    }

    JsonWriter put(String name, @Nullable String value) {
        name(name);
        return value == null ? raw("null") : quoted(value);
    }

    JsonWriter put(String name, long value) {
        return name(name).raw(Long.toString(value));
    }

    JsonWriter put(String name, boolean value) {
        return name(name).raw(Boolean.toString(value));
    }

    /** Writes at most three decimal places. */
    JsonWriter put(String name, double value) {
        return name(name).raw(decimal(value));
    }

    /** Writes {@code null} for {@link Integer#MAX_VALUE}, which means that there is no limit. */
    JsonWriter putLimit(String name, int value) {
        name(name);
        return raw(value == Integer.MAX_VALUE ? "null" : Integer.toString(value));
    }

    /** Writes milliseconds. */
    JsonWriter put(String name, Duration value) {
        long micros = Math.round(value.toNanos() / NANOS_PER_MICRO);
        return put(name, micros / MICROS_PER_MILLI);
    }

    /** Writes an element of an array. */
    JsonWriter add(String value) {
        separate();
        return quoted(value);
    }

    private static String decimal(double value) {
        double rounded = Math.round(value * MICROS_PER_MILLI) / MICROS_PER_MILLI;
        long whole = (long) rounded;
        return rounded == whole ? Long.toString(whole) : Double.toString(rounded);
    }

    private JsonWriter name(String name) {
        separate();
        quoted(name);
        text.append(':');
        needsComma = false;
        return this;
    }

    private JsonWriter open(char bracket) {
        separate();
        text.append(bracket);
        needsComma = false;
        return this;
    }

    private JsonWriter close(char bracket) {
        text.append(bracket);
        needsComma = true;
        return this;
    }

    private void separate() {
        if (needsComma) {
            text.append(',');
        }
    }

    private JsonWriter raw(String value) {
        text.append(value);
        needsComma = true;
        return this;
    }

    private JsonWriter quoted(String value) {
        text.append('"');
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '"' || c == '\\') {
                text.append('\\').append(c);
            } else if (c >= FIRST_PRINTABLE && c <= LAST_ASCII && c != '<') {
                text.append(c);
            } else {
                text.append("\\u").append(String.format("%04x", (int) c));
            }
        }
        return raw("\"");
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
