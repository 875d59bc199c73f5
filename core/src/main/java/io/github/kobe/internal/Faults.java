package io.github.kobe.internal;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

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

    /** Takes note of {@code fault}, which came from {@code source}, such as "listener onStarted". Never throws. */
    public void report(String source, Throwable fault) {
        count.increment();
        if (logged.add(source + ' ' + fault.getClass().getName())) {
            log(source + " threw; work goes on, and later ones of this kind are counted but not logged", fault);
        }
    }

    /** Takes note of something wrong that came without an exception; {@code kind} is logged once, with {@code detail}. */
    public void report(String kind, String detail) {
        count.increment();
        if (logged.add(kind)) {
            log(detail + "; later ones of this kind are counted but not logged", null);
        }
    }

    /** How many faults there were. */
    public long count() {
        return count.sum();
    }

    @SuppressWarnings("CatchAndPrintStackTrace") // a broken logger is the one place with nowhere else to go
    private static void log(String message, @org.jspecify.annotations.Nullable Throwable fault) {
        try {
            LOGGER.log(Level.WARNING, message, fault);
        } catch (Throwable loggerFault) {
            loggerFault.printStackTrace();
        }
    }
}
