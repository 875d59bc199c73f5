package io.github.kobe.benchmarks;

import io.github.kobe.GroupExecutor;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;

/**
 * Measures two versions of the library against each other: the core classes on the class path of this JVM and those of another jar or
 * class directory.
 *
 * <p>Each {@link LibraryWorkload} runs in pairs of forked JVMs that live at the same time. One has this core on its class path, the other
 * has the other core. The two take turns round by round, and the order changes with each round. So other load on the machine affects both,
 * and a ratio within one round is less noisy than the two values. Several pairs average out the decisions of the compiler. A pair runs
 * one workload only, so that the compiler sees nothing else.
 *
 * <p>Protocol: a forked JVM first prints the location of its core classes. For each line on its standard input it runs one round and prints
 * the cost. It exits at the end of its input.
 */
final class CoreComparison {

    private static final String CORE_CLASS = GroupExecutor.class.getName().replace('.', '/') + ".class";
    private static final long EXIT_TIMEOUT_SECONDS = 10;

    private final Path thisCore;
    private final Path otherCore;
    private final RunLength length;
    private final ConsoleReport report;

    /**
     * Creates a comparison of this JVM's core with another one.
     *
     * @throws IllegalArgumentException if {@code otherCore} does not contain the core classes
     */
    CoreComparison(Path otherCore, RunLength length, ConsoleReport report) {
        if (!hasCore(otherCore)) {
            throw new IllegalArgumentException(
                    "--compare must be a jar or a directory with the core classes, but is '" + otherCore + "'");
        }
        this.thisCore = locationOfCore();
        this.otherCore = otherCore;
        this.length = length;
        this.report = report;
    }

    private static boolean hasCore(Path location) {
        if (Files.isDirectory(location)) {
            return Files.isRegularFile(location.resolve(CORE_CLASS));
        }
        try (JarFile jar = new JarFile(location.toFile())) {
            return jar.getEntry(CORE_CLASS) != null;
        } catch (IOException e) {
            return false;
        }
    }

