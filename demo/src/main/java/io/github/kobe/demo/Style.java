package io.github.kobe.demo;

import java.io.PrintStream;

/**
 * Signs and colours that the output can show.
 *
 * @param blocks a cell of a bar from nearly empty to full
 * @param ahead a cell of the progress bar that is still to come
 * @param rule a piece of a line
 * @param dot what separates two remarks
 * @param colours whether there are any
 */
record Style(String blocks, String ahead, String rule, String dot, boolean colours) {

    private static final String ESC = "\033[";

    static Style of(PrintStream out) {
        return of(out.charset().newEncoder().canEncode("▏▎▍▌▋▊▉█░─·"), System.getenv("NO_COLOR") == null);
    }

    static Style of(boolean unicode, boolean colours) {
        return unicode ? new Style("▏▎▍▌▋▊▉█", "░", "─", "·", colours) : new Style("#", ".", "-", "-", colours);
    }

    Style withoutColours() {
        return new Style(blocks, ahead, rule, dot, false);
    }

    /** A bar of at most {@code cells}, filled with blanks. What is not nothing shows. */
    String bar(double part, int cells) {
        int steps = blocks.length();
        int filled = (int) Math.min((long) cells * steps, (long) Math.ceil(part * cells * steps));
        String last = filled % steps == 0 ? "" : blocks.substring(filled % steps - 1, filled % steps);
        String bar = blocks.substring(steps - 1).repeat(filled / steps) + last;
        return bar + " ".repeat(cells - bar.length());
    }

    /** How far along: what is left is visible, too. */
    String progress(double part, int cells) {
        int done = (int) Math.round(Math.clamp(part, 0, 1) * cells);
        return green(blocks.substring(blocks.length() - 1).repeat(done)) + dim(ahead.repeat(cells - done));
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
