package io.github.kobe.demo;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Runs a scenario on a plain executor and on this library, shows both live, prints a verdict and writes a report. Or plays scenarios on this
 * library alone, with a console. {@code --help} lists the options.
 */
public final class Demo {

    static final int OK = 0;
    static final int FAILED = 1;
    static final int WRONG_ARGUMENTS = 2;
    static final int STOPPED = 130;

    private final Path directory;
    private final String live;
    private final PrintStream out;
    private final PrintStream err;

    /**
     * Creates a demo.
     *
     * @param directory file names on the command line are relative to this directory
     * @param live see {@link Screen#on}
     */
    Demo(Path directory, String live, PrintStream out, PrintStream err) {
        this.directory = directory;
        this.live = live;
        this.out = out;
        this.err = err;
    }

    public static void main(String[] args) {
        Path directory = Path.of(System.getProperty("demo.directory", ""));
        Demo demo = new Demo(directory, System.getProperty("demo.live", "auto"), System.out, System.err);
        System.exit(demo.run(args));
    }

    /** Returns the exit code. */
    int run(String... args) {
        DemoOptions options;
        Screen screen;
        Path report;
        try {
            options = DemoOptions.parse(args);
            if (options.help()) {
                DemoOptions.usage().forEach(out::println);
                return OK;
            }
            screen = Screen.on(out, live);
            report = ReportFile.of(options, directory);
        } catch (IllegalArgumentException e) {
            err.println("demo: " + e.getMessage() + "; --help lists the options");
            return WRONG_ARGUMENTS;
        }
        return options.console().isEmpty() ? run(options, screen, report) : playWithConsole(options);
    }

    @SuppressWarnings("try") // the resource is only opened and closed
    private int playWithConsole(DemoOptions options) {
        try (InterruptOnShutdown shutdown = new InterruptOnShutdown()) {
            new ConsolePlay(options.console(), options.seed(), out).run();
        } catch (InterruptedException e) {
            out.println();
            out.println("  stopped");
        }
        return STOPPED;
    }

    @SuppressWarnings("try") // the resource is only opened and closed
    private int run(DemoOptions options, Screen screen, Path report) {
        Scenario scenario = options.scenario();
        try (InterruptOnShutdown shutdown = new InterruptOnShutdown()) {
            RunResult result = runScenario(options, screen);
            boolean inPlace = screen instanceof LiveScreen;
            Style style = inPlace ? Style.of(out) : Style.of(out).withoutColours();
            new VerdictTable(scenario, style).lines(result).forEach(out::println);
            out.println();
            Files.writeString(report, new HtmlReport(options, result, RunEnvironment.current()).text());
            out.println("  Report: " + report);
            return scenario.brokenPromises(result.library()).isEmpty() ? OK : FAILED;
        } catch (InterruptedException e) {
            out.println();
            out.println("  stopped");
            return STOPPED;
        } catch (IOException e) {
            err.println("demo: the report could not be written: " + e);
            return FAILED;
        }
    }

    private static RunResult runScenario(DemoOptions options, Screen screen) throws InterruptedException {
        try (screen) {
            return new ScenarioRunner(options.scenario(), options.length(), options.seed()).run(screen);
        }
    }
}
