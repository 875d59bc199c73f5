package io.github.kobe.fleet;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** The name of a node that was given none. */
final class ProcessName {

    /** Where Linux has the name of the host. Shells set the variable {@code HOSTNAME}, but do not pass it on. */
    private static final Path HOST_NAME = Path.of("/proc/sys/kernel/hostname");

    private ProcessName() {}

    /** Returns the name of the host and the number of the process, such as "web-3/4711". Never asks a name server. */
    static String get() {
        return of(System.getenv(), HOST_NAME, ProcessHandle.current().pid());
    }

    static String of(Map<String, String> environment, Path hostName, long process) {
        String host = environment
                .getOrDefault("HOSTNAME", environment.getOrDefault("COMPUTERNAME", read(hostName)))
                .strip();
        return host.isEmpty() ? "process " + process : host + "/" + process;
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException | SecurityException e) {
            return ""; // not Linux, or not readable: the name is a help for operators, no more
        }
    }
}
