package io.github.kobe.console;

import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The streams that are open. There is a maximum, because each holds a connection and a thread. Thread-safe.
 *
 * <p>A stream is closed by an interrupt of its thread. The thread may belong to a server that uses it again, so an interrupt is only sent while the
 * stream is registered, and the thread clears the flag when it has left.
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
        private volatile boolean writing;
        private volatile long writingSince;
        private boolean interrupted; // guarded by Streams.this

        private Stream(String client) {
            this.client = client;
        }

        boolean isOver() {
            return System.nanoTime() - since >= longestNanos;
        }

        /** Must be called before each write, which blocks if the client does not read. */
        void beginWrite() {
            writingSince = System.nanoTime();
            writing = true;
        }

        void endWrite() {
            writing = false;
        }

        private boolean isStalled(long now) {
            return writing && now - writingSince >= stalledAfterNanos;
        }

        private void interrupt() {
            interrupted = true;
            thread.interrupt();
        }

        /** Leaves. Called by the thread of the stream. */
        @Override
        public void close() {
            synchronized (Streams.this) {
                open.remove(this);
                Streams.this.notifyAll();
                if (interrupted) {
                    boolean ignored = Thread.interrupted(); // it was for this stream
                }
            }
        }
    }

    private final long stalledAfterNanos;
    private final long longestNanos;
    private final Set<Stream> open = new HashSet<>(); // guarded by this
    private boolean closed; // guarded by this

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

    /** Closes the streams of a client, and those that are stalled. They leave at once: their threads may need a moment. */
    private void remove(long now, String client) {
        open.removeIf(stream -> {
            boolean goes = stream.isStalled(now) || (!client.isEmpty() && stream.client.equals(client));
            if (goes) {
                stream.interrupt();
            }
            return goes;
        });
    }

    /**
     * Closes all streams, and opens no more. Waits for a moment until they have ended, so that clients do not take the end for a failure. After an interrupt,
     * the flag is set again.
     */
    synchronized void close() {
        closed = true;
        open.forEach(Stream::interrupt);
        long deadline = System.nanoTime() + LEAVING.toNanos();
        try {
            for (long left = LEAVING.toNanos(); !open.isEmpty() && left > 0; left = deadline - System.nanoTime()) {
                TimeUnit.NANOSECONDS.timedWait(this, left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        open.clear();
    }

    synchronized int count() {
        return open.size();
    }
}
