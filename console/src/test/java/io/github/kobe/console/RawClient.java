package io.github.kobe.console;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Sends requests that no browser and no client library would send: each is written to a socket as it is. */
final class RawClient implements Closeable {

    /** A client that waits for longer has found a bug. */
    private static final int PATIENCE_MILLIS = 30_000;

    /** What came back. Names of headers are in lower case; the values of equal names are joined. */
    record Answer(int status, Map<String, String> headers, String body) {

        String header(String name) {
            return headers.get(name);
        }
    }

    private final Socket socket;
    private final InputStream in;

    private RawClient(Socket socket) throws IOException {
        this.socket = socket;
        this.in = new BufferedInputStream(socket.getInputStream());
    }

    static RawClient connect(int port) {
        try {
            Socket socket = new Socket(InetAddress.getByName("127.0.0.1"), port);
            socket.setSoTimeout(PATIENCE_MILLIS);
            return new RawClient(socket);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Sends one request on a connection of its own, and returns the whole answer. */
    static Answer send(int port, String request) {
        return send(port, request.getBytes(StandardCharsets.UTF_8));
    }

    static Answer send(int port, byte[] request) {
        try (RawClient client = connect(port)) {
            client.write(request);
            return client.readAnswer();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void write(byte[] request) throws IOException {
        try {
            socket.getOutputStream().write(request);
            socket.getOutputStream().flush();
        } catch (IOException e) {
            // The server may answer, and close, before it has read everything. The answer can be read all the same.
        }
    }

    void write(String request) throws IOException {
        write(request.getBytes(StandardCharsets.UTF_8));
    }

    Answer readAnswer() throws IOException {
        String line = readLine();
        if (!line.startsWith("HTTP/1.1 ")) {
            throw new IOException("no answer but '" + line + "'");
        }
        int status = Integer.parseInt(line.substring(9, 12));
        Map<String, String> headers = new TreeMap<>();
        for (String header = readLine(); !header.isEmpty(); header = readLine()) {
            int colon = header.indexOf(':');
            headers.merge(
                    header.substring(0, colon).toLowerCase(Locale.ROOT),
                    header.substring(colon + 1).strip(),
                    (a, b) -> a + ", " + b);
        }
        String length = headers.get("content-length");
        String body = length == null ? "" : new String(in.readNBytes(Integer.parseInt(length)), StandardCharsets.UTF_8);
        return new Answer(status, headers, body);
    }

    /** Reads the next event of a stream, whose headers have been read. */
    String readEvent() throws IOException {
        List<String> lines = new ArrayList<>();
        while (true) {
            String line = readLine();
            if (line.startsWith("data: ")) {
                lines.add(line.substring("data: ".length()));
            } else if (line.isEmpty() && !lines.isEmpty()) {
                return String.join("\n", lines);
            } // otherwise it is the length of a chunk, or the end of one
        }
    }

    /** Reads what is left of a stream, and returns whether the server has ended it: by the last chunk, which is empty, or by closing the connection. */
    boolean readsEndOfStream() {
        try {
            while (!readLine().equals("0")) {
                // what was sent before the end
            }
            return true;
        } catch (SocketTimeoutException e) {
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    private String readLine() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int b = in.read(); b != '\n'; b = in.read()) {
            if (b < 0) {
                throw new IOException("the server closed the connection");
            }
            line.write(b);
        }
        return line.toString(StandardCharsets.UTF_8).stripTrailing();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
