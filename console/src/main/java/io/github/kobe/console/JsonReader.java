package io.github.kobe.console;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Reads an object whose values are strings, whole numbers, true, false or null. That is all that the console is sent. Anything else, such as a nested
 * object, a fraction or a name that occurs twice, is an {@link IllegalArgumentException}. The caller bounds the length of the text.
 */
final class JsonReader {

    private static final int HEX = 16;
    private static final int UNICODE_DIGITS = 4;

    private final String text;
    private int at;

    private JsonReader(String text) {
        this.text = text;
    }

    /** Returns the values by name, each a {@link String}, a {@link Long}, a {@link Boolean} or {@code null}. */
    static Map<String, @Nullable Object> read(String text) {
        JsonReader reader = new JsonReader(Objects.requireNonNull(text, "text"));
        Map<String, @Nullable Object> object = reader.object();
        reader.skipSpace();
        if (reader.at < text.length()) {
            throw reader.unexpected();
        }
        return object;
    }

    private Map<String, @Nullable Object> object() {
        Map<String, @Nullable Object> values = new HashMap<>();
        expect('{');
        if (tryTake('}')) {
            return values;
        }
        do {
            skipSpace();
            String name = string();
            expect(':');
            if (values.containsKey(name)) {
                throw new IllegalArgumentException("the JSON has a name twice");
            }
            values.put(name, value());
        } while (tryTake(','));
        expect('}');
        return values;
    }

    private @Nullable Object value() {
        skipSpace();
        char c = peek();
        if (c == '"') {
            return string();
        }
        if (c == '-' || isDigit(c)) {
            return number();
        }
        return word();
    }

    private @Nullable Object word() {
        if (text.startsWith("true", at)) {
            at += "true".length();
            return true;
        }
        if (text.startsWith("false", at)) {
            at += "false".length();
            return false;
        }
        if (text.startsWith("null", at)) {
            at += "null".length();
            return null;
        }
        throw unexpected();
    }

    private Long number() {
        int start = at++;
        while (at < text.length() && isDigit(text.charAt(at))) {
            at++;
        }
        if (at < text.length() && ".eE".indexOf(text.charAt(at)) >= 0) {
            throw new IllegalArgumentException("a number in the JSON must be a whole number");
        }
        String digits = text.substring(start, at);
        if (digits.matches("-?0\\d+")) {
            throw unexpected();
        }
        try {
            return Long.valueOf(digits);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("a number in the JSON is too large, or has no digits", e);
        }
    }

    private String string() {
        take('"');
        StringBuilder value = new StringBuilder();
        while (peek() != '"') {
            char c = text.charAt(at++);
            if (c < ' ') {
                throw unexpected();
            }
            value.append(c == '\\' ? escaped() : c);
        }
        at++;
        return value.toString();
    }

    private char escaped() {
        char c = peek();
        at++;
        return switch (c) {
            case '"', '\\', '/' -> c;
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'u' -> unicode();
            default -> throw unexpected();
        };
    }

    private char unicode() {
        int code = 0;
        for (int i = 0; i < UNICODE_DIGITS; i++) {
            int digit = Character.digit(peek(), HEX);
            if (digit < 0 || peek() > 'f') { // other scripts have digits too
                throw unexpected();
            }
            code = code * HEX + digit;
            at++;
        }
        return (char) code;
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private void expect(char c) {
        skipSpace();
        take(c);
    }

    private void take(char c) {
        if (peek() != c) {
            throw unexpected();
        }
        at++;
    }

    private boolean tryTake(char c) {
        skipSpace();
        if (at < text.length() && text.charAt(at) == c) {
            at++;
            return true;
        }
        return false;
    }

    private void skipSpace() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
    }

    private char peek() {
        if (at >= text.length()) {
            throw unexpected();
        }
        return text.charAt(at);
    }

    private IllegalArgumentException unexpected() {
        return new IllegalArgumentException(
                at >= text.length() ? "the JSON ends too early" : "the JSON is wrong at position " + at);
    }
}
