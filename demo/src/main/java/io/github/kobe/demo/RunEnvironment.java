package io.github.kobe.demo;

import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;

/** The machine and the time of a run. */
record RunEnvironment(String system, String java, int processors, String date) {

    static RunEnvironment current() {
        return new RunEnvironment(
                property("os.name") + " " + property("os.version") + ", " + property("os.arch"),
                property("java.vm.name") + " " + property("java.runtime.version"),
                Runtime.getRuntime().availableProcessors(),
                ZonedDateTime.now(ZoneId.systemDefault())
                        .truncatedTo(ChronoUnit.SECONDS)
                        .format(DateTimeFormatter.ISO_OFFSET_DATE_TIME));
    }

    private static String property(String name) {
        return System.getProperty(name, "?");
    }
}
