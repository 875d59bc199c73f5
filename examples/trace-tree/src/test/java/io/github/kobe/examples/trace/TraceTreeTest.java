package io.github.kobe.examples.trace;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Does the example print the tree that its README shows? */
class TraceTreeTest {

    @Test
    void printsTheTreeOfTheReadme() throws Exception {
        assertThat(withoutTimes(printedByMain())).isEqualTo(withoutTimes(treeOfReadme()));
    }

    private static List<String> printedByMain() throws Exception {
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        PrintStream before = System.out;
        System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
        try {
            TraceTree.main(new String[0]);
        } finally {
            System.setOut(before);
        }
        return printed.toString(StandardCharsets.UTF_8).lines().toList();
    }

    /** The last block of the page. */
    private static List<String> treeOfReadme() throws Exception {
        String page = Files.readString(Path.of("README.md"));
        int end = page.lastIndexOf("```");
        int begin = page.lastIndexOf("```", end - 1);
        return page.substring(begin, end).lines().skip(1).toList();
    }

    private static List<String> withoutTimes(List<String> lines) {
        return lines.stream().map(line -> line.replaceAll("\\d+ ms", "n ms")).toList();
    }
}
