package io.github.kobe.benchmarks;

import java.io.BufferedReader;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A measurement in several forked JVMs, one after the other. The compiler makes different decisions in each JVM, and the effect on a ratio
 * of two short operations can be larger than the difference to be measured. Several JVMs average it out.
 *
 * <p>The forked program runs with the JVM arguments of this JVM. It prints lines of a name, a tab and a number.
 */
final class Fork {

    private final Map<String, List<Double>> values = new HashMap<>();

    private Fork() {}

    static Fork run(int forks, Class<?> program, int... args) throws InterruptedException {
        Fork fork = new Fork();
        for (int i = 0; i < forks; i++) {
            try {
                fork.collect(program, args);
            } catch (IOException e) {
                throw new IllegalStateException("cannot run " + program.getSimpleName() + " in a forked JVM", e);
            }
        }
        return fork;
    }

    /** In the forked program: passes a value to the parent. */
    static void print(String name, double value) {
        System.out.println(name + "\t" + value);
    }

    /** In the forked program: passes several values to the parent. */
    static void print(String name, double... values) {
        for (double value : values) {
            print(name, value);
        }
    }

    /** Returns whether every JVM printed values for {@code name}. */
    boolean has(String name) {
        int max = values.values().stream().mapToInt(List::size).max().orElse(0);
        return max > 0 && values.getOrDefault(name, List.of()).size() == max;
    }

    Quartiles quartiles(String name) {
        return Quartiles.of(values(name));
    }

    /** Returns the ratios of the values of {@code name} to those of {@code baseline}, in the order of printing. */
    Quartiles ratio(String name, String baseline) {
        double[] ratios = values(name);
        double[] baselines = values(baseline);
        Arrays.setAll(ratios, i -> ratios[i] / baselines[i]);
        return Quartiles.of(ratios);
    }

    private double[] values(String name) {
        return values.getOrDefault(name, List.of()).stream()
                .mapToDouble(Double::doubleValue)
                .toArray();
    }

    private void collect(Class<?> program, int... args) throws IOException, InterruptedException {
        String[] texts = Arrays.stream(args).mapToObj(Integer::toString).toArray(String[]::new);
        Process process = new ProcessBuilder(command(System.getProperty("java.class.path"), program, texts))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            lines.lines().map(line -> line.split("\t", -1)).forEach(this::add);
        }
        int exitCode = process.waitFor();
        if (exitCode != 0) {
            throw new IllegalStateException(program.getSimpleName() + " exited with code " + exitCode);
        }
    }

    private void add(String... nameAndValue) {
        values.computeIfAbsent(nameAndValue[0], name -> new ArrayList<>()).add(Double.valueOf(nameAndValue[1]));
    }

    /** Returns the command line of a JVM with the JVM arguments of this one. */
    static List<String> command(String classPath, Class<?> program, String... args) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        command.addAll(List.of("-cp", classPath, program.getName()));
        command.addAll(List.of(args));
        return command;
    }
}
