package io.github.kobe.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The text that a Prometheus server gets, line by line. Fails for a line that is not valid. */
final class Scrape {

    private static final Pattern HELP = Pattern.compile("# HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+)");
    private static final Pattern TYPE =
            Pattern.compile("# TYPE ([a-zA-Z_:][a-zA-Z0-9_:]*) (counter|gauge|summary|histogram|untyped)");
    private static final Pattern SAMPLE =
            Pattern.compile("([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\\{(.*)})? ([-+]?[0-9.]+(?:E[-+]?[0-9]+)?|NaN|[-+]Inf)");
    private static final Pattern LABEL = Pattern.compile("([a-zA-Z_][a-zA-Z0-9_]*)=\"((?:[^\"\\\\]|\\\\.)*)\"(?:,|$)");

    /** One line with a value. */
    record Sample(String name, Map<String, String> labels, double value) {}

    private final List<Sample> samples = new ArrayList<>();

    private Scrape() {}

    static Scrape parse(String text) {
        Scrape scrape = new Scrape();
        Set<String> types = new HashSet<>();
        Set<String> series = new HashSet<>();
        for (String line : text.lines().toList()) {
            Matcher type = TYPE.matcher(line);
            if (type.matches()) {
                assertThat(types.add(type.group(1)))
                        .as("two families in: " + line)
                        .isTrue();
            } else if (!HELP.matcher(line).matches()) {
                Matcher sample = SAMPLE.matcher(line);
                assertThat(sample.matches()).as("not a valid line: " + line).isTrue();
                Map<String, String> labels = labels(sample.group(2));
                assertThat(series.add(sample.group(1) + labels))
                        .as("twice: " + line)
                        .isTrue();
                scrape.samples.add(new Sample(sample.group(1), labels, Double.parseDouble(sample.group(3))));
            }
        }
        return scrape;
    }

    private static Map<String, String> labels(String text) {
        Map<String, String> labels = new TreeMap<>();
        if (text != null) {
            Matcher label = LABEL.matcher(text);
            int end = 0;
            while (label.lookingAt()) {
                labels.put(label.group(1), label.group(2));
                end = label.end();
                label.region(end, text.length());
            }
            assertThat(end).as("labels: " + text).isEqualTo(text.length());
        }
        return labels;
    }

    List<Sample> samples() {
        return samples;
    }

    Set<String> names() {
        Set<String> names = new HashSet<>();
        samples.forEach(sample -> names.add(sample.name));
        return names;
    }

    /** The keys of all labels of the samples of that name. */
    Set<String> labelsOf(String name) {
        Set<String> keys = new HashSet<>();
        samples.stream()
                .filter(sample -> sample.name.equals(name))
                .forEach(sample -> keys.addAll(sample.labels.keySet()));
        return keys;
    }

    /** The values of a label over all samples of that name. */
    Set<String> values(String name, String label) {
        Set<String> values = new HashSet<>();
        samples.stream()
                .filter(sample -> sample.name.equals(name) && sample.labels.containsKey(label))
                .forEach(sample -> values.add(sample.labels.get(label)));
        return values;
    }

    /** The value of the only sample of that name that has these labels. */
    double value(String name, String... labels) {
        List<Sample> found = new ArrayList<>();
        for (Sample sample : samples) {
            boolean matches = sample.name.equals(name);
            for (int i = 0; matches && i < labels.length; i += 2) {
                matches = labels[i + 1].equals(sample.labels.get(labels[i]));
            }
            if (matches) {
                found.add(sample);
            }
        }
        assertThat(found).as(name + List.of(labels)).hasSize(1);
        return found.getFirst().value;
    }
}
