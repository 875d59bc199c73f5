package io.github.kobe.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * One page of documentation, split into fenced blocks, comments, headings and prose.
 *
 * @param name its path from the root of the project, for messages
 * @param parts its parts in order
 */
record Markdown(String name, List<Part> parts) {

    /** A part of a page. Line numbers begin at 1. */
    sealed interface Part {
        /** Returns the number of its first line. */
        int line();
    }

    /** A fenced block; {@code line} is that of its first line of text. */
    record Fence(int line, String language, List<String> lines) implements Part {}

    /** A comment, without its delimiters; {@code line} is where it begins. */
    record Comment(int line, List<String> lines) implements Part {}

    /** A heading. */
    record Heading(int line, int level, String text) implements Part {}

    /** Any other line. */
    record Prose(int line, String text) implements Part {}

    private static final Pattern FENCE = Pattern.compile("^ {0,3}(`{3,})\\s*(\\S*).*$");
    private static final Pattern HEADING = Pattern.compile("^(#{1,6})\\s+(.*?)\\s*#*$");
    private static final String OPEN = "<!--";
    private static final String CLOSE = "-->";

    static Markdown of(String name, String text) {
        return new Markdown(name, new Parser(name, text.lines().toList()).parse());
    }

    static Markdown of(Path root, Path file) {
        try {
            String name = root.relativize(file).toString().replace('\\', '/');
            return of(name, Files.readString(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    <P extends Part> Stream<P> all(Class<P> kind) {
        return parts.stream().filter(kind::isInstance).map(kind::cast);
    }

    /** Returns a location such as "docs/page.md:17", which editors can open. */
    String at(int line) {
        return name + ":" + line;
    }

    /** Parses a page line by line. */
    private static final class Parser {
        private final String name;
        private final List<String> lines;
        private final List<Part> parts = new ArrayList<>();
        private int next;

        Parser(String name, List<String> lines) {
            this.name = name;
            this.lines = lines;
        }

        List<Part> parse() {
            while (next < lines.size()) {
                String line = lines.get(next++);
                int number = next;
                Matcher fence = FENCE.matcher(line);
                Matcher heading = HEADING.matcher(line);
                if (fence.matches()) {
                    String marks = fence.group(1);
                    parts.add(new Fence(
                            number + 1,
                            fence.group(2),
                            until(number, l -> l.strip().startsWith(marks))));
                } else if (line.startsWith(OPEN)) {
                    parts.add(comment(number, line));
                } else if (heading.matches()) {
                    parts.add(new Heading(number, heading.group(1).length(), heading.group(2)));
                } else {
                    parts.add(new Prose(number, line));
                }
            }
            return List.copyOf(parts);
        }

        private Comment comment(int number, String line) {
            String first = line.substring(OPEN.length());
            if (first.contains(CLOSE)) {
                return new Comment(number, List.of(first.substring(0, first.indexOf(CLOSE))));
            }
            List<String> inside = new ArrayList<>(List.of(first));
            inside.addAll(until(number, l -> l.strip().equals(CLOSE)));
            return new Comment(number, List.copyOf(inside));
        }

        private List<String> until(int begin, java.util.function.Predicate<String> end) {
            List<String> inside = new ArrayList<>();
            while (next < lines.size()) {
                String line = lines.get(next++);
                if (end.test(line)) {
                    return List.copyOf(inside);
                }
                inside.add(line);
            }
            throw new AssertionError(name + ":" + begin + ": begins here and has no end");
        }
    }
}
