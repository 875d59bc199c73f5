package io.github.kobe.console;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A proxy in front of a console, at a path of its own. It takes the path from each request, and passes the rest on as it is, the header Host included. One
 * request for each connection.
 */
final class ReverseProxy implements AutoCloseable {

    private final ServerSocket server;
    private final String prefix;
    private final boolean buffersStreams;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private volatile int target;
    private volatile boolean wantsCsrfToken;

    /** @param buffersStreams whether it keeps what a stream sends, as some proxies do unless they are told otherwise */
    ReverseProxy(String prefix, boolean buffersStreams) {
        this.prefix = prefix;
        this.buffersStreams = buffersStreams;
        try {
            this.server = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Thread.ofVirtual().start(this::accept);
    }

    String host() {
        return "127.0.0.1:" + server.getLocalPort();
    }

    /** Passes requests to that port from now on. */
    void target(int port) {
        target = port;
    }

    /** From now on it refuses changes without a token, which it tells with each response, as Spring Security does. */
    void wantCsrfToken() {
        wantsCsrfToken = true;
    }

    /** The address of the page of a console. */
    java.net.URI address(Site site) {
        return java.net.URI.create(
                "http://" + host() + prefix + "#" + site.console().uri().getFragment());
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket client = server.accept();
                open.add(client);
                Thread.ofVirtual().start(() -> pass(client));
            } catch (IOException e) {
                return; // closed
            }
        }
    }

    private void pass(Socket client) {
        try (client;
                Socket upstream = new Socket(InetAddress.getByName("127.0.0.1"), target)) {
            open.add(upstream);
            InputStream in = new BufferedInputStream(client.getInputStream());
            String head = readHead(in);
            if (head == null) {
                return;
            }
            if (!head.split(" ", 3)[1].startsWith(prefix)) {
                client.getOutputStream()
                        .write("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"
                                .getBytes(StandardCharsets.US_ASCII));
                return;
            }
            if (wantsCsrfToken && head.startsWith("POST ") && !head.contains("\r\nX-Test-Csrf: t0ken\r\n")) {
                client.getOutputStream()
                        .write("HTTP/1.1 403 Forbidden\r\nContent-Length: 8\r\n\r\nno token"
                                .getBytes(StandardCharsets.US_ASCII));
                return;
            }
            String passed = head.replaceFirst(" " + prefix, " /")
                    .replaceFirst("(?i)\r\nConnection: [^\r]*", "")
                    .replaceFirst("\r\n\r\n", "\r\nConnection: close\r\n\r\n");
            upstream.getOutputStream().write(passed.getBytes(StandardCharsets.ISO_8859_1));
            Thread up = Thread.ofVirtual().start(() -> copy(in, upstream));
            if (wantsCsrfToken) {
                String answer = readHead(upstream.getInputStream());
                String told = String.valueOf(answer)
                        .replaceFirst("\r\n\r\n", "\r\nX-Csrf-Header: X-Test-Csrf\r\nX-Csrf-Token: t0ken\r\n\r\n");
                client.getOutputStream().write(told.getBytes(StandardCharsets.ISO_8859_1));
            }
            if (buffersStreams && head.contains("/api/stream")) {
                upstream.getInputStream().readAllBytes();
            } else {
                upstream.getInputStream().transferTo(client.getOutputStream());
            }
            up.interrupt();
        } catch (IOException e) {
            // One of the two has left.
        }
    }

    private static void copy(InputStream from, Socket to) {
        try {
            OutputStream out = to.getOutputStream();
            from.transferTo(out);
            to.close(); // the client has left
        } catch (IOException e) {
            // One of the two has left.
        }
    }

    /** Returns {@code null} if the client leaves before it is complete. */
    private static @Nullable String readHead(InputStream in) throws IOException {
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        while (!head.toString(StandardCharsets.ISO_8859_1).endsWith("\r\n\r\n")) {
            int b = in.read();
            if (b < 0) {
                return null;
            }
            head.write(b);
        }
        return head.toString(StandardCharsets.ISO_8859_1);
    }

    /** Cuts all connections, as a restart of the network would. */
    void cut() {
        for (Socket socket : open) {
            try {
                socket.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        open.clear();
    }

    @Override
    public void close() throws IOException {
        server.close();
        cut();
    }
}
