package io.github.kobe.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.DefaultValue;

/** Does the guide list every property, with its default? */
class GuideTableTest {

    private static final Pattern ROW = Pattern.compile("\\| `([a-z.<>-]+)` \\| ([^|]*)\\| [^|]+\\|");

    /** The guide refers to the builders instead. */
    private static final Set<String> NOT_LISTED = Set.of("pools", "isolation");

    @Test
    void everyPropertyIsListedWithItsDefault() throws IOException, ReflectiveOperationException {
        Map<String, String> listed = Files.readString(Path.of("../../docs/guide/spring-boot.md"))
                .lines()
                .map(ROW::matcher)
                .filter(row -> row.matches())
                .collect(Collectors.toMap(
                        row -> row.group(1), row -> row.group(2).strip(), (a, b) -> a, TreeMap::new));
        Map<String, String> existing = new TreeMap<>();
        collect("", GroupConcurrencyProperties.class, existing);

        assertThat(listed).containsOnlyKeys(existing.keySet());
        existing.forEach((property, value) -> {
            if (!value.isEmpty()) {
                assertThat(listed).containsEntry(property, value);
            }
        });
    }

    private static void collect(String prefix, Class<?> type, Map<String, String> to)
            throws ReflectiveOperationException {
        RecordComponent[] components = type.getRecordComponents();
        for (int i = 0; i < components.length; i++) {
            RecordComponent component = components[i];
            if (NOT_LISTED.contains(prefix + component.getName())) {
                continue;
            }
            String name =
                    prefix + component.getName().replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
            if (component.getType() == Map.class) {
                Class<?> values =
                        (Class<?>) ((ParameterizedType) component.getGenericType()).getActualTypeArguments()[1];
                collect(name + (prefix.isEmpty() ? ".<name>." : ".<key>."), values, to);
            } else if (component.getType().isRecord()) {
                collect(name + ".", component.getType(), to);
            } else {
                DefaultValue value =
                        type.getDeclaredConstructors()[0].getParameters()[i].getAnnotation(DefaultValue.class);
                to.put(name, value == null ? "" : String.join(",", value.value()));
            }
        }
    }
}
