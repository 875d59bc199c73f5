package io.github.kobe.benchmarks;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Arrays;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.LockSupport;

/**
 * Stands for the network between a client and a server on one machine: what comes on a connection goes on after a delay, in both directions. It takes a few
 * wake-ups of threads longer than that.
 */
final class DelayingRelay implements AutoCloseable {

    private static final int BUFFER = 64 * 1024;

    private final ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final int target;
    private final long delayNanos;

    private record Chunk(byte[] bytes, long due) {}

    /** @param target the port to connect to */
    DelayingRelay(int target, long delayNanos) throws IOException {
        this.target = target;
        this.delayNanos = delayNanos;
        Thread.ofPlatform().daemon().name("relay").start(this::accept);
    }

    int port() {
        return server.getLocalPort();
    }

    private void accept() {
        try {
            while (true) {
                Socket client = server.accept();
                Socket upstream = new Socket(InetAddress.getLoopbackAddress(), target);
                client.setTcpNoDelay(true);
                upstream.setTcpNoDelay(true);
                relay(client, upstream);
                relay(upstream, client);
            }
        } catch (IOException e) {
            // closed
        }
    }

    private void relay(Socket from, Socket to) {
        BlockingQueue<Chunk> underWay = new LinkedBlockingQueue<>();
        Thread.ofPlatform().daemon().name("relay-in").start(() -> receive(from, underWay));
        Thread.ofPlatform().daemon().name("relay-out").start(() -> send(underWay, to));
    }

    private void receive(Socket from, BlockingQueue<Chunk> underWay) {
        byte[] buffer = new byte[BUFFER];
        int read;
        try (InputStream in = from.getInputStream()) {
            while ((read = in.read(buffer)) > 0) {
                underWay.add(new Chunk(Arrays.copyOf(buffer, read), System.nanoTime() + delayNanos));
            }
        } catch (IOException e) {
            // closed
        }
        underWay.add(new Chunk(new byte[0], System.nanoTime())); // the end
    }

    private static void send(BlockingQueue<Chunk> underWay, Socket to) {
        try (OutputStream out = to.getOutputStream()) {
            for (Chunk chunk = underWay.take(); chunk.bytes.length > 0; chunk = underWay.take()) {
                for (long left = chunk.due - System.nanoTime(); left > 0; left = chunk.due - System.nanoTime()) {
                    LockSupport.parkNanos(left);
                }
                out.write(chunk.bytes);
            }
        } catch (IOException e) {
            // closed
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
