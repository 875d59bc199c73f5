package io.github.kobe.docs;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A piece of Java from a page: one block or several continued blocks, with the code that is hidden from readers. */
final class Sample {

    /** A line of code and its line number on the page. */
    record Line(int number, String text) {}

    private static final List<String> IMPORTS = List.of(
            "io.github.kobe.*",
            "io.github.kobe.isolation.*",
            "io.github.kobe.pool.*",
            "io.github.kobe.scope.*",
            "java.time.*",
            "java.util.*",
            "java.util.concurrent.*",
            "java.util.concurrent.atomic.*",
            "java.util.stream.*");

    private final Markdown page;
    private final int line;
    private final String className;
    private final List<Line> code = new ArrayList<>();
    private final List<Line> printed = new ArrayList<>();

    Sample(Markdown page, int line) {
        this.page = page;
        this.line = line;
        this.className = page.name().replaceAll("[^A-Za-z0-9]", "_") + "_" + line;
    }

    void add(int firstLine, List<String> lines) {
        append(code, firstLine, lines);
    }

    void prints(int firstLine, List<String> lines) {
        append(printed, firstLine, lines);
    }

    private static void append(List<Line> to, int firstLine, List<String> lines) {
        for (int i = 0; i < lines.size(); i++) {
            to.add(new Line(firstLine + i, lines.get(i)));
        }
    }

    /** Returns the location of its first visible line, such as "README.md:27". */
    String where() {
        return page.at(line);
    }

    /** Returns the location on the page of a line of the {@link #source}; {@code null} if the line is not on the page. */
    @Nullable
    String where(long sourceLine) {
        List<Line> source = sourceLines();
        int number = sourceLine < 1 || sourceLine > source.size()
                ? 0
                : source.get((int) sourceLine - 1).number();
        return number == 0 ? null : page.at(number);
    }

    String where(Line of) {
        return page.at(of.number());
    }

    String className() {
        return "samples." + className;
    }

    /** Returns the expected output; empty if the page has none. */
    List<Line> printed() {
        return List.copyOf(printed);
    }

    /** Returns the source that is compiled. */
    String source() {
        StringBuilder text = new StringBuilder();
        sourceLines().forEach(l -> text.append(l.text()).append('\n'));
        return text.toString();
    }

    private List<Line> sourceLines() {
        List<Line> all = new ArrayList<>();
        all.add(new Line(0, "package samples;"));
        IMPORTS.forEach(name -> all.add(new Line(0, "import " + name + ";")));
        code.stream().filter(Sample::isImport).forEach(all::add);
        all.add(new Line(0, "public final class " + className + " extends " + SampleBase.class.getName() + " {"));
        all.add(new Line(0, "@Override public void run() throws Exception {"));
        code.stream().filter(l -> !isImport(l)).forEach(all::add);
        all.add(new Line(0, "}"));
        all.add(new Line(0, "}"));
        return all;
    }

    private static boolean isImport(Line l) {
        return l.text().startsWith("import ");
    }

    @Override
    public String toString() {
        return where();
    }
}
