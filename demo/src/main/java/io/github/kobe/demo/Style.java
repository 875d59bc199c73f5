package io.github.kobe.demo;

import java.io.PrintStream;

/** Signs and colours that the output can show. */
record Style(String busy, String free, String waiting, String more, String rule, boolean colours) {

    private static final String ESC = "\033[";

    static Style of(PrintStream out) {
        boolean colours = System.getenv("NO_COLOR") == null;
        return out.charset().newEncoder().canEncode("█·▒…─")
                ? new Style("█", "·", "▒", "…", "─", colours)
                : new Style("#", ".", "-", "+", "-", colours);
    }

    String green(String text) {
        return paint("32", text);
    }

    String yellow(String text) {
        return paint("33", text);
    }

    String dim(String text) {
        return paint("2", text);
    }

    String bold(String text) {
        return paint("1", text);
    }

    private String paint(String code, String text) {
        return colours && !text.isEmpty() ? ESC + code + "m" + text + ESC + "0m" : text;
    }
}
