package io.github.kobe.internal.util;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Where the failures of user code that must not disturb anyone end up: counted, and the first of each kind logged.
 *
 * <p>The kind is the place it came from and the class of what was thrown, so that a listener that fails a million times
 * writes one line. The kinds come from code, not from data, so their set stays small.
 */
public final class Faults {

    private static final Logger LOGGER = System.getLogger("io.github.kobe");

    private final Set<String> logged = ConcurrentHashMap.newKeySet();
    private final LongAdder count = new LongAdder();

    /**
     * Takes note of {@code fault}. Never throws.
     *
     * @param source where it came from, such as "listener onStarted"
     * @param subject what it was about, such as a task
     */
    public void report(String source, Object subject, Throwable fault) {
        count.increment();
        if (logged.add(source + ' ' + fault.getClass().getName())) {
            log(source + " threw for " + subject + "; work goes on", fault);
        }
    }

    /** Takes note of something wrong that came without an exception: what {@code source} did about {@code subject}. */
    public void report(String source, Object subject, String did) {
        count.increment();
        if (logged.add(source + ' ' + did)) {
            log(source + ' ' + did + " for " + subject, null);
        }
    }

    /** How many faults there were. */
    public long count() {
        return count.sum();
    }

    @SuppressWarnings("CatchAndPrintStackTrace") // a broken logger is the one place with nowhere else to go
    private static void log(String message, @Nullable Throwable fault) {
        try {
            LOGGER.log(Level.WARNING, message + "; later ones of this kind are not logged", fault);
        } catch (Throwable loggerFault) {
            loggerFault.printStackTrace();
        }
    }
}
