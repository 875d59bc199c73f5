package io.github.kobe.internal.util;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Collects failures of user code that must not affect anything else. Every failure is counted; the first of each kind is logged.
 *
 * <p>The kind is the source and the class of the exception, so a listener that fails a million times is logged once. Sources are named
 * in the code and do not depend on data, so there are few kinds.
 */
public final class Faults {

    private static final Logger LOGGER = System.getLogger("io.github.kobe");

    private final Set<String> logged = ConcurrentHashMap.newKeySet();
    private final LongAdder count = new LongAdder();

    /**
     * Counts {@code fault}, and logs it if it is the first of its kind. Never throws.
     *
     * @param source what threw, such as "listener onStarted"
     * @param subject what the call was about, such as a task
     */
    public void report(String source, Object subject, Throwable fault) {
        count.increment();
        if (logged.add(source + ' ' + fault.getClass().getName())) {
            log(source + " threw for " + subject + "; the exception has no other effect", fault);
        }
    }

    /** Counts a failure without an exception: what {@code source} did about {@code subject}. */
    public void report(String source, Object subject, String did) {
        count.increment();
        if (logged.add(source + ' ' + did)) {
            log(source + ' ' + did + " for " + subject, null);
        }
    }

    /** How many failures were reported. */
    public long count() {
        return count.sum();
    }

    @SuppressWarnings("CatchAndPrintStackTrace") // a logger that fails cannot log its own failure
    private static void log(String message, @Nullable Throwable fault) {
        try {
            LOGGER.log(Level.WARNING, message + "; further failures of this kind are not logged", fault);
        } catch (Throwable loggerFault) {
            loggerFault.printStackTrace();
        }
    }
}
