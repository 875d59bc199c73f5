package io.github.kobe.redis.kit;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;

/**
 * Kills what a test has started, also if the JVM of the test is killed itself. A shell reads the pids from a pipe. When this JVM has ended, however
 * that was, the pipe is closed, and the shell kills what is left. SIGKILL works for stopped processes too. A signal to the whole process group, as by
 * Ctrl-C, does not end the shell before that.
 */
final class ProcessGuard {

    private static final String SCRIPT = """
            trap '' INT HUP TERM
            left=' '
            while read -r sign pid; do
              case $sign in
                +) left="$left$pid " ;;
                -) case $left in *" $pid "*) left="${left%% $pid *} ${left#* $pid }" ;; esac ;;
              esac
            done
            for pid in $left; do kill -9 "$pid"; done
            """;

    private static final ProcessGuard OF_THIS_JVM = new ProcessGuard();

    private final BufferedWriter pids;

    /** Starts a shell. */
    ProcessGuard() {
        try {
            pids = new ProcessBuilder("sh", "-c", SCRIPT)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .outputWriter();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Starts a process that does not outlive this JVM. */
    static Process start(ProcessBuilder builder) throws IOException {
        return OF_THIS_JVM.startGuarded(builder);
    }

    Process startGuarded(ProcessBuilder builder) throws IOException {
        Process process = builder.start();
        write('+', process);
        process.onExit().thenAccept(ended -> write('-', ended));
        return process;
    }

    private synchronized void write(char sign, Process process) {
        try {
            pids.write(sign + " " + process.pid() + "\n");
            pids.flush();
        } catch (IOException e) {
            process.destroyForcibly();
            throw new UncheckedIOException(e);
        }
    }

    /** Does what the end of this JVM does. */
    synchronized void end() throws IOException {
        pids.close();
    }

    /** Stops a process in the middle of what it does. It has stopped when this returns. */
    static void freeze(Process process) {
        signal("STOP", process);
        Awaitility.await().atMost(Duration.ofSeconds(10)).until(() -> hasStopped(process));
    }

    /** Whether every thread has stopped. The signal itself returns earlier than that. */
    private static boolean hasStopped(Process process) throws IOException {
        Path threads = Path.of("/proc", Long.toString(process.pid()), "task");
        if (!Files.exists(threads)) {
            return true; // not Linux
        }
        try (Stream<Path> all = Files.list(threads)) {
            return all.allMatch(thread -> stateOf(thread) == 'T');
        }
    }

    private static char stateOf(Path thread) {
        try {
            String stat = Files.readString(thread.resolve("stat"));
            return stat.charAt(stat.lastIndexOf(')') + 2);
        } catch (IOException e) {
            return 'T'; // it has ended
        }
    }

    /** Lets a stopped process go on. */
    static void thaw(Process process) {
        signal("CONT", process);
    }

    private static void signal(String name, Process process) {
        try {
            Process kill = new ProcessBuilder(List.of("kill", "-" + name, Long.toString(process.pid())))
                    .inheritIO()
                    .start();
            if (!kill.waitFor(10, TimeUnit.SECONDS) || kill.exitValue() != 0) {
                throw new IllegalStateException("cannot send " + name + " to process " + process.pid());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException("interrupted while it sent " + name, e);
        }
    }

    /** Kills a process with SIGKILL, and waits until it is gone. */
    static void kill(Process process) {
        process.destroyForcibly();
        try {
            if (!process.waitFor(10, TimeUnit.SECONDS)) {
                throw new IllegalStateException("process " + process.pid() + " survives SIGKILL");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
