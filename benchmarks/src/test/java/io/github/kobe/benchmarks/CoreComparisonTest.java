package io.github.kobe.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Does the comparison of two cores alternate between them and compute its ratios within a round? */
class CoreComparisonTest {

    private static final Path THIS_CORE = Path.of("core", "target", "classes").toAbsolutePath();
    private static final Path OTHER_CORE = Path.of("old.jar").toAbsolutePath();

    /** Writes its name to a log in each round and returns the next of the given costs. */
    private record FakeJvm(String name, List<String> log, Iterator<Double> costs) implements CoreComparison.Jvm {

        static FakeJvm of(String name, List<String> log, double... costs) {
            return new FakeJvm(name, log, DoubleStream.of(costs).boxed().iterator());
        }

        @Override
        public double round() {
            log.add(name);
            return costs.next();
        }

        @Override
        public void close() {}
    }

    @Test
    void theCoresTakeTurnsInRunningFirst() {
        List<String> log = new ArrayList<>();
        CoreComparison.alternate(1, 3, FakeJvm.of("this", log, 1, 1, 1, 1), FakeJvm.of("other", log, 1, 1, 1, 1));

        assertThat(log).containsExactly("other", "this", "this", "other", "other", "this", "this", "other");
    }

    @Test
    void costsOfARoundStayTogetherAndWarmUpsAreDropped() {
        List<String> log = new ArrayList<>();
        CoreComparison.Costs costs = CoreComparison.alternate(
                2, 3, FakeJvm.of("this", log, 100, 90, 1, 2, 3), FakeJvm.of("other", log, 200, 190, 10, 20, 30));

        assertThat(costs.thisCore()).containsExactly(1, 2, 3);
        assertThat(costs.otherCore()).containsExactly(10, 20, 30);
    }

    @Test
    void theRatioIsComputedWithinEachRound() {
        CoreComparison.Costs costs = new CoreComparison.Costs(new double[] {10, 100, 10}, new double[] {20, 150, 12});

        assertThat(costs.ratios()).containsExactly(2, 1.5, 1.2);
    }

    @Test
    void aLineHasTheCostsTheRatioOfAllRoundsAndTheRangeOfThePairs() {
        LibraryWorkload workload = new LibraryWorkload("a workload", Unit.NANOS, () -> 0);
        CoreComparison.Costs fast = new CoreComparison.Costs(new double[] {10, 10}, new double[] {9, 11});
        CoreComparison.Costs slow = new CoreComparison.Costs(new double[] {10, 10, 10}, new double[] {15, 20, 20});

        assertThat(CoreComparison.cells(workload, List.of(slow, fast)))
                .containsExactly(
                        "a workload",
                        "ns, lower is better",
                        "10 ns",
                        "15 ns (11..20)",
                        "1.50x (1.10..2.00)",
                        "1.00x to 2.00x");
    }

    @Test
    void onlyTheCoreOfTheClassPathIsReplaced() {
        String classPath = String.join(File.pathSeparator, "benchmarks/classes", "core/target/classes", "lib/jmh.jar");

        assertThat(CoreComparison.replaceCore(classPath, THIS_CORE, OTHER_CORE))
                .isEqualTo(String.join(File.pathSeparator, "benchmarks/classes", OTHER_CORE.toString(), "lib/jmh.jar"));
    }

    @Test
    void aClassPathWithoutTheCoreIsAnError() {
        assertThatIllegalStateException()
                .isThrownBy(() -> CoreComparison.replaceCore("lib/jmh.jar", THIS_CORE, OTHER_CORE))
                .withMessageContaining("is not an entry of the class path");
    }

    @Test
    void aPathWithoutCoreClassesIsAWrongArgument(@TempDir Path directory) throws IOException {
        Path file = Files.writeString(directory.resolve("no.jar"), "no jar");

        for (Path wrong : List.of(directory, file, directory.resolve("missing"))) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> new CoreComparison(wrong, new RunLength(true), new ConsoleReport(System.out)))
                    .withMessage(
                            "--compare must be a jar or a directory with the core classes, but is '" + wrong + "'");
        }
    }

    /** A fleet is several JVMs and a server, which a pair of JVMs cannot be compared with. */
    static List<Chapter> chapters() {
        return Chapter.ALL.stream()
                .filter(chapter -> !chapter.name().equals("fleet"))
                .toList();
    }

    @ParameterizedTest
    @MethodSource("chapters")
    void everyChapterHasWorkloadsWithUniqueNamesWhoseCostIsBetterIfLower(Chapter chapter) {
        List<LibraryWorkload> workloads = chapter.libraryWorkloads().apply(new RunLength(true));

        assertThat(workloads).isNotEmpty();
        assertThat(workloads).extracting(LibraryWorkload::name).doesNotHaveDuplicates();
        assertThat(workloads).allMatch(workload -> workload.unit().description().endsWith("lower is better"));
    }
}
