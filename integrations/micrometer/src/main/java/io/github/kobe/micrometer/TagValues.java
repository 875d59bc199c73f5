package io.github.kobe.micrometer;

import java.util.Objects;

/** Turns keys and tags of users into values of meter tags, so that they cannot be mistaken for the values that this library adds. */
final class TagValues {

    /** What is not shown by itself. */
    static final String OTHER = "other";

    /** The value is absent. */
    static final String NONE = "none";

    private TagValues() {}

    /**
     * Returns the value for a key. Keys that differ have values that differ, and none of them is {@link #OTHER} or empty. To that end, a key that
     * is empty, is "other", or is one of these after some underscores gets one more underscore in front.
     */
    static String ofKey(String key) {
        String bare = withoutLeadingUnderscores(key);
        return bare.isEmpty() || bare.equals(OTHER) ? "_" + key : key;
    }

    /** As {@link #ofKey}, for the tag of a task. Its value is {@link #NONE} if the task has no tag, and only then. */
    static String ofTag(String tag) {
        if (tag.isEmpty()) {
            return NONE;
        }
        return withoutLeadingUnderscores(tag).equals(NONE) ? "_" + tag : ofKey(tag);
    }

    /** Returns a name that a user gave. */
    static String requireName(String name) {
        if (Objects.requireNonNull(name, "name").isBlank()) {
            throw new IllegalArgumentException("name must not be blank, but is '" + name + "'");
        }
        return name;
    }

    private static String withoutLeadingUnderscores(String text) {
        int start = 0;
        while (start < text.length() && text.charAt(start) == '_') {
            start++;
        }
        return text.substring(start);
    }
}
