package io.github.kobe.demo;

import io.github.kobe.console.Console;
import io.github.kobe.console.ConsoleBuilder;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Collectors;

/** Plays scenarios on this library until it is interrupted, with a console to watch and to steer them. */
final class ConsolePlay {

    /** The work of one round is made in advance. */
    private static final Duration ROUND = Duration.ofSeconds(30);

    private static final Logger CONSOLE_LOG = Logger.getLogger("io.github.kobe.console");

    private final List<Scenario> scenarios;
    private final long seed;
    private final PrintStream out;

    ConsolePlay(List<Scenario> scenarios, long seed, PrintStream out) {
        this.scenarios = List.copyOf(scenarios);
        this.seed = seed;
        this.out = out;
    }

    /** Returns never: it ends by an interrupt. */
    void run() throws InterruptedException {
        List<DemoExecutor> executors = new ArrayList<>();
        List<Thread> submitters = new ArrayList<>();
        try {
            ConsoleBuilder builder = Console.builder().title("demo").editable(true);
            for (Scenario scenario : scenarios) {
                DemoExecutor executor = scenario.library().open().apply(silentRecorder(scenario));
                executors.add(executor);
                executor.addTo(builder);
                submitters.add(Thread.ofPlatform()
                        .name("demo-submitter")
                        .daemon()
                        .start(() -> submitForEver(scenario, executor)));
            }
            try (Console console = start(builder)) {
                print(console);
                new CountDownLatch(1).await();
            }
        } finally {
            submitters.forEach(Thread::interrupt);
            for (Thread submitter : submitters) {
                submitter.join();
            }
            executors.forEach(DemoExecutor::close);
        }
    }

    /** The console would log its address, which is printed here. */
    private static Console start(ConsoleBuilder builder) {
        Level level = CONSOLE_LOG.getLevel();
        CONSOLE_LOG.setLevel(Level.WARNING);
        try {
            return builder.start();
        } finally {
            CONSOLE_LOG.setLevel(level);
        }
    }

    /** A recorder that ignores everything: it would grow for ever. */
    private static RunRecorder silentRecorder(Scenario scenario) {
        RunRecorder recorder = new RunRecorder(scenario.sources(), System::nanoTime);
        recorder.freeze(scenario.library().title());
        return recorder;
    }

    private void submitForEver(Scenario scenario, DemoExecutor executor) {
        long start = System.nanoTime();
        for (long round = 0; !Thread.currentThread().isInterrupted(); round++) {
            for (Submission submission : Submission.generate(scenario.traffic(), ROUND, seed + round)) {
                if (!Sleep.until(start + submission.atNanos())) {
                    return;
                }
                executor.submit(submission);
            }
            start += ROUND.toNanos();
        }
    }

    private void print(Console console) {
        out.println("  Playing " + scenarios.stream().map(Scenario::name).collect(Collectors.joining(", "))
                + " until you press Ctrl-C.");
        out.println();
        out.println("  Console: " + console.uri());
        out.println();
        out.println("  Open the address in a browser on this machine, open a row or a tab, and change a limit.");
        out.println("  Lower one, and a queue grows. Reset it, and the queue drains.");
        out.flush();
    }
}
