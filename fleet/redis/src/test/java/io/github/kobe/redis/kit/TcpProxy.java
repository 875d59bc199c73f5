package io.github.kobe.redis.kit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A network between a client and a server on loopback, with faults. What happens to bytes can be set for each direction; it is decided when the proxy is about to pass them
 * on. Thread-safe.
 *
 * <p>A partition of a real network does not lose what was sent into it: TCP sends it again when the partition has healed. {@link Fate#HOLD} is that.
 * {@link Fate#DROP} is a partition that outlasts the patience of TCP: a connection that has lost bytes is reset before it could pass others.
 */
public final class TcpProxy implements AutoCloseable {

    /** What happens to bytes. */
    public enum Fate {
        PASS,
        HOLD,
        DROP
    }

    private static final int MAX_CHUNKS = 1024;

    private final ServerSocket listener;
    private final Set<Link> links = ConcurrentHashMap.newKeySet();
    private final AtomicLong accepted = new AtomicLong();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private Fate requests = Fate.PASS; // under the lock, as the next ones
    private Fate replies = Fate.PASS;
    private Duration delay = Duration.ZERO;
    private int target;
    private boolean refusing;
    private int held;

    private TcpProxy(int target) throws IOException {
        this.target = target;
        listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().name("proxy-accept").start(this::accept);
    }

    /** Starts a proxy that passes everything on to a port of loopback. */
    public static TcpProxy to(int port) {
        try {
            return new TcpProxy(port);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public int port() {
        return listener.getLocalPort();
    }

    /** Returns how many connections there were so far. */
    public long accepted() {
        return accepted.get();
    }

    /** Returns how many connections are open. */
    public int open() {
        return links.size();
    }

    /** Returns how many pieces, each of which was read at once, are held now. What follows them in their direction waits too. */
    public int held() {
        lock.lock();
        try {
            return held;
        } finally {
            lock.unlock();
        }
    }

    /** Heals everything. What was held is passed on. Connections that have lost bytes are reset. */
    public void pass() {
        change(() -> {
            requests = Fate.PASS;
            replies = Fate.PASS;
            delay = Duration.ZERO;
            refusing = false;
        });
        links.stream().filter(link -> link.lossy).forEach(Link::reset);
    }

    /** Sets what happens to bytes from the client, and to those from the server. */
    public void set(Fate ofRequests, Fate ofReplies) {
        change(() -> {
            requests = ofRequests;
            replies = ofReplies;
        });
    }

    /** Loses everything, without a word. Connections stay open. */
    public void drop() {
        set(Fate.DROP, Fate.DROP);
    }

    /** Holds everything until {@link #pass}. */
    public void hold() {
        set(Fate.HOLD, Fate.HOLD);
    }

    /** Delays everything that is read from now on, in each direction. The order stays. */
    public void delay(Duration time) {
        change(() -> delay = time);
    }

    /** Resets all connections, once. */
    public void reset() {
        links.forEach(Link::reset);
    }

    /** Leads to another server from now on. Resets all connections, once. */
    public void retarget(int port) {
        change(() -> target = port);
        reset();
    }

    /** Resets all connections, and each new one at once, until {@link #pass}. */
    public void refuse() {
        change(() -> refusing = true);
        reset();
    }

    /** Resets all connections and ends. */
    @Override
    public void close() {
        try {
            listener.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        refuse();
    }

    private void change(Runnable change) {
        lock.lock();
        try {
            change.run();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private Duration delay() {
        lock.lock();
        try {
            return delay;
        } finally {
            lock.unlock();
        }
    }

    private int target() {
        lock.lock();
        try {
            return target;
        } finally {
            lock.unlock();
        }
    }

    private boolean isRefusing() {
        lock.lock();
        try {
            return refusing;
        } finally {
            lock.unlock();
        }
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket client = listener.accept();
                accepted.incrementAndGet();
                Thread.ofVirtual().name("proxy-connect").start(() -> connect(client));
            } catch (IOException e) {
                return; // the proxy was closed
            }
        }
    }

    private void connect(Socket client) {
        Link link = new Link(client);
        links.add(link);
        if (isRefusing()) {
            link.reset();
            return;
        }
        try {
            link.server.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), target()));
            link.start();
        } catch (IOException e) {
            link.reset();
        }
    }

    /** One connection of a client, and the one to the server that belongs to it. */
    private final class Link {
        final Socket client;
        final Socket server = new Socket();
        volatile boolean lossy;
        volatile boolean closed;

        Link(Socket client) {
            this.client = client;
        }

        void start() throws IOException {
            client.setTcpNoDelay(true);
            server.setTcpNoDelay(true);
            new Pump(this, client, server, true).start();
            new Pump(this, server, client, false).start();
        }

        /** Closes both sides with a RST. */
        void reset() {
            closed = true;
            links.remove(this);
            for (Socket socket : List.of(client, server)) {
                try {
                    if (!socket.isClosed()) {
                        socket.setSoLinger(true, 0);
                    }
                    socket.close();
                } catch (IOException e) {
                    // it was closed already
                }
            }
            change(() -> {}); // wakes what holds bytes
        }
    }

    /** Bytes that were read, and when they are due. */
    private record Chunk(byte[] bytes, long due) {}

    /** One direction of a connection. A reader and a writer, so that a delay does not slow down what follows. */
    private final class Pump {
        private final Link link;
        private final Socket from;
        private final Socket to;
        private final boolean isRequest;
        private final BlockingQueue<Chunk> chunks = new ArrayBlockingQueue<>(MAX_CHUNKS);

        Pump(Link link, Socket from, Socket to, boolean isRequest) {
            this.link = link;
            this.from = from;
            this.to = to;
            this.isRequest = isRequest;
        }

        void start() {
            Thread.ofVirtual().name("proxy-read").start(this::read);
            Thread.ofVirtual().name("proxy-write").start(this::write);
        }

        private void read() {
            byte[] buffer = new byte[16 * 1024];
            try {
                while (true) {
                    int length = from.getInputStream().read(buffer);
                    byte[] bytes = length < 0 ? new byte[0] : Arrays.copyOf(buffer, length);
                    chunks.put(new Chunk(bytes, System.nanoTime() + delay().toNanos()));
                    if (length < 0) {
                        return;
                    }
                }
            } catch (IOException e) {
                link.reset();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private void write() {
            try {
                while (!link.closed) {
                    Chunk chunk = chunks.poll(1, TimeUnit.SECONDS);
                    if (chunk != null && !pass(chunk)) {
                        return;
                    }
                }
            } catch (IOException e) {
                link.reset();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        /** Returns whether more can follow. */
        private boolean pass(Chunk chunk) throws IOException, InterruptedException {
            if (awaitFate(chunk.due()) == Fate.DROP) {
                link.lossy = true;
            } else if (link.lossy || chunk.bytes().length == 0) {
                link.reset();
                return false;
            } else {
                to.getOutputStream().write(chunk.bytes());
            }
            return true;
        }

        private Fate awaitFate(long due) throws InterruptedException {
            lock.lock();
            try {
                for (long left = due - System.nanoTime(); left > 0 && !link.closed; ) {
                    left = changed.awaitNanos(left);
                }
                held++;
                while (fate() == Fate.HOLD && !link.closed) {
                    changed.await();
                }
                held--;
                return fate();
            } finally {
                lock.unlock();
            }
        }

        private Fate fate() {
            return isRequest ? requests : replies;
        }
    }

    @Override
    public String toString() {
        List<String> parts = new ArrayList<>(List.of("127.0.0.1:" + port(), "to " + target()));
        lock.lock();
        try {
            parts.add("requests " + requests);
            parts.add("replies " + replies);
        } finally {
            lock.unlock();
        }
        return String.join(", ", parts);
    }
}
