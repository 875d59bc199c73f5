package io.github.kobe.micrometer;

import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** Asks {@link GroupTags} for the series of a key. Their function is that of a user: what it throws is logged once. Safe for use by many threads. */
final class SeriesNames {

    private static final System.Logger LOG = System.getLogger("io.github.kobe.micrometer");

    private static final int MAX_LOGGED_KEY = 100;

    private final GroupTags tags;
    private final AtomicBoolean mappingFailed = new AtomicBoolean();

    SeriesNames(GroupTags tags) {
        this.tags = tags;
    }

    /** Returns {@code null} if the key belongs to the rest. */
    @Nullable
    String of(String key) {
        try {
            return tags.seriesOf(key);
        } catch (Throwable fault) {
            if (mappingFailed.compareAndSet(false, true)) {
                LOG.log(
                        System.Logger.Level.WARNING,
                        "the function of GroupTags.mapped threw for the key '" + printable(key)
                                + "', which is counted as \"other\"; further exceptions are not logged",
                        fault);
            }
            return null;
        }
    }

    /** The key may be chosen by others: not too long, and without characters that could begin a line of the log or hide text. */
    private static String printable(String key) {
        String start = key.length() <= MAX_LOGGED_KEY ? key : key.substring(0, MAX_LOGGED_KEY) + "…";
        return start.replaceAll("[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}]", "?");
    }
}
