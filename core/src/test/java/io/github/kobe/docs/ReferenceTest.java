package io.github.kobe.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupPolicy;
import io.github.kobe.PermitOptions;
import io.github.kobe.TaskOptions;
import io.github.kobe.isolation.IsolationPolicy;
import io.github.kobe.pool.WorkerPoolBuilder;
import io.github.kobe.scope.ThreadScope;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Does the reference list exactly the settings that exist? */
class ReferenceTest {

    @ParameterizedTest
    @CsvSource({"GroupPolicy", "TaskOptions", "PermitOptions", "ThreadScope", "WorkerPool", "IsolationPolicy"})
    void allSettingsAreDocumented(String section) {
        assertThat(listed(section)).isEqualTo(settings(typeOf(section)));
    }

    private static Class<?> typeOf(String section) {
        return switch (section) {
            case "GroupPolicy" -> GroupPolicy.Builder.class;
            case "TaskOptions" -> TaskOptions.Builder.class;
            case "PermitOptions" -> PermitOptions.Builder.class;
            case "ThreadScope" -> ThreadScope.class;
            case "WorkerPool" -> WorkerPoolBuilder.class;
            default -> IsolationPolicy.Builder.class;
        };
    }

    /** Returns the methods that return their own object. */
    private static Set<String> settings(Class<?> type) {
        return Arrays.stream(type.getDeclaredMethods())
                .filter(m -> Modifier.isPublic(m.getModifiers()) && !Modifier.isStatic(m.getModifiers()))
                .filter(m -> m.getReturnType() == type)
                .map(Method::getName)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Returns the settings in the first column of the table under that heading. */
    private static Set<String> listed(String section) {
        return ReferenceTable.rows(section).stream()
                .flatMap(row -> row.settings().stream())
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
