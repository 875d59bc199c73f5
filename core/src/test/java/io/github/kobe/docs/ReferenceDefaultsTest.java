package io.github.kobe.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Does the reference list the actual defaults of the settings? */
class ReferenceDefaultsTest {

    private static final String NONE = "none";

    @ParameterizedTest
    @CsvSource({"GroupPolicy", "TaskOptions", "PermitOptions", "ThreadScope", "WorkerPool", "IsolationPolicy"})
    void documentedDefaultsAreThoseOfTheCode(String section) throws Exception {
        List<ReferenceTable.Row> rows = ReferenceTable.rows(section);
        Map<String, Object> values = SettingDefaults.of(section);

        List<ReferenceTable.Row> real = rows.stream()
                .map(row -> new ReferenceTable.Row(row.settings(), text(row.settings(), values)))
                .toList();

        assertThat(rows).isNotEmpty().isEqualTo(real);
    }

    /** If settings share a row, those without a default are left out beside one with a default. */
    private static String text(List<String> settings, Map<String, Object> values) {
        assertThat(values).containsKeys(settings.toArray(String[]::new));
        String texts = settings.stream()
                .map(setting -> text(values.get(setting)))
                .filter(text -> !text.equals(NONE))
                .collect(Collectors.joining(", "));
        return texts.isEmpty() ? NONE : texts;
    }

    private static String text(Object value) {
        return switch (value) {
            case null -> NONE;
            case Map<?, ?> map when map.isEmpty() -> NONE;
            case Collection<?> values when values.isEmpty() -> NONE;
            case String text -> text.isEmpty() ? NONE : '"' + text + '"';
            case Boolean yes -> yes ? "yes" : "no";
            case Integer number ->
                number == Integer.MAX_VALUE ? "unlimited" : String.format(Locale.ROOT, "%,d", number);
            case Duration time -> text(time);
            case Enum<?> word -> code(word.name());
            case SettingDefaults.SameAs other -> code(other.setting());
            default -> Objects.toString(value);
        };
    }

    private static String text(Duration time) {
        if (time.toMillis() < 1000) {
            return time.toMillis() + " ms";
        }
        boolean minutes = time.toSecondsPart() == 0;
        long number = minutes ? time.toMinutes() : time.toSeconds();
        String unit = minutes ? "minute" : "second";
        return number == 1 ? "one " + unit : number + " " + unit + "s";
    }

    private static String code(String word) {
        return "`" + word + "`";
    }
}
