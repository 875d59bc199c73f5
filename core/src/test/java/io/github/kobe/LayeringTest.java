package io.github.kobe;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaType;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Does every package use only the packages that it may use? */
class LayeringTest {

    private static final String ROOT = "io.github.kobe";
    private static final String INTERNAL = ROOT + ".internal";
    private static final String GROUP = INTERNAL + ".group";
    private static final String KERNEL = INTERNAL + ".kernel";
    private static final String[] LEAVES = {
        INTERNAL + ".fair", INTERNAL + ".time", INTERNAL + ".stats", INTERNAL + ".util", INTERNAL + ".jfr"
    };

    private static final JavaClasses OURS = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages(ROOT);

    @Test
    void classesAreFound() {
        assertThat(OURS.contain(GroupExecutor.class)).isTrue();
        assertThat(OURS.contain(LayeringTest.class)).isFalse();
        assertThat(OURS).anyMatch(c -> c.getPackageName().equals(KERNEL));
    }

    @Test
    void kernelUsesTheJdkAndTheLeavesAndKnowsNoFace() {
        classes()
                .that()
                .resideInAPackage(KERNEL)
                .should()
                .onlyDependOnClassesThat(resideInAnyOf(KERNEL, LEAVES))
                .check(OURS);
    }

    @Test
    void groupEngineUsesTheRootTheFleetTheKernelAndTheLeaves() {
        classes()
                .that()
                .resideInAPackage(GROUP)
                .should()
                .onlyDependOnClassesThat(resideInAnyOf(GROUP, LEAVES)
                        .or(JavaClass.Predicates.resideInAnyPackage(ROOT, ROOT + ".fleet", KERNEL)))
                .check(OURS);
    }

    private static DescribedPredicate<JavaClass> resideInAnyOf(String own, String[] others) {
        return JavaClass.Predicates.resideInAnyPackage("java..", "org.jspecify.annotations..", own)
                .or(JavaClass.Predicates.resideInAnyPackage(others));
    }

    @Test
    void rootShowsThePublicVocabularyOnly() {
        classes()
                .that()
                .resideInAPackage(ROOT)
                .and()
                .areTopLevelClasses()
                .and()
                .doNotHaveSimpleName("package-info")
                .should()
                .bePublic()
                .check(OURS);
    }

    @Test
    void leavesUseTheJdkAndUtilOnly() {
        for (String leaf : LEAVES) {
            classes()
                    .that()
                    .resideInAPackage(leaf)
                    .should()
                    .onlyDependOnClassesThat()
                    .resideInAnyPackage("java..", "org.jspecify.annotations..", leaf, INTERNAL + ".util", "jdk.jfr")
                    .check(OURS);
        }
    }

    /** So that all else works without the module of the flight recorder. */
    @Test
    void onlyTheEventsUseTheFlightRecorder() {
        noClasses()
                .that()
                .resideOutsideOfPackage(INTERNAL + ".jfr")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("jdk..")
                .check(OURS);
        noClasses()
                .that()
                .resideOutsideOfPackage(INTERNAL + ".jfr")
                .should()
                .dependOnClassesThat()
                .haveNameMatching(".*\\.internal\\.jfr\\.(?!FlightRecording).*")
                .check(OURS);
    }

    @Test
    void facesUseNothingButTheJdkAndTheKernel() {
        classes()
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage("java..", "jdk.jfr", "org.jspecify.annotations..", ROOT + "..")
                .check(OURS);
    }

    @Test
    void rootKnowsNoOtherFace() {
        noClasses()
                .that()
                .resideInAnyPackage(ROOT, GROUP)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(ROOT + ".scope..", ROOT + ".pool..", ROOT + ".isolation..")
                .check(OURS);
    }

    /** A policy names a fleet, so the fleet must not name the policy. */
    @Test
    void fleetUsesTheKernelAndTheLeavesAndKnowsNoFace() {
        classes()
                .that()
                .resideInAPackage(ROOT + ".fleet")
                .should()
                .onlyDependOnClassesThat(
                        resideInAnyOf(ROOT + ".fleet", LEAVES).or(JavaClass.Predicates.resideInAnyPackage(KERNEL)))
                .check(OURS);
    }

    @Test
    void packagesFormNoCycles() {
        slices().assignedFrom(rootWithGroupEngine()).should().beFreeOfCycles().check(OURS);
    }

    /** Each package is a slice; the root and its implementation are one. */
    private static SliceAssignment rootWithGroupEngine() {
        return new SliceAssignment() {
            @Override
            public SliceIdentifier getIdentifierOf(JavaClass type) {
                String name = type.getPackageName();
                return SliceIdentifier.of(name.equals(GROUP) ? ROOT : name);
            }

            @Override
            public String getDescription() {
                return "packages, with " + GROUP + " as part of " + ROOT;
            }
        };
    }

    @Test
    void signaturesForUsersNameNoInternalType() {
        classes()
                .that()
                .resideOutsideOfPackage(INTERNAL + "..")
                .and()
                .arePublic()
                .should(exposeNoInternalType())
                .check(OURS);
    }

    private static ArchCondition<JavaClass> exposeNoInternalType() {
        return new ArchCondition<>("expose no internal type") {
            @Override
            public void check(JavaClass type, ConditionEvents events) {
                Set<JavaClass> named = new HashSet<>();
                type.getSuperclass().ifPresent(s -> named.addAll(s.getAllInvolvedRawTypes()));
                type.getInterfaces().forEach(i -> named.addAll(i.getAllInvolvedRawTypes()));
                type.getMembers().stream().filter(LayeringTest::isForUsers).forEach(m -> named.addAll(typesOf(m)));
                for (JavaClass leaked : named) {
                    if (leaked.getPackageName().startsWith(INTERNAL)) {
                        events.add(
                                SimpleConditionEvent.violated(type, type.getName() + " exposes " + leaked.getName()));
                    }
                }
            }
        };
    }

    private static boolean isForUsers(JavaMember member) {
        Set<JavaModifier> modifiers = member.getModifiers();
        return modifiers.contains(JavaModifier.PUBLIC) || modifiers.contains(JavaModifier.PROTECTED);
    }

    private static Set<JavaClass> typesOf(JavaMember member) {
        Set<JavaClass> types = new HashSet<>();
        if (member instanceof JavaField field) {
            types.addAll(field.getType().getAllInvolvedRawTypes());
        }
        if (member instanceof JavaCodeUnit unit) {
            types.addAll(unit.getReturnType().getAllInvolvedRawTypes());
            for (JavaType parameter : unit.getParameterTypes()) {
                types.addAll(parameter.getAllInvolvedRawTypes());
            }
            types.addAll(unit.getExceptionTypes());
        }
        return types;
    }

    @Test
    void moduleExportsTheFacesAndNotTheKernel() throws Exception {
        Path compiled = Path.of(GroupExecutor.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        ModuleDescriptor module =
                ModuleFinder.of(compiled).find(ROOT).orElseThrow().descriptor();
        assertThat(module.exports())
                .allMatch(e -> !e.isQualified())
                .extracting(ModuleDescriptor.Exports::source)
                .containsExactlyInAnyOrder(ROOT, ROOT + ".scope", ROOT + ".pool", ROOT + ".isolation", ROOT + ".fleet");
        assertThat(module.opens()).isEmpty();
        assertThat(module.requires())
                .filteredOn(r -> !r.modifiers().contains(ModuleDescriptor.Requires.Modifier.STATIC))
                .extracting(ModuleDescriptor.Requires::name)
                .containsExactly("java.base");
    }
}
