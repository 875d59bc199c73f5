package io.github.kobe.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.MockClock;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Does the guide list every meter, and no other? */
class MeterTableTest {

    private static final Pattern FIRST_CELL = Pattern.compile("\\| (`(?:group\\.concurrency|executor)\\.[^|]*)\\|.*");
    private static final Pattern NAME = Pattern.compile("`(\\.?[a-z][a-z.]*)`");

    /** The full name of ".queued" after "group.concurrency.active" is the one that exists: some parts of the first name come before it. */
    private static Optional<String> fullName(String name, String first, Set<String> existing) {
        if (!name.startsWith(".")) {
            return Optional.of(name);
        }
        return Stream.iterate(
                        first, parent -> parent.contains("."), parent -> parent.substring(0, parent.lastIndexOf('.')))
                .map(parent -> parent + name)
                .filter(existing::contains)
                .findFirst()
                .or(() -> {
                    int dot = first.indexOf('.');
                    return Optional.of(first.substring(0, dot) + name).filter(existing::contains);
                });
    }

    @Test
    void everyMeterIsListed() throws IOException {
        MockClock clock = new MockClock();
        PrometheusMeterRegistry registry =
                new PrometheusMeterRegistry(PrometheusConfig.DEFAULT, new PrometheusRegistry(), clock);
        try (Everything everything = new Everything(registry)) {
            clock.add(Duration.ofSeconds(1));
            registry.scrape();
            Set<String> existing = registry.getMeters().stream()
                    .map(meter -> meter.getId().getName())
                    .collect(Collectors.toCollection(TreeSet::new));
            Set<String> listed = new TreeSet<>();
            for (String line : Files.readAllLines(Path.of("../../docs/guide/observability.md"))) {
                Matcher cell = FIRST_CELL.matcher(line);
                if (!cell.matches()) {
                    continue;
                }
                String first = "";
                Matcher names = NAME.matcher(cell.group(1));
                while (names.find()) {
                    String name = names.group(1);
                    first = name.startsWith(".") ? first : name;
                    Optional<String> full = fullName(name, first, existing);
                    assertThat(full)
                            .as("%s in: %s, of %s", name, line, existing)
                            .isPresent();
                    listed.add(full.orElseThrow());
                }
            }
            assertThat(listed).isEqualTo(existing);
            assertThat(everything).isNotNull();
        }
    }
}
