package io.github.kobe.console;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Answers the requests of a console, whatever server receives them. {@link Console} connects it to the JDK's server; {@link ConsoleBuilder#handler}
 * returns one for another server, which passes each request below the path of the console to {@link #handle}.
 *
 * <p>Thread-safe. A request for a stream keeps its thread until the client leaves, so virtual threads suit best. A stream ends after ten minutes, and the
 * page asks for another one: so a user who may not use the console any more does not see it for longer.
 */
public final class ConsoleHandler implements AutoCloseable {

    static final int MAX_BODY = 4096;

    private static final String STREAM_TYPE = "text/event-stream; charset=utf-8";
    private static final int RETRY_AFTER_SECONDS = 5;

    /** With every response. A key is text of others, and no script but ours runs, whatever a key contains. */
    private static final Map<String, String> HEADERS = Map.of(
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:;"
                    + " base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
            "X-Content-Type-Options",
            "nosniff",
            "Referrer-Policy",
            "no-referrer",
            "Cache-Control",
            "no-store",
            "Cross-Origin-Resource-Policy",
            "same-origin",
            "Cross-Origin-Opener-Policy",
            "same-origin");

    private final Access access;
    private final Router router;
    private final Snapshots snapshots;
    private final Streams streams;
    private final ViewWriter writer;
    private final RefusalLog refusals = new RefusalLog(System::nanoTime);

    /** @param every how often snapshots are taken */
    ConsoleHandler(Access access, Watched watched, String title, boolean editable, Duration every, Streams streams) {
        this.access = access;
        this.snapshots = new Snapshots(watched, every);
        this.streams = streams;
        ChangeLog changes = new ChangeLog();
        this.writer = new ViewWriter(title, editable, watched, changes);
        this.router = new Router(editable)
                .add(Router.Kind.FILE, "/", file("console.html", "text/html; charset=utf-8"))
                .add(Router.Kind.FILE, "/console.js", file("console.js", "text/javascript; charset=utf-8"))
                .add(Router.Kind.FILE, "/console.css", file("console.css", "text/css; charset=utf-8"))
                .add(Router.Kind.READ, "/api/view", this::view)
                .add(Router.Kind.STREAM, "/api/stream", this::stream);
        for (Steering.Setting setting : new Steering(watched, changes).settings) {
            router.add(Router.Kind.WRITE, setting.path(), (exchange, user) -> change(setting, exchange, user));
        }
    }

    private static Router.Action file(String name, String contentType) {
        String content;
        try (InputStream in = Objects.requireNonNull(ConsoleHandler.class.getResourceAsStream(name), name)) {
            content = new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + name, e);
        }
        Response response = new Response(200, contentType, content, Map.of());
        return (exchange, user) -> response;
    }

    /** Answers a request. Returns when the response has been sent; of a stream, when the client has left, after ten minutes, or when {@link #close} was called. */
    public void handle(ConsoleExchange exchange) throws IOException {
        Response response;
        try {
            response = answer(exchange);
        } catch (RuntimeException fault) {
            refusals.add(500, exchange, fault);
            response = Response.refused(500, "The console failed. The log of the application says why.");
        }
        if (response != null) {
            send(exchange, response);
        }
    }

    private @Nullable Response answer(ConsoleExchange exchange) throws IOException {
        Response refusal = access.refuseOrigin(exchange);
        if (refusal != null) {
            return refused(exchange, refusal);
        }
        Router.Route route = router.find(exchange.path());
        if (route == null) {
            return Response.refused(404, "There is nothing at this address.");
        }
        Access.Decision decision = access.decide(exchange, route.kind() == Router.Kind.FILE);
        String user = decision.user();
        if (user == null) {
            return refused(exchange, Objects.requireNonNull(decision.refusal()));
        }
        Response wrongMethod = router.refuseMethod(route, exchange.method());
        return wrongMethod != null ? wrongMethod : answer(route, exchange, user);
    }

    private Response refused(ConsoleExchange exchange, Response refusal) {
        refusals.add(refusal.status(), exchange, null);
        return refusal;
    }

    private static @Nullable Response answer(Router.Route route, ConsoleExchange exchange, String user)
            throws IOException {
        try {
            return route.action().answer(exchange, user);
        } catch (Steering.NotFoundException e) {
            return Response.refused(404, String.valueOf(e.getMessage()));
        } catch (IllegalArgumentException e) {
            return Response.refused(400, Printable.message(String.valueOf(e.getMessage())));
        } catch (IllegalStateException e) { // such as too many groups with settings of their own
            return Response.refused(409, Printable.message(String.valueOf(e.getMessage())));
        }
    }

    private static void send(ConsoleExchange exchange, Response response) throws IOException {
        Map<String, String> headers = new LinkedHashMap<>(HEADERS);
        headers.put("Content-Type", response.contentType());
        headers.putAll(response.headers());
        byte[] body = response.body().getBytes(StandardCharsets.UTF_8);
        try (OutputStream out = exchange.respond(response.status(), headers, body.length)) {
            out.write(body);
        }
    }

    // ---- reading
    // -----------------------------------------------------------------------------------------------------

    private Response view(ConsoleExchange exchange, String user) {
        View view = View.parse(exchange.query());
        return Response.json(text(snapshots.current(), view));
    }

    private String text(Snapshot snapshot, View view) {
        return writer.write(snapshot, view, snapshots::intervalNanos);
    }

    private @Nullable Response stream(ConsoleExchange exchange, String user) throws IOException {
        View view = View.parse(exchange.query());
        try (Streams.Stream stream = streams.tryOpen(view.client())) {
            if (stream == null) {
                return Response.refused(503, "There are " + Streams.MAX + " streams already, which is the maximum.")
                        .with("Retry-After", Integer.toString(RETRY_AFTER_SECONDS));
            }
            send(exchange, view, stream);
        } catch (InterruptedException e) {
            // The stream was closed, and the response ends here.
        }
        return null;
    }

    private void send(ConsoleExchange exchange, View view, Streams.Stream stream)
            throws IOException, InterruptedException {
        Map<String, String> headers = new LinkedHashMap<>(HEADERS);
        headers.put("Content-Type", STREAM_TYPE);
        headers.put("X-Accel-Buffering", "no"); // proxies pass each event on at once
        try (OutputStream out = exchange.respond(200, headers, -1)) {
            Snapshot snapshot = snapshots.current();
            while (!stream.isOver()) {
                byte[] event = ("data: " + text(snapshot, view) + "\n\n").getBytes(StandardCharsets.UTF_8);
                if (!stream.beginWrite()) {
                    break;
                }
                out.write(event);
                out.flush();
                if (!stream.endWrite()) {
                    break;
                }
                snapshot = snapshots.after(snapshot);
            }
            stream.beginEnd();
        }
    }

    // ---- writing
    // -----------------------------------------------------------------------------------------------------

    /** A page of another site can send a form without asking, but no JSON: the browser would ask first, and nothing here agrees. */
    private static Response change(Steering.Setting setting, ConsoleExchange exchange, String user) throws IOException {
        if (!isJson(exchange.headers("Content-Type"))) {
            return Response.refused(415, "The body must be " + Response.JSON + ".");
        }
        byte[] body = exchange.body().readNBytes(MAX_BODY + 1);
        if (body.length > MAX_BODY) {
            return Response.refused(413, "The body must have at most " + MAX_BODY + " bytes.");
        }
        Steering.Order order = new Steering.Order(JsonReader.read(decode(body)));
        Change change = setting.action().apply(order, user + " at " + Printable.of(exchange.remoteAddress()));
        return Response.json(ViewWriter.change(new JsonWriter().beginObject(), change)
                .endObject()
                .toString());
    }

    private static boolean isJson(List<String> contentType) {
        return contentType.size() == 1
                && Access.lowerCase(contentType.getFirst().split(";", 2)[0].strip())
                        .equals(Response.JSON);
    }

    private static String decode(byte[] body) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(body))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException("the body must be UTF-8", e);
        }
    }

    /** Closes all streams. Further requests are answered, except for streams: the server that passes requests is closed by its owner. */
    @Override
    public void close() {
        streams.close();
    }

    List<Router.Route> routes() {
        return router.routes();
    }

    int streamCount() {
        return streams.count();
    }
}
