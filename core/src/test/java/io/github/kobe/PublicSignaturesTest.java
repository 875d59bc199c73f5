package io.github.kobe;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.github.kobe.scope.Channel;
import io.github.kobe.scope.Context;
import java.lang.reflect.Executable;
import java.lang.reflect.GenericDeclaration;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.lang.reflect.TypeVariable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Do public signatures tell editors, null checkers and Kotlin what they need to know? */
class PublicSignaturesTest {

    /** Values of channels and of the context are never null. */
    private static final Set<Class<?>> WITHOUT_NULL = Set.of(Channel.class, Context.class);

    private static final List<Class<?>> PUBLIC_TYPES = new ClassFileImporter()
            .importUrl(GroupExecutor.class.getProtectionDomain().getCodeSource().getLocation()).stream()
                    .filter(type -> !type.getPackageName().contains(".internal"))
                    .filter(type -> type.getModifiers().contains(JavaModifier.PUBLIC))
                    .<Class<?>>map(JavaClass::reflect)
                    .toList();

    private static List<Executable> publicMembers() {
        List<Executable> members = new ArrayList<>();
        for (Class<?> type : PUBLIC_TYPES) {
            Stream.concat(Arrays.stream(type.getDeclaredConstructors()), Arrays.stream(type.getDeclaredMethods()))
                    .filter(member -> Modifier.isPublic(member.getModifiers()) && !member.isSynthetic())
                    .forEach(members::add);
        }
        return members;
    }

    @Test
    void valueOfATaskMayBeNull() {
        List<GenericDeclaration> declarations = new ArrayList<>(PUBLIC_TYPES);
        declarations.addAll(publicMembers());
        declarations.removeIf(declaration ->
                WITHOUT_NULL.contains(declaration instanceof Executable e ? e.getDeclaringClass() : declaration));
        List<TypeVariable<?>> variables = declarations.stream()
                .<TypeVariable<?>>flatMap(declaration -> Arrays.stream(declaration.getTypeParameters()))
                .filter(variable -> variable.getBounds()[0] == Object.class)
                .toList();
        assertThat(variables)
                .hasSizeGreaterThan(30)
                .allSatisfy(variable -> assertThat(variable.getAnnotatedBounds()[0].isAnnotationPresent(Nullable.class))
                        .as("%s of %s extends @Nullable Object", variable, variable.getGenericDeclaration())
                        .isTrue());
    }

    @Test
    void parametersHaveNames() {
        assertThat(publicMembers())
                .hasSizeGreaterThan(100)
                .flatMap(member -> List.of(member.getParameters()))
                .allMatch(Parameter::isNamePresent);
    }
}
