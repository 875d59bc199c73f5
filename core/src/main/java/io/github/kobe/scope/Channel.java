package io.github.kobe.scope;

import io.github.kobe.internal.util.Checks;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A bounded queue between tasks. A sender waits while it is full; a receiver waits while it is empty. Thread-safe for any number of senders
 * and receivers. Each element is received once, in the order in which it was sent.
 *
 * <p>If a waiting thread is interrupted, as that of a cancelled task is, the method throws {@link CancelledException}, and the interrupt
 * flag is set again.
 *
 * @param <T> what is sent
 */
public final class Channel<T> implements Iterable<T>, AutoCloseable {

    private final int capacity;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition notFull = lock.newCondition();
    private final Condition notEmpty = lock.newCondition();
    private final ArrayDeque<T> elements = new ArrayDeque<>(); // guarded by the lock, as is the next
    private boolean closed;

    private Channel(int capacity) {
        this.capacity = capacity;
    }

    /**
     * A channel that holds up to {@code capacity} elements that have not been received.
     *
     * @throws IllegalArgumentException if that is less than 1
     */
    public static <T> Channel<T> bounded(int capacity) {
        return new Channel<>(Checks.atLeast(1, "capacity", capacity));
    }

    /**
     * Sends {@code value}, and waits while there is no room for it.
     *
     * @throws ChannelClosedException if the channel is closed, or is while this waits; the value was not sent
     * @throws CancelledException if the thread is interrupted while it waits; the value was not sent
     */
    public void send(T value) {
        Objects.requireNonNull(value, "value");
        lock.lock();
        try {
            while (!closed && elements.size() >= capacity) {
                await(notFull, "send");
            }
            if (closed) {
                throw new ChannelClosedException("the channel is closed: nothing more can be sent");
            }
            elements.add(value);
            notEmpty.signal();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Receives the element that was sent first, and waits while there is none.
     *
     * @throws ChannelClosedException if the channel is closed, or is while this waits, and nothing is left in it
     * @throws CancelledException if the thread is interrupted while it waits
     */
    public T receive() {
        T value = receiveOrNull();
        if (value == null) {
            throw new ChannelClosedException("the channel is closed, and nothing is left in it");
        }
        return value;
    }

    /** {@code null} if it is closed and nothing is left. */
    private @Nullable T receiveOrNull() {
        lock.lock();
        try {
            while (!closed && elements.isEmpty()) {
                await(notEmpty, "receive");
            }
            T value = elements.poll();
            notFull.signal();
            return value;
        } finally {
            lock.unlock();
        }
    }

    /** If a signalled thread is interrupted, the condition passes the signal on to another one. */
    @SuppressWarnings("WaitNotInLoop") // the callers loop
    private static void await(Condition condition, String what) {
        try {
            condition.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CancelledException("interrupted while waiting to " + what, e);
        }
    }

    /** Rejects further elements. Those in it can still be received. Waiting senders, and receivers once it is empty, get {@link ChannelClosedException}. */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            notFull.signalAll();
            notEmpty.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Whether it is closed. */
    public boolean isClosed() {
        lock.lock();
        try {
            return closed;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Receives, element by element, until the channel is closed and empty. {@code hasNext} waits for the next element and
     * removes it from the channel: if {@code next} is not called after that, the element is lost.
     */
    @Override
    public Iterator<T> iterator() {
        return new Iterator<>() {
            private @Nullable T next;

            @Override
            public boolean hasNext() {
                if (next == null) {
                    next = receiveOrNull();
                }
                return next != null;
            }

            @Override
            public T next() {
                if (!hasNext()) {
                    throw new NoSuchElementException("the channel is closed, and nothing is left in it");
                }
                T value = Objects.requireNonNull(next);
                next = null;
                return value;
            }
        };
    }

    /** Such as "channel 3/16, open". */
    @Override
    public String toString() {
        lock.lock();
        try {
            return "channel " + elements.size() + "/" + capacity + (closed ? ", closed" : ", open");
        } finally {
            lock.unlock();
        }
    }
}
