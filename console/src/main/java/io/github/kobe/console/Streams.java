package io.github.kobe.console;

import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The streams that are open. There is a maximum, because each holds a connection and a thread. Thread-safe.
 *
 * <p>A stream that waits for its next event is ended by an interrupt of its thread. One that writes is not, because an interrupt would close its connection in the middle of the response, which
 * a browser takes for a failure: it ends after the write. Only a stalled one is interrupted in its write. The thread may belong to a server that uses it again, so an interrupt is only
 * sent while the stream is registered, and the thread clears the flag when it has left.
 *
 * <p>Locks: the monitor of this object, then that of a stream.
 */
final class Streams {

    static final int MAX = 20;

    /** A client that has not read for so long has gone without saying so, or keeps others out. */
    static final Duration STALLED_AFTER = Duration.ofSeconds(10);

    /** Then the page asks for a new stream, and it is decided anew whether its user may have one. */
    static final Duration LONGEST = Duration.ofMinutes(10);

    private static final Duration LEAVING = Duration.ofSeconds(1);

    /** A stream, from when it is registered until it is left. */
    final class Stream implements AutoCloseable {

        private final Thread thread = Thread.currentThread();
        private final long since = System.nanoTime();
        private final String client;
        private boolean writing; // guarded by this stream, as what follows
        private long writingSince;
        private boolean ended;
        private boolean interrupted;

        private Stream(String client) {
            this.client = client;
        }

        boolean isOver() {
            return System.nanoTime() - since >= longestNanos;
        }

        /**
         * Must be called before each write of an event, which blocks if the client does not read.
         *
         * @return false if the stream has to end, and nothing is to be written but its end
         */
        synchronized boolean beginWrite() {
            if (!ended) {
                startWriting();
            }
            return !ended;
        }

        /** Must be called after it. Returns false if the stream has to end. */
        synchronized boolean endWrite() {
            writing = false;
            return !ended;
        }

        /** Must be called before the end of the stream is written. From now on, it is interrupted only if that stalls. */
        synchronized void beginEnd() {
            startWriting();
            clearInterrupt();
        }

        private void startWriting() {
            writingSince = System.nanoTime();
            writing = true;
        }

        private synchronized boolean isStalled(long now) {
            return writing && now - writingSince >= stalledAfterNanos;
        }

        /** Ends it: at once if it waits, otherwise after its write. Returns false if it writes. */
        private synchronized boolean end() {
            if (!ended && !writing) {
                interrupt();
            }
            ended = true;
            return !writing;
        }

        private synchronized void interrupt() {
            interrupted = true;
            thread.interrupt();
        }

        /** Clears the flag of its thread if the interrupt was for this stream. Called by that thread. */
        private synchronized void clearInterrupt() {
            if (interrupted) {
                interrupted = false;
                boolean ignored = Thread.interrupted();
            }
        }

        /** Leaves. Called by the thread of the stream. */
        @Override
        public void close() {
            synchronized (Streams.this) {
                open.remove(this);
                leaving.remove(this);
                Streams.this.notifyAll();
                clearInterrupt();
            }
        }
    }

    private final long stalledAfterNanos;
    private final long longestNanos;
    private final Set<Stream> open = new HashSet<>(); // guarded by this, as what follows
    private final Set<Stream> leaving = new HashSet<>(); // those that end after a write. They do not count
    private boolean closed;

    Streams(Duration stalledAfter, Duration longest) {
        this.stalledAfterNanos = stalledAfter.toNanos();
        this.longestNanos = longest.toNanos();
    }

    /**
     * Registers a stream of the calling thread. An earlier stream of the same client is closed.
     *
     * @param client empty if it has no name
     * @return {@code null} if there are too many streams, or after {@link #close}
     */
    synchronized @Nullable Stream tryOpen(String client) {
        long now = System.nanoTime();
        if (!client.isEmpty()) {
            remove(now, client);
        }
        if (open.size() >= MAX) {
            remove(now, "");
        }
        if (closed || open.size() >= MAX) {
            return null;
        }
        Stream stream = new Stream(client);
        open.add(stream);
        return stream;
    }

    /** Ends the streams of a client, and those that are stalled. From now on they do not count: their threads may need a moment. */
    private void remove(long now, String client) {
        leaving.forEach(stream -> interruptIfStalled(stream, now));
        open.removeIf(stream ->
                interruptIfStalled(stream, now) || (!client.isEmpty() && stream.client.equals(client) && ends(stream)));
    }

    private static boolean interruptIfStalled(Stream stream, long now) {
        boolean stalled = stream.isStalled(now);
        if (stalled) {
            stream.interrupt();
        }
        return stalled;
    }

    /** Ends a stream, which is found from now on if it stalls. There is a maximum of those, too: beyond it, a write is interrupted. */
    private boolean ends(Stream stream) {
        if (!stream.end()) {
            if (leaving.size() < MAX) {
                leaving.add(stream);
            } else {
                stream.interrupt();
            }
        }
        return true;
    }

    /**
     * Closes all streams, and opens no more. Waits for a moment until they have ended, so that clients do not take the end for a failure. After an interrupt,
     * the flag is set again.
     */
    synchronized void close() {
        closed = true;
        open.forEach(Stream::end);
        open.addAll(leaving);
        long deadline = System.nanoTime() + LEAVING.toNanos();
        try {
            for (long left = LEAVING.toNanos(); !open.isEmpty() && left > 0; left = deadline - System.nanoTime()) {
                TimeUnit.NANOSECONDS.timedWait(this, left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        open.forEach(Stream::interrupt); // they write, and their clients do not read
        open.clear();
        leaving.clear();
    }

    synchronized int count() {
        return open.size();
    }
}
