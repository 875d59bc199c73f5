package io.github.kobe.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Are wrong names and tags refused, and are values of tags unambiguous? */
class GroupTagsTest {

    @Test
    void settingsOutOfRangeAreRefusedWithNameAndValue() {
        assertThatThrownBy(() -> GroupTags.first(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("n must be at least 1, but is 0");
        assertThatThrownBy(GroupTags::of)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("none()");
        assertThatThrownBy(() -> GroupTags.mapped(null)).isInstanceOf(NullPointerException.class);
    }

    @Test
    void blankNamesAreRefused() {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        assertThatThrownBy(() -> ScopeMetrics.of(registry, " "))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("name must not be blank, but is ' '");
        assertThatThrownBy(() -> TaskObservation.of(ObservationRegistry.create(), ""))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("name must not be blank, but is ''");
    }

    @Test
    void tagsOfTheLibraryAreRefused() {
        try (GroupExecutor executor =
                GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder().build())) {
            GroupExecutorMetrics.Builder builder = GroupExecutorMetrics.builder(executor);
            assertThatThrownBy(() -> builder.tags(Tags.of("region", "eu", "name", "mine")))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("name=mine");
            assertThatThrownBy(() -> builder.maxSnapshotAge(null)).hasMessage("maxSnapshotAge");
        }
    }

    @Test
    void textNamesTheKind() {
        assertThat(List.of(
                        GroupTags.none(),
                        GroupTags.first(50),
                        GroupTags.of("vip", "free"),
                        GroupTags.mapped(key -> key)))
                .map(GroupTags::toString)
                .containsExactly("none", "first 50", "of [vip, free]", "mapped to at most 50 classes");
    }

    @Test
    void differentKeysHaveDifferentValuesAndNoneIsOther() {
        List<String> keys = List.of("", "_", "__", "other", "_other", "__other", "another", "Other", "none", "_none");
        Set<String> values = new HashSet<>();
        for (String key : keys) {
            values.add(TagValues.ofKey(key));
        }
        assertThat(values).hasSameSizeAs(keys).doesNotContain("other", "");
        assertThat(TagValues.ofKey("acme")).isEqualTo("acme");
        assertThat(TagValues.ofKey("other")).isEqualTo("_other");
    }

    @Test
    void differentTagsHaveDifferentValuesAndOnlyAnAbsentTagIsNone() {
        List<String> tags = List.of("_", "other", "_other", "none", "_none", "report");
        Set<String> values = new HashSet<>();
        for (String tag : tags) {
            values.add(TagValues.ofTag(tag));
        }
        assertThat(values).hasSameSizeAs(tags).doesNotContain("other", "none", "");
        assertThat(TagValues.ofTag("")).isEqualTo("none");
    }
}
