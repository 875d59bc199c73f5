package io.github.kobe.internal.util;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Logs failures that must not affect anything else, at a limited rate. {@link #report} is for failures of callbacks and counts them;
 * {@link #warn} only logs. Thread-safe, and never throws.
 *
 * <p>The first failure of a kind in a group is logged at once. After that there is at most one line a minute for this kind and group. It says how
 * many were not logged since the last line. The kind is the source and the class of the exception.
 *
 * <p>Keys of groups may be chosen by an attacker. So at most {@link #MAX_TRACKED} kinds and groups are tracked, of which those are forgotten that
 * were not logged in the last minute. While all are in use, failures of others are only counted; the next line of any kind says how many. A
 * subject is shortened in the log, and characters that could begin a line or hide text are escaped.
 *
 * <pre>
 *   Line.suppressed   number of failures since the last line; negative: the line was forgotten
 *   one side                                           other side                             why one sees the other
 *   a reporter finds the line, then adds one           forget sets a negative number          the reporter gets a negative number, and looks again under the lock
 *   a reporter finds that a minute has passed          another reporter does too              both decide under the lock
 * </pre>
 */
public final class Faults {

    /** What a failure is about, if it belongs to a group. */
    public interface Grouped {
        /** Returns the key of the group. */
        String groupKey();
    }

    private record GroupSubject(String groupKey) implements Grouped {
        @Override
        public String toString() {
            return "group '" + groupKey + "'";
        }
    }

    private record Topic(String kind, String group) {}

    /** The latest line of a topic. */
    private static final class Line {
        private static final long FORGOTTEN = Long.MIN_VALUE;

        private final AtomicLong suppressed = new AtomicLong();
        private volatile long loggedAt; // written under the lock

        Line(long now) {
            loggedAt = now;
        }

        boolean isRecent(long now) {
            return now - loggedAt < PERIOD_NANOS;
        }

        /** Counts a failure that is not logged; false if the line was forgotten. */
        boolean suppress() {
            return suppressed.getAndIncrement() >= 0;
        }
    }

    /** At most one line in this time for a kind and a group. */
    static final long PERIOD_NANOS = TimeUnit.MINUTES.toNanos(1);

    /** How many kinds and groups are tracked. So this is also the maximum number of lines in a minute. */
    static final int MAX_TRACKED = 100;

    private static final int MAX_KEY_LENGTH = 100;
    private static final int MAX_SUBJECT_LENGTH = 300;
    private static final long NOT_NOW = -1;
    private static final Logger LOGGER = System.getLogger("io.github.kobe");

    private final LongSupplier nanoTime;
    private final Supplier<String> owner;
    private final LongAdder count = new LongAdder();
    private final Map<Topic, Line> lines = new ConcurrentHashMap<>(); // changed under the lock
    private final AtomicLong untracked = new AtomicLong();
    private final ReentrantLock lock = new ReentrantLock();
    private volatile long fullUntil; // until then no line is forgotten

    /** @param nanoTime the clock, as {@link System#nanoTime} */
    public Faults(LongSupplier nanoTime) {
        this(nanoTime, () -> "");
    }

    /** @param owner returns what the failures belong to, such as "group executor 'orders'"; lines begin with it, unless it is empty */
    public Faults(LongSupplier nanoTime, Supplier<String> owner) {
        this.owner = owner;
        this.nanoTime = nanoTime;
        this.fullUntil = nanoTime.getAsLong();
    }

    /** The subject of failures that are about a group and not about one task of it. */
    public static Grouped group(String groupKey) {
        return new GroupSubject(groupKey);
    }

    /**
     * Counts and logs what a callback threw.
     *
     * @param source what threw, such as "listener onStarted"; does not depend on data
     * @param subject what the call was about, such as a task; has a group if it is {@link Grouped}
     */
    public void report(String source, Object subject, Throwable fault) {
        count.increment();
        log(source, subject, " threw for ", "; the exception has no other effect", fault);
    }

    /**
     * Counts and logs a failure of a callback without an exception.
     *
     * @param did what {@code source} did about {@code subject}; does not depend on data
     */
    public void report(String source, Object subject, String did) {
        count.increment();
        log(source, subject, ' ' + did + " for ", "", null);
    }

    /**
     * Logs a failure that is not one of a callback, such as a task that failed, and does not count it.
     *
     * @param what what happened, such as "task failed"; does not depend on data
     * @param subject what it is about; has a group if it is {@link Grouped}
     */
    public void warn(String what, Object subject, @Nullable Throwable fault) {
        log(what, subject, ": ", "", fault);
    }

    /**
     * Logs what is no failure, and does not count it.
     *
     * @param what as in {@link #warn}
     * @param subject as in {@link #warn}
     */
    public void note(String what, Object subject) {
        log(Level.INFO, what, subject, ": ", "", null);
    }

    /** How many failures of callbacks were reported. */
    public long count() {
        return count.sum();
    }

    private void log(String source, Object subject, String verb, String effect, @Nullable Throwable fault) {
        log(Level.WARNING, source, subject, verb, effect, fault);
    }

    @SuppressWarnings("CatchAndPrintStackTrace") // a logger that fails cannot log its own failure
    private void log(
            Level level, String source, Object subject, String verb, String effect, @Nullable Throwable fault) {
        try {
            String kind = source + verb + (fault == null ? "" : fault.getClass().getName());
            String group = subject instanceof Grouped grouped ? grouped.groupKey() : "";
            long suppressed = tryLog(new Topic(kind, shortened(group)));
            if (suppressed != NOT_NOW) {
                String text = prefix() + source + verb + escaped(String.valueOf(subject)) + effect;
                LOGGER.log(level, text + notLogged(suppressed), fault);
            }
        } catch (Throwable loggerFault) {
            loggerFault.printStackTrace();
        }
    }

    private String prefix() {
        String text = owner.get();
        return text.isEmpty() ? "" : escaped(text) + ": ";
    }

    private String notLogged(long suppressed) {
        long others = untracked.getAndSet(0);
        return (suppressed == 0
                        ? " (at most one such line a minute"
                        : " (" + suppressed + " more since the last such line")
                + (others == 0 ? ")" : "; " + others + " of other kinds and groups were not logged)");
    }

    /** Returns how many failures of the topic were not logged if this one is; else {@link #NOT_NOW}. */
    private long tryLog(Topic topic) {
        long now = nanoTime.getAsLong();
        Line line = lines.get(topic);
        if (line != null && line.isRecent(now) && line.suppress()) {
            return NOT_NOW;
        }
        if (line == null && now - fullUntil < 0) {
            untracked.incrementAndGet();
            return NOT_NOW;
        }
        lock.lock();
        try {
            return tryLogLocked(topic, now);
        } finally {
            lock.unlock();
        }
    }

    private long tryLogLocked(Topic topic, long now) {
        Line line = lines.get(topic); // a line in the map is not forgotten while the lock is held
        if (line == null) {
            return tryTrack(topic, now);
        }
        if (line.isRecent(now)) {
            line.suppress();
            return NOT_NOW;
        }
        line.loggedAt = now;
        return line.suppressed.getAndSet(0);
    }

    private long tryTrack(Topic topic, long now) {
        if (lines.size() >= MAX_TRACKED) {
            forgetOld(now);
        }
        if (lines.size() >= MAX_TRACKED) {
            untracked.incrementAndGet();
            return NOT_NOW;
        }
        lines.put(topic, new Line(now));
        return 0;
    }

    /** Forgets the lines that are older than a minute. If there is none, remembers when there will be one. */
    private void forgetOld(long now) {
        long oldest = 0;
        for (Iterator<Line> i = lines.values().iterator(); i.hasNext(); ) {
            Line line = i.next();
            if (line.isRecent(now)) {
                oldest = Math.max(oldest, now - line.loggedAt);
            } else {
                i.remove();
                untracked.addAndGet(line.suppressed.getAndSet(Line.FORGOTTEN));
            }
        }
        if (lines.size() >= MAX_TRACKED) {
            fullUntil = now - oldest + PERIOD_NANOS;
        }
    }

    /** A long key is not kept: its beginning and its hash stand for it. */
    private static String shortened(String key) {
        return key.length() <= MAX_KEY_LENGTH ? key : key.substring(0, MAX_KEY_LENGTH) + '#' + key.hashCode();
    }

    /** The text without characters that could begin a line or hide text, and not too long. */
    private static String escaped(String text) {
        boolean tooLong = text.length() > MAX_SUBJECT_LENGTH;
        StringBuilder escaped = new StringBuilder();
        text.codePoints().limit(MAX_SUBJECT_LENGTH).forEach(c -> {
            if (isPrintable(c)) {
                escaped.appendCodePoint(c);
            } else {
                escaped.append(String.format("\\u%04x", c));
            }
        });
        return tooLong ? escaped + "… (" + text.length() + " characters)" : escaped.toString();
    }

    private static boolean isPrintable(int codePoint) {
        return switch (Character.getType(codePoint)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE -> false;
            default -> true;
        };
    }
}
