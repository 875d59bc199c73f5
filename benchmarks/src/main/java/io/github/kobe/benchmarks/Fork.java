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
 * A measurement made in several fresh JVMs, one after the other. How the compiler happens to lay out the code of one JVM moves
 * a ratio of two short things by more than what is to be shown; over several of them that evens out.
 *
 * <p>The program it starts gets the arguments that this JVM got, and prints lines of a name, a tab and a number.
 */
final class Fork {

    private final Map<String, List<Double>> numbers = new HashMap<>();

    private Fork() {}

    static Fork run(int times, Class<?> program, int... args) throws InterruptedException {
        Fork fork = new Fork();
        for (int i = 0; i < times; i++) {
            try {
                fork.collect(program, args);
            } catch (IOException e) {
                throw new IllegalStateException("cannot run " + program.getSimpleName() + " in a JVM of its own", e);
            }
        }
        return fork;
    }

    /** For the program: hands over one number. */
    static void report(String name, double number) {
        System.out.println(name + "\t" + number);
    }

    Spread spread(String name) {
        return Spread.of(numbers(name));
    }

    /** What {@code name} has to {@code base}, number by number as they came. */
    Spread ratio(String name, String base) {
        double[] ratios = numbers(name);
        double[] bases = numbers(base);
        Arrays.setAll(ratios, i -> ratios[i] / bases[i]);
        return Spread.of(ratios);
    }

    private double[] numbers(String name) {
        return numbers.getOrDefault(name, List.of()).stream()
                .mapToDouble(Double::doubleValue)
                .toArray();
    }

    private void collect(Class<?> program, int... args) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command(program, args))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            lines.lines().map(line -> line.split("\t", -1)).forEach(this::add);
        }
        int code = process.waitFor();
        if (code != 0) {
            throw new IllegalStateException(program.getSimpleName() + " ended with " + code);
        }
    }

    private void add(String... nameAndNumber) {
        numbers.computeIfAbsent(nameAndNumber[0], name -> new ArrayList<>()).add(Double.valueOf(nameAndNumber[1]));
    }

    private static List<String> command(Class<?> program, int... args) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), program.getName()));
        for (int arg : args) {
            command.add(Integer.toString(arg));
        }
        return command;
    }
}
