package io.github.kobe.console;

import java.util.regex.Pattern;

/** Text that others have chosen, made fit for a log line or a message. */
final class Printable {

    private static final int MAX_LENGTH = 100;
    private static final int MAX_MESSAGE = 500;

    /** Characters that could begin a line of the log or hide text. */
    private static final Pattern UNPRINTABLE = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Co}\\p{Cn}\\p{Zl}\\p{Zp}]");

    private Printable() {}

    static String of(String text) {
        return of(text, MAX_LENGTH);
    }

    /** As {@link #of(String)}, for a text of ours that contains one of others. */
    static String message(String text) {
        return of(text, MAX_MESSAGE);
    }

    private static String of(String text, int maxLength) {
        String start = text.length() <= maxLength ? text : text.substring(0, maxLength) + "…";
        return UNPRINTABLE.matcher(start).replaceAll("?");
    }
}
