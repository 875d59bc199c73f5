package io.github.kobe.spring.boot;

import java.util.regex.Pattern;

/** Text for log lines that may contain keys and names which others choose. */
final class LogText {

    private static final int MAX_LENGTH = 300;

    /** What could begin a line or hide text. */
    private static final Pattern UNPRINTABLE = Pattern.compile("[\\p{C}\\p{Zl}\\p{Zp}]");

    private LogText() {}

    /** Returns the text on one line, and not too long. */
    static String of(String text) {
        String start = text.length() <= MAX_LENGTH ? text : text.substring(0, MAX_LENGTH) + "…";
        return UNPRINTABLE.matcher(start).replaceAll("?");
    }
}
