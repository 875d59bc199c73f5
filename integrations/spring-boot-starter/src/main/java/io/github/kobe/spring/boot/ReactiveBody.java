package io.github.kobe.spring.boot;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxSink;

/**
 * What one thread writes and a subscriber gets, as it requests it: a write blocks until there is a subscriber that has requested a buffer. After {@link #cancel}
 * writes fail.
 *
 * <p>The semaphore has one permit for each requested buffer. The sink is set before the first of them is released, so who has a permit sees it; or the
 * body is cancelled.
 */
final class ReactiveBody extends OutputStream {

    /** A subscriber may request any number; more than this is as good. */
    private static final long MANY = 1L << 20;

    private final DataBufferFactory factory;
    private final Semaphore requested = new Semaphore(0);
    private volatile @Nullable FluxSink<DataBuffer> sink;
    private volatile boolean cancelled;
    private volatile boolean closed;

    ReactiveBody(DataBufferFactory factory) {
        this.factory = factory;
    }

    /** For one subscriber. */
    Flux<DataBuffer> buffers() {
        return Flux.create(subscriber -> {
            sink = subscriber;
            subscriber.onDispose(this::cancel);
            subscriber.onRequest(number -> requested.release((int) Math.min(number, MANY)));
            if (closed) {
                subscriber.complete(); // before anybody subscribed
            }
        });
    }

    void cancel() {
        cancelled = true;
        requested.release();
    }

    @Override
    public void write(int b) throws IOException {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        if (length == 0) {
            return;
        }
        if (cancelled) {
            throw new IOException("the client has left");
        }
        try {
            requested.acquire();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw (IOException) new InterruptedIOException("interrupted").initCause(e);
        }
        FluxSink<DataBuffer> subscriber = sink;
        if (cancelled || subscriber == null) {
            throw new IOException("the client has left");
        }
        subscriber.next(factory.wrap(Arrays.copyOfRange(bytes, offset, offset + length)));
    }

    @Override
    public void close() {
        closed = true;
        FluxSink<DataBuffer> subscriber = sink;
        if (subscriber != null) {
            subscriber.complete();
        }
    }
}
