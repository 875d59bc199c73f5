package io.github.kobe.fleet;

import java.util.Map;

/** The name of a node that was given none. */
final class ProcessName {

    private ProcessName() {}

    /** Returns the name of the host and the number of the process, such as "web-3/4711". Never asks a name server. */
    static String get() {
        Map<String, String> environment = System.getenv();
        String host = environment.getOrDefault("HOSTNAME", environment.getOrDefault("COMPUTERNAME", ""));
        long process = ProcessHandle.current().pid();
        return host.isBlank() ? "process " + process : host + "/" + process;
    }
}
