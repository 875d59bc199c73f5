package io.github.kobe.console;

import java.util.regex.Pattern;

/** Text that others have chosen, made fit for a log line. */
final class Printable {

    private static final int MAX_LENGTH = 100;

    /** Characters that could begin a line of the log or hide text. */
    private static final Pattern UNPRINTABLE = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Co}\\p{Cn}\\p{Zl}\\p{Zp}]");

    private Printable() {}

    static String of(String text) {
        String start = text.length() <= MAX_LENGTH ? text : text.substring(0, MAX_LENGTH) + "…";
        return UNPRINTABLE.matcher(start).replaceAll("?");
    }
}
