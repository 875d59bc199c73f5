package io.github.kobe.micrometer;

import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;

/** What all builders of metrics have. Not safe for use by many threads. */
final class MeterSettings {

    /** The keys that the meters of this library have anyway. */
    private static final Set<String> OWN_TAGS =
            Set.of("name", "group", "lane", "limit", "outcome", "reason", "state", "tag", "value");

    private static final Duration MAX_AGE = Duration.ofSeconds(1);

    private Tags tags = Tags.empty();
    private Duration maxAge = MAX_AGE;

    /** A tag of this library would be replaced by that of the user, or the other way round. */
    void tags(Iterable<Tag> more) {
        Tags given = Tags.of(Objects.requireNonNull(more, "tags"));
        given.stream()
                .filter(tag -> OWN_TAGS.contains(tag.getKey()))
                .findFirst()
                .ifPresent(tag -> {
                    throw new IllegalArgumentException("tags must not have the key of a tag of this library, but has "
                            + tag.getKey() + "=" + tag.getValue());
                });
        tags = given;
    }

    void maxAge(Duration age) {
        Objects.requireNonNull(age, "maxSnapshotAge");
        if (age.isNegative()) {
            throw new IllegalArgumentException("maxSnapshotAge must not be negative, but is " + age);
        }
        maxAge = age;
    }

    /** Returns the tags of the meters of an executor. */
    Tags tagsOf(String name) {
        return Tags.of("name", name).and(tags);
    }

    Duration maxAge() {
        return maxAge;
    }
}
