package io.github.kobe.console;

import com.fasterxml.jackson.databind.JsonNode;
import io.github.kobe.console.RawClient.Answer;
import java.net.URI;

/** A console that is running, and requests to it. */
record Site(Console console) implements AutoCloseable {

    static Site of(ConsoleBuilder builder) {
        return new Site(builder.start());
    }

    int port() {
        return console.port();
    }

    String token() {
        return URI.create(console.uri().toString()).getFragment().substring("token=".length());
    }

    /** The lines of a request that is fine, without the last empty one. */
    String request(String method, String path) {
        return method + " " + path + " HTTP/1.1\r\nHost: 127.0.0.1:" + port() + "\r\nAuthorization: Bearer " + token()
                + "\r\n";
    }

    Answer get(String path) {
        return RawClient.send(port(), request("GET", path) + "Connection: close\r\n\r\n");
    }

    JsonNode view(String query) {
        Answer answer = get("/api/view?" + query);
        if (answer.status() != 200) {
            throw new AssertionError(answer.toString());
        }
        return ConsoleKit.json(answer.body());
    }

    Answer post(String path, String body) {
        return RawClient.send(
                port(),
                request("POST", path) + "Content-Type: application/json\r\nContent-Length: " + body.length()
                        + "\r\n\r\n" + body);
    }

    /** Opens a stream, and returns when its first event can be read. */
    RawClient stream(String query) throws java.io.IOException {
        RawClient client = RawClient.connect(port());
        client.write(request("GET", "/api/stream?" + query) + "\r\n");
        return client;
    }

    /** The id of a group of the first executor, as the page gets it. */
    static String id(String key) {
        return KeyId.of(key).toString();
    }

    /** The id of a value of a shared limit of the first executor, as the page gets it. */
    static String sharedId(String limit, String value) {
        return KeyId.of(SharedTable.textOf(limit, value)).toString();
    }

    /** The body of a change of a group of the first executor, or of its tenant. */
    static String change(String key, String value) {
        return "{\"executor\":0,\"group\":\"" + id(key) + "\",\"shared\":\"" + sharedId("tenant", key) + "\",\"value\":"
                + value + "}";
    }

    @Override
    public void close() {
        console.close();
    }
}
