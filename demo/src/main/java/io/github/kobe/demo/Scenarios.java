package io.github.kobe.demo;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** All scenarios. The first is the default. */
final class Scenarios {

    static final List<Scenario> ALL =
            List.of(new IsolationScenario(), new LimitsScenario(), new PrioritiesScenario(), new ScopeScenario());

    private Scenarios() {}

    static Optional<Scenario> named(String name) {
        return ALL.stream().filter(scenario -> scenario.name().equals(name)).findFirst();
    }

    static String names() {
        return ALL.stream().map(Scenario::name).collect(Collectors.joining(", "));
    }
}
