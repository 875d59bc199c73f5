package io.github.kobe.console;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A request of another server than the JDK's. */
final class FakeExchange implements ConsoleExchange {

    private final String method;
    private final String path;
    private final Map<String, List<String>> headers = new TreeMap<>();
    private final ByteArrayOutputStream response = new ByteArrayOutputStream();
    private InputStream body = InputStream.nullInputStream();
    private @Nullable String query;
    private @Nullable String user;
    private String remote = "192.0.2.1";
    private int status;
    private Map<String, String> responseHeaders = Map.of();

    FakeExchange(String method, String path) {
        this.method = method;
        this.path = path;
    }

    FakeExchange header(String name, String value) {
        headers.computeIfAbsent(name.toLowerCase(Locale.ROOT), n -> new ArrayList<>())
                .add(value);
        return this;
    }

    FakeExchange query(String text) {
        query = text;
        return this;
    }

    FakeExchange user(String name) {
        user = name;
        return this;
    }

    FakeExchange remote(String address) {
        remote = address;
        return this;
    }

    FakeExchange body(String text) {
        body = new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
        return header("Content-Type", "application/json");
    }

    /** Returns how much of the body was not read. */
    int unread() throws IOException {
        return body.available();
    }

    int status() {
        return status;
    }

    String response() {
        return response.toString(StandardCharsets.UTF_8);
    }

    Map<String, String> responseHeaders() {
        return responseHeaders;
    }

    @Override
    public String method() {
        return method;
    }

    @Override
    public String path() {
        return path;
    }

    @Override
    public @Nullable String query() {
        return query;
    }

    @Override
    public List<String> headers(String name) {
        return headers.getOrDefault(name.toLowerCase(Locale.ROOT), List.of());
    }

    @Override
    public String remoteAddress() {
        return remote;
    }

    @Override
    public @Nullable String user() {
        return user;
    }

    @Override
    public InputStream body() {
        return body;
    }

    @Override
    public OutputStream respond(int statusCode, Map<String, String> sent, long length) {
        status = statusCode;
        responseHeaders = sent;
        return response;
    }
}
