package io.github.kobe.console;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One request and its response: what a {@link ConsoleHandler} needs of a web server. Implement it to serve the console from a server other than the
 * JDK's. Used by one thread.
 */
public interface ConsoleExchange {

    /** Returns the method, such as "GET". */
    String method();

    /**
     * Returns the path below that of the console, as it was sent, such as "/" or "/console.js". The links of the page are relative, so the page itself
     * must be requested with a slash at the end: answer a request without it by a redirect.
     */
    String path();

    /** Returns the query as it was sent, without the question mark; {@code null} if there is none. */
    @Nullable
    String query();

    /** Returns all values of a header of the request, whatever the case of its name; empty if there is none. */
    List<String> headers(String name);

    /** Returns where the request comes from, such as "127.0.0.1", for the list of changes. */
    String remoteAddress();

    /** Returns the name of the user if the server has authenticated one; {@code null} otherwise. See {@link ConsoleAuthenticator}. */
    @Nullable
    String user();

    /** Returns the body of the request. The handler reads a few kilobytes at most. */
    InputStream body() throws IOException;

    /**
     * Sends the status and the headers of the response, and returns where to write the body. Called once.
     *
     * @param length the length of the body in bytes; -1 if it is a stream that goes on. Then each {@link OutputStream#flush} must reach the client
     */
    OutputStream respond(int status, Map<String, String> headers, long length) throws IOException;
}
