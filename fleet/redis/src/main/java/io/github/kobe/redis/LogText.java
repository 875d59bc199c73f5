package io.github.kobe.redis;

/** Names for log lines and terminals. They may be chosen by an attacker, so they cannot begin a line or move the cursor. */
final class LogText {

    private static final int MAX_LENGTH = 200;

    private LogText() {}

    /** Returns the text without control characters, and not longer than a line. */
    static String of(String text) {
        StringBuilder safe = new StringBuilder();
        text.codePoints().limit(MAX_LENGTH).forEach(c -> {
            if (isSafe(c)) {
                safe.appendCodePoint(c);
            } else {
                safe.append(String.format("\\u%04x", c));
            }
        });
        return text.codePointCount(0, text.length()) > MAX_LENGTH ? safe + "…" : safe.toString();
    }

    private static boolean isSafe(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR -> false;
            default -> c != '\\';
        };
    }
}