    /** Returns where this JVM has loaded the core classes from. */
    private static Path locationOfCore() {
        try {
            return Path.of(GroupExecutor.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * Runs all workloads of the chapters and prints a table.
     *
     * @return whether all workloads could be measured
     */
    boolean run(List<Chapter> chapters) throws InterruptedException {
        report.head(length);
        List<List<String>> lines = new ArrayList<>();
        boolean complete = true;
        for (Chapter chapter : chapters) {
            List<LibraryWorkload> workloads = chapter.libraryWorkloads().apply(length);
            for (int i = 0; i < workloads.size(); i++) {
                LibraryWorkload workload = workloads.get(i);
                report.progress(chapter.name() + ": " + workload.name());
                try {
                    lines.add(cells(workload, measure(chapter, i, workload)));
                } catch (IllegalStateException e) {
                    report.text("could not measure " + workload.name() + ": " + e.getMessage());
                    complete = false;
                }
            }
        }
        report.text(table(lines).text());
        return complete;
    }

    private Table table(List<List<String>> lines) {
        return new Table(
                "This core: " + thisCore + "\nOther core: " + otherCore + "\n",
                List.of("measurement", "unit", "this core", "other core", "other / this", "range of pairs"),
                lines,
                List.of(
                        "",
                        "Medians over the rounds, with the middle half of the rounds in brackets. The ratio is computed within each round.",
                        "Above 1 this core is better, below 1 the other core is better. The last column has the lowest and the highest median",
                        "ratio of a pair of JVMs. If 1 is within that range, no difference was shown."
                                + (length.quick() ? " A quick run has too few pairs to show one." : "")));
    }

    private List<Costs> measure(Chapter chapter, int index, LibraryWorkload workload) throws InterruptedException {
        String classPath = System.getProperty("java.class.path");
        String otherClassPath = replaceCore(classPath, thisCore, otherCore);
        String[] args = {chapter.name(), Integer.toString(index), Boolean.toString(length.quick())};
        int pairs = workload.slow() ? length.pick(5, 2) : length.pick(8, 3);
        int warmups = workload.slow() ? 1 : length.pick(10, 4);
        int rounds = workload.slow() ? length.pick(2, 1) : 5;
        List<Costs> costs = new ArrayList<>();
        for (int pair = 0; pair < pairs; pair++) {
            boolean thisFirst = (pair & 1) == 0;
            try (Jvm first = thisFirst
                            ? new ForkedJvm(classPath, thisCore, args)
                            : new ForkedJvm(otherClassPath, otherCore, args);
                    Jvm second = thisFirst
                            ? new ForkedJvm(otherClassPath, otherCore, args)
                            : new ForkedJvm(classPath, thisCore, args)) {
                costs.add(alternate(warmups, rounds, thisFirst ? first : second, thisFirst ? second : first));
            }
        }
        return costs;
    }

    /** Runs rounds on both JVMs in turns. The costs of the first {@code warmups} rounds are dropped. */
    static Costs alternate(int warmups, int rounds, Jvm thisJvm, Jvm otherJvm) {
        double[] thisCosts = new double[rounds];
        double[] otherCosts = new double[rounds];
        for (int round = -warmups; round < rounds; round++) {
            boolean thisFirst = (round & 1) == 0;
            double first = (thisFirst ? thisJvm : otherJvm).round();
            double second = (thisFirst ? otherJvm : thisJvm).round();
            if (round >= 0) {
                thisCosts[round] = thisFirst ? first : second;
                otherCosts[round] = thisFirst ? second : first;
            }
        }
        return new Costs(thisCosts, otherCosts);
    }

    /**
     * Returns a class path with another core.
     *
     * @throws IllegalStateException if {@code thisCore} is not on the class path
     */
    static String replaceCore(String classPath, Path thisCore, Path otherCore) {
        List<String> entries = List.of(classPath.split(File.pathSeparator, -1));
        if (entries.stream().noneMatch(entry -> isSame(entry, thisCore))) {
            throw new IllegalStateException(thisCore + " is not an entry of the class path");
        }
        return entries.stream()
                .map(entry -> isSame(entry, thisCore) ? otherCore.toString() : entry)
                .collect(Collectors.joining(File.pathSeparator));
    }

    private static boolean isSame(String entry, Path location) {
        return Path.of(entry)
                .toAbsolutePath()
                .normalize()
                .equals(location.toAbsolutePath().normalize());
    }

    /**
     * The costs of both cores in one pair of JVMs. Values at the same index are from the same round.
     *
     * @param thisCore the costs of this core
     * @param otherCore the costs of the other core
     */
    record Costs(double[] thisCore, double[] otherCore) {

        /** Returns the cost of the other core divided by the cost of this core, round by round. */
        double[] ratios() {
            double[] ratios = new double[thisCore.length];
            Arrays.setAll(ratios, round -> otherCore[round] / thisCore[round]);
            return ratios;
        }
    }

    /** Returns a line of the table from the costs of all pairs. */
    static List<String> cells(LibraryWorkload workload, List<Costs> pairs) {
        Unit unit = workload.unit();
        double[] medians = pairs.stream()
                .mapToDouble(pair -> Quartiles.of(pair.ratios()).median())
                .sorted()
                .toArray();
        return List.of(
                workload.name(),
                unit.description(),
                unit.format(quartiles(pairs, Costs::thisCore)),
                unit.format(quartiles(pairs, Costs::otherCore)),
                Unit.SPEEDUP.format(quartiles(pairs, Costs::ratios)),
                Unit.SPEEDUP.format(medians[0]) + " to " + Unit.SPEEDUP.format(medians[medians.length - 1]));
    }

    private static Quartiles quartiles(List<Costs> pairs, Function<Costs, double[]> values) {
        return Quartiles.of(pairs.stream()
                .flatMapToDouble(pair -> DoubleStream.of(values.apply(pair)))
                .toArray());
    }

    /** A JVM that runs rounds of one workload. */
    interface Jvm extends AutoCloseable {

        /** Runs one round and returns its cost. */
        double round();

        @Override
        void close();
    }

    private static final class ForkedJvm implements Jvm {

        private final Path core;
        private final Process process;
        private final Writer requests;
        private final BufferedReader answers;

        ForkedJvm(String classPath, Path core, String... args) {
            this.core = core;
            try {
                process = new ProcessBuilder(Fork.command(classPath, CoreComparison.class, args))
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
            } catch (IOException e) {
                throw new IllegalStateException("cannot fork a JVM", e);
            }
            requests = process.outputWriter(StandardCharsets.UTF_8);
            answers = process.inputReader(StandardCharsets.UTF_8);
            checkCore();
        }

        /** Proves that the JVM runs the core that it is supposed to run. */
        private void checkCore() {
            String actual = answer();
            if (!actual.equals(uri(core))) {
                close();
                throw new IllegalStateException("the forked JVM runs the core in " + actual + " instead of " + core);
            }
        }

        @Override
        public double round() {
            try {
                requests.write('\n');
                requests.flush();
            } catch (IOException e) {
                throw new IllegalStateException("the JVM with " + core + " has exited", e);
            }
            return Double.parseDouble(answer());
        }

        private String answer() {
            try {
                String line = answers.readLine();
                if (line == null) {
                    throw new IllegalStateException("the JVM with " + core + " has exited");
                }
                return line;
            } catch (IOException e) {
                throw new IllegalStateException("the JVM with " + core + " has exited", e);
            }
        }

        @Override
        public void close() {
            try {
                requests.close();
            } catch (IOException e) {
                // The JVM has exited already.
            }
            try {
                if (!process.waitFor(EXIT_TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
                    process.destroyForcibly();
                }
            } catch (InterruptedException e) {
                process.destroyForcibly();
                Thread.currentThread().interrupt();
            }
        }
    }

    private static String uri(Path location) {
        try {
            return location.toRealPath().toUri().toASCIIString();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The forked JVM. Arguments: the chapter, the index of the workload, whether the run is quick. */
    @SuppressWarnings("CatchAndPrintStackTrace") // the parent shows standard error
    public static void main(String[] args) {
        try {
            LibraryWorkload workload = Chapter.named(args[0])
                    .orElseThrow()
                    .libraryWorkloads()
                    .apply(new RunLength(Boolean.parseBoolean(args[2])))
                    .get(Integer.parseInt(args[1]));
            System.out.println(uri(locationOfCore()));
            BufferedReader requests = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            while (requests.readLine() != null) {
                System.gc();
                System.out.println(workload.round().measure());
            }
        } catch (Throwable e) {
            e.printStackTrace();
            System.exit(1); // a failed round may leave threads behind
        }
        System.exit(0);
    }
}
