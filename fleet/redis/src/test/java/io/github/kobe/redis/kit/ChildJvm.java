package io.github.kobe.redis.kit;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/**
 * Another JVM with the class path of this one. It is told what to do by lines on its input, and answers by lines on its output. Thread-safe.
 *
 * <p>Its main class calls {@link #serve}, which ends the JVM when its input ends: when this JVM has closed it, or is gone.
 */
public final class ChildJvm implements AutoCloseable {

    /** The longest wait; only a bug takes longer. */
    public static final Duration PATIENCE = Duration.ofSeconds(60);

    private static final String END = "";

    private final Process process;
    private final BufferedWriter input;
    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
    private final List<String> output = new ArrayList<>(); // under its own monitor

    private ChildJvm(Process process) {
        this.process = process;
        this.input = process.outputWriter(StandardCharsets.UTF_8);
        Thread.ofVirtual().name("child-output").start(this::readOutput);
    }

    /** Starts a JVM. What it writes to its error output is seen on that of this JVM. */
    public static ChildJvm start(Class<?> main, String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
        command.addAll(List.of(arguments));
        try {
            return new ChildJvm(
                    ProcessGuard.start(new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Is called by the main class of the child: answers each line of its input with one on its output, and ends the JVM when the input has ended.
     * A line with which the answer fails is answered by {@code failed} and the exception.
     */
    public static void serve(UnaryOperator<String> commands) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String answer;
            try {
                answer = commands.apply(line);
            } catch (RuntimeException e) {
                answer = "failed " + e;
            }
            say(answer);
        }
        Runtime.getRuntime().halt(0);
    }

    /** Is called in the child: writes a line of its own accord. */
    public static void say(String line) {
        synchronized (System.out) {
            System.out.println(line.replace('\n', ' '));
            System.out.flush();
        }
    }

    /** Sends a line. */
    public synchronized void send(String line) {
        try {
            input.write(line + "\n");
            input.flush();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot send '" + line + "' to a JVM that wrote " + output(), e);
        }
    }

    /** Waits for the next line that begins like this; those before it are skipped. */
    public String await(String prefix) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        try {
            while (true) {
                String line = lines.poll(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
                if (line == null || line.equals(END)) {
                    throw new AssertionError("no line '" + prefix + "…' came from "
                            + (process.isAlive() ? "a JVM" : "a JVM that has ended") + ", which wrote " + output());
                }
                if (line.startsWith(prefix)) {
                    return line;
                }
            }
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted while it waited for '" + prefix + "'", e);
        }
    }

    /** Sends a line, and waits for one that begins like this. */
    public String ask(String line, String prefix) {
        send(line);
        return await(prefix);
    }

    public long pid() {
        return process.pid();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** Kills it with SIGKILL. Returns when it is gone. */
    public void kill() {
        ProcessGuard.kill(process);
    }

    /** Stops it in the middle of what it does. Returns when all its threads stand still. */
    public void freeze() {
        ProcessGuard.freeze(process);
    }

    /** Lets it go on. */
    public void thaw() {
        ProcessGuard.thaw(process);
    }

    /** Kills it, if it has not ended. */
    @Override
    public void close() {
        kill();
    }

    private void readOutput() {
        try (BufferedReader reader = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                synchronized (output) {
                    output.add(line);
                }
                lines.add(line);
            }
        } catch (IOException e) {
            // it was killed
        }
        lines.add(END);
    }

    private List<String> output() {
        synchronized (output) {
            return output.subList(Math.max(0, output.size() - 50), output.size()).stream()
                    .toList();
        }
    }
}
