package io.github.kobe.spring.boot;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import org.springframework.context.ApplicationContext;

/** Requests to the web server of an application. */
record Http(HttpClient client, String address) {

    static Http to(ApplicationContext context) {
        return new Http(
                HttpClient.newHttpClient(),
                "http://127.0.0.1:" + context.getEnvironment().getRequiredProperty("local.server.port"));
    }

    /** Encodes a parameter of a query. */
    static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(address + path));
    }

    HttpResponse<String> get(String path, String... headers) {
        HttpRequest.Builder request = request(path);
        return send(headers.length == 0 ? request : request.headers(headers));
    }

    HttpResponse<String> post(String path, String json, String... headers) {
        HttpRequest.Builder request = request(path).POST(BodyPublishers.ofString(json));
        return send(request.header("Content-Type", "application/json").headers(headers.length == 0 ? NONE : headers));
    }

    HttpResponse<String> delete(String path) {
        return send(request(path).DELETE());
    }

    CompletableFuture<HttpResponse<String>> start(HttpRequest.Builder request) {
        return client.sendAsync(request.build(), BodyHandlers.ofString());
    }

    HttpResponse<String> send(HttpRequest.Builder request) {
        try {
            return client.send(request.build(), BodyHandlers.ofString());
        } catch (IOException e) {
            throw new AssertionError(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    private static final String[] NONE = {"Accept", "application/json"};
}
