package io.github.kobe.demo;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** Plays a scenario on a plain executor and on this library, shows both, and says what came of it. {@code --help} has the options. */
public final class Demo {

    static final int OK = 0;
    static final int BROKEN = 1;
    static final int WRONG_ARGUMENTS = 2;
    static final int STOPPED = 130;

    private final Path directory;
    private final String live;
    private final PrintStream out;
    private final PrintStream err;

    /**
     * @param directory what file names on the command line are relative to
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

    int run(String... args) {
        Options options;
        Screen screen;
        Path report;
        try {
            options = Options.parse(args);
            if (options.help()) {
                Help.lines().forEach(out::println);
                return OK;
            }
            screen = Screen.on(out, live);
            report = ReportFile.of(options, directory);
        } catch (IllegalArgumentException e) {
            err.println("demo: " + e.getMessage() + "; --help lists what there is");
            return WRONG_ARGUMENTS;
        }
        return show(options, screen, report);
    }

    @SuppressWarnings("try") // the signal is not asked anything
    private int show(Options options, Screen screen, Path report) {
        Scenario scenario = options.scenario();
        try (StopSignal signal = new StopSignal()) {
            Outcome outcome = play(options, screen);
            boolean inPlace = screen instanceof LivePicture;
            Style style = inPlace ? Style.of(out) : Style.of(out).withoutColours();
            new VerdictTable(scenario, style).lines(outcome).forEach(out::println);
            out.println();
            Files.writeString(report, new HtmlReport(options, outcome, Machine.here()).text());
            out.println("  Report: " + report);
            return scenario.broken(outcome.ours()).isEmpty() ? OK : BROKEN;
        } catch (InterruptedException e) {
            out.println();
            out.println("  stopped");
            return STOPPED;
        } catch (IOException e) {
            err.println("demo: the report could not be written: " + e);
            return BROKEN;
        }
    }

    private static Outcome play(Options options, Screen screen) throws InterruptedException {
        try (screen) {
            return new Contest(options.scenario(), options.length(), options.seed()).run(screen);
        }
    }
}
