package io.github.kobe.micrometer;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.search.RequiredSearch;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Reads meters of a registry. */
final class Values {

    private static final String PREFIX = "group.concurrency.";

    private final MeterRegistry registry;

    Values(MeterRegistry registry) {
        this.registry = registry;
    }

    private RequiredSearch search(String name, String... tags) {
        return registry.get(PREFIX + name).tags(tags);
    }

    double gauge(String name, String... tags) {
        return search(name, tags).gauge().value();
    }

    long count(String name, String... tags) {
        return (long) search(name, tags).functionCounter().count();
    }

    /** The sum over all counters that have these tags. */
    long sum(String name, String... tags) {
        return registry.find(PREFIX + name).tags(tags).functionCounters().stream()
                .mapToLong(counter -> (long) counter.count())
                .sum();
    }

    boolean has(String name, String... tags) {
        return registry.find(PREFIX + name).tags(tags).meter() != null;
    }

    /** The values of a tag, over all meters. */
    Set<String> values(String tag) {
        Set<String> values = new TreeSet<>();
        for (Meter meter : registry.getMeters()) {
            String value = meter.getId().getTag(tag);
            if (value != null) {
                values.add(value);
            }
        }
        return values;
    }

    /** All function counters by name and tags. */
    Map<String, Double> counters() {
        Map<String, Double> values = new TreeMap<>();
        for (Meter meter : registry.getMeters()) {
            if (meter.getId().getType() == Meter.Type.COUNTER) {
                values.put(
                        Objects.toString(meter.getId()),
                        meter.measure().iterator().next().getValue());
            }
        }
        return values;
    }

    Set<String> names() {
        Set<String> names = new TreeSet<>();
        registry.getMeters().forEach(meter -> names.add(meter.getId().getName()));
        return names;
    }
}
