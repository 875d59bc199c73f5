package io.github.kobe.console;

import java.util.Map;

/**
 * A response that is sent as a whole.
 *
 * @param headers those that only this response has
 */
record Response(int status, String contentType, String body, Map<String, String> headers) {

    static final String TEXT = "text/plain; charset=utf-8";
    static final String JSON = "application/json";

    static Response json(String json) {
        return new Response(200, JSON, json, Map.of());
    }

    /** A response other than success, with a sentence for the reader. */
    static Response refused(int status, String why) {
        return new Response(status, TEXT, why + "\n", Map.of());
    }

    Response with(String header, String value) {
        return new Response(status, contentType, body, Map.of(header, value));
    }
}
