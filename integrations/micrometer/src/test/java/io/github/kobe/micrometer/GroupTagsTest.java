package io.github.kobe.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Do the settings of group tags validate, and are values of tags unambiguous? */
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
