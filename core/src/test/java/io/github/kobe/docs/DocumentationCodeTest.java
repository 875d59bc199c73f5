package io.github.kobe.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Does the Java in the documentation compile without warnings, run, and print what the pages say? {@link SampleReader} has the rules. */
class DocumentationCodeTest {

    @TestFactory
    Stream<DynamicTest> codeOnPagesRuns() throws IOException {
        List<Sample> samples = Pages.all().stream()
                .flatMap(page -> SampleReader.samples(page).stream())
                .toList();
        SampleRunner runner = new SampleRunner(samples, Duration.ofMinutes(1));
        return samples.stream().map(sample -> DynamicTest.dynamicTest(sample.where(), () -> runner.run(sample)));
    }

    @Test
    void pagesHaveCodeWhereExpected() throws IOException {
        assertThat(Pages.all())
                .filteredOn(page -> page.name().matches("README.*\\.md|docs/guide/(?!README|use-from-kotlin).*\\.md"))
                .hasSizeGreaterThan(2)
                .allSatisfy(page -> assertThat(SampleReader.samples(page).size()
                                + SampleReader.compiledElsewhere(page).size())
                        .as("pieces of Java on %s", page.name())
                        .isPositive());
    }

    @Test
    void onlyCodeOfOtherLibrariesIsNotRun() throws IOException {
        assertThat(Pages.all())
                .filteredOn(page -> !SampleReader.shown(page).isEmpty())
                .extracting(Markdown::name)
                .isSubsetOf(
                        "docs/guide/carry-context.md",
                        "docs/guide/migrate-from-bulkhead.md",
                        "docs/guide/migrate-from-concurrency-limit.md",
                        "docs/guide/migrate-from-resilience4j.md");
    }
}
