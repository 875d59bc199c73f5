package io.github.kobe.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What does the command print and return? */
class DemoTest {

    private static final String HIDE_CURSOR = "\033[?25l";
    private static final String SHOW_CURSOR = "\033[?25h";

    @TempDir
    Path directory;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private Demo demo(String live) {
        return new Demo(directory, live, stream(out), stream(err));
    }

    private static PrintStream stream(ByteArrayOutputStream bytes) {
        return new PrintStream(bytes, true, StandardCharsets.UTF_8);
    }

    private static String text(ByteArrayOutputStream bytes) {
        return bytes.toString(StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @ValueSource(strings = {"always", "never"})
    void printsAVerdictAndTheNameOfTheReport(String live) throws IOException {
        int code = demo(live).run("--seconds", "1", "--scenario", "limits", "--report", "new/report.html");
        Path report = directory.resolve("new/report.html").toAbsolutePath();
        assertThat(text(err)).isEmpty();
        assertThat(code).as(text(out)).isEqualTo(Demo.OK);
        assertThat(text(out)).contains("peak/limit").endsWith("Report: " + report + System.lineSeparator());
        assertThat(Files.readString(report)).startsWith("<!DOCTYPE html>");
        assertThat(text(out).contains("\033")).as("has escape sequences").isEqualTo(live.equals("always"));
    }

    @Test
    void restoresTheTerminal() {
        demo("always").run("--seconds", "1", "--scenario", "priorities", "--report", "r.html");
        assertThat(text(out)).containsOnlyOnce(HIDE_CURSOR).containsOnlyOnce(SHOW_CURSOR);
        assertThat(text(out).indexOf(SHOW_CURSOR)).isLessThan(text(out).indexOf("Report:"));
    }

    @Test
    void restoresTheTerminalIfInterrupted() throws InterruptedException {
        AtomicInteger code = new AtomicInteger(-1);
        Thread running =
                Thread.ofPlatform().start(() -> code.set(demo("always").run("--seconds", "60", "--report", "r.html")));
        while (!text(out).contains("left") && running.isAlive()) {
            Thread.onSpinWait();
        }
        running.interrupt();
        running.join();
        assertThat(code).hasValue(Demo.STOPPED);
        assertThat(text(out)).contains(SHOW_CURSOR).contains("stopped");
        DemoThreads.awaitTermination();
    }

    @Test
    void helpRunsNothing() {
        assertThat(demo("auto").run("--help")).isEqualTo(Demo.OK);
        assertThat(text(out)).contains("--scenario").contains("Examples:");
        assertThat(text(out).lines()).allMatch(line -> line.length() <= 88);
        Scenarios.ALL.forEach(scenario -> assertThat(text(out)).contains(scenario.about()));
        assertThat(directory).isEmptyDirectory();
    }

    @ParameterizedTest
    @ValueSource(strings = {"--scenario chaos", "--seconds soon", "--wrong", "--report ."})
    void wrongArgumentsPrintOneLineAndReturn2(String args) {
        assertThat(demo("never").run(args.split(" ", -1))).isEqualTo(Demo.WRONG_ARGUMENTS);
        assertThat(text(err))
                .startsWith("demo: ")
                .contains(args.split(" ", -1)[0])
                .hasLineCount(1);
        assertThat(text(out)).isEmpty();
    }

    @Test
    void anUnknownLiveModeIsAWrongArgument() {
        assertThat(demo("perhaps").run()).isEqualTo(Demo.WRONG_ARGUMENTS);
        assertThat(text(err)).contains("demo.live").contains("perhaps").hasLineCount(1);
    }
}
