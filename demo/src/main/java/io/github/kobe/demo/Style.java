package io.github.kobe.demo;

import java.io.PrintStream;

/**
 * The characters and colours that the output supports.
 *
 * @param blocks the characters for a cell of a bar, from nearly empty to full
 * @param remaining a cell of the progress bar that is not reached yet
 * @param rule one character of a horizontal rule
 * @param dot a separator
 * @param colours whether the output supports colours
 */
record Style(String blocks, String remaining, String rule, String dot, boolean colours) {

    private static final String ESC = "\033[";

    static Style of(PrintStream out) {
        return of(out.charset().newEncoder().canEncode("▏▎▍▌▋▊▉█░─·"), System.getenv("NO_COLOR") == null);
    }

    static Style of(boolean unicode, boolean colours) {
        return unicode ? new Style("▏▎▍▌▋▊▉█", "░", "─", "·", colours) : new Style("#", ".", "-", "-", colours);
    }

    Style withoutColours() {
        return new Style(blocks, remaining, rule, dot, false);
    }

    /** Returns a bar, padded with blanks to a width of {@code cells}. A fraction above 0 is always visible. */
    String bar(double fraction, int cells) {
        int steps = blocks.length();
        int filled = (int) Math.min((long) cells * steps, (long) Math.ceil(fraction * cells * steps));
        String last = filled % steps == 0 ? "" : blocks.substring(filled % steps - 1, filled % steps);
        String bar = blocks.substring(steps - 1).repeat(filled / steps) + last;
        return bar + " ".repeat(cells - bar.length());
    }

    /** Returns a bar that also shows the remaining cells. */
    String progress(double fraction, int cells) {
        int done = (int) Math.round(Math.clamp(fraction, 0, 1) * cells);
        return green(blocks.substring(blocks.length() - 1).repeat(done)) + dim(remaining.repeat(cells - done));
    }

    String green(String text) {
        return paint("32", text);
    }

    String yellow(String text) {
        return paint("33", text);
    }

    String red(String text) {
        return paint("31", text);
    }

    String dim(String text) {
        return paint("2", text);
    }

    String bold(String text) {
        return paint("1", text);
    }

    private String paint(String code, String text) {
        return colours && !text.isBlank() ? ESC + code + "m" + text + ESC + "0m" : text;
    }
}
