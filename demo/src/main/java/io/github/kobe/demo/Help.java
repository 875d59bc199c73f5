package io.github.kobe.demo;

import java.util.ArrayList;
import java.util.List;

/** Explains the command line. */
final class Help {

    private Help() {}

    static List<String> lines() {
        List<String> lines = new ArrayList<>();
        lines.add("Plays the same work on a plain executor and on this library, at the same time,");
        lines.add("shows both live, then a verdict, and writes a report with charts.");
        lines.add("");
        lines.add("  --scenario NAME  what to play, see below (default "
                + Scenarios.ALL.get(0).name() + ")");
        lines.add(
                "  --seconds N      how long, 1 to " + Options.LONGEST + " (default " + Options.DEFAULT_SECONDS + ")");
        lines.add("  --seed N         varies when work comes and how long it takes; the same seed,");
        lines.add("                   the same work (default " + Options.DEFAULT_SEED + ")");
        lines.add("  --report FILE    where the report goes (default demo/target/demo-NAME.html)");
        lines.add("  --help           this text");
        lines.add("");
        lines.add("Scenarios:");
        for (Scenario scenario : Scenarios.ALL) {
            lines.add("");
            lines.add("  " + scenario.name() + ": " + scenario.plain().title() + " against "
                    + scenario.ours().title());
            scenario.about().forEach(line -> lines.add("    " + line));
        }
        lines.add("");
        lines.add("Examples:");
        lines.add("  ./play");
        lines.add("  ./play --scenario scope");
        lines.add("  mvn -q compile exec:exec -pl demo -am -Ddemo.args=\"--seconds 60 --seed 7\"");
        lines.add("");
        lines.add("DEMO_LIVE=always|never|auto in the environment, -Ddemo.live=... with Maven: redraws in");
        lines.add("place, prints a line each second, or finds out what the output is (the default).");
        lines.add("NO_COLOR in the environment: no colours.");
        lines.add("Ends with 0; with 1 if a promise was broken; with 2 if an argument is wrong.");
        return lines;
    }
}
