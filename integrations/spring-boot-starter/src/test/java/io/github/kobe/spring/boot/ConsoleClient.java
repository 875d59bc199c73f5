package io.github.kobe.spring.boot;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;

/** Requests to the console of an application. */
record ConsoleClient(Http http, String path) {

    static ConsoleClient at(int port) {
        return new ConsoleClient(
                new Http(HttpClient.newHttpClient(), "http://127.0.0.1:" + port), "/actuator/groupconsole");
    }

    HttpResponse<String> get(String below, String... headers) {
        return http.get(path + below, headers);
    }

    HttpResponse<String> post(String below, String json, String... headers) {
        return http.post(path + below, json, headers);
    }

    /** The events of a stream, and its end. */
    record Stream(BlockingQueue<String> events, CompletableFuture<?> end) {}

    Stream stream(String... headers) {
        BlockingQueue<String> events = new LinkedBlockingQueue<>();
        HttpRequest.Builder request = http.request(path + "/api/stream");
        if (headers.length > 0) {
            request.headers(headers);
        }
        CompletableFuture<?> end = http.client()
                .sendAsync(request.build(), BodyHandlers.ofLines())
                .thenAcceptAsync(
                        response ->
                                response.body().filter(line -> !line.isEmpty()).forEach(events::add),
                        Thread::startVirtualThread);
        return new Stream(events, end);
    }

    /** Sends a request as it is, because a client would not send every header, and returns the first line of the answer. */
    String raw(String request) {
        URI address = URI.create(http.address());
        try (Socket socket = new Socket(address.getHost(), address.getPort())) {
            socket.getOutputStream().write((request + "Connection: close\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .findFirst()
                    .orElse("");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
