package io.github.kobe.spring.boot;

import io.github.kobe.console.ConsoleExchange;
import io.github.kobe.console.ConsoleHandler;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.net.URI;
import java.security.Principal;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebHandler;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/**
 * Passes requests to the console. The console reads and writes as it goes along, so it runs on a virtual thread; {@link ReactiveBody} hands on what it writes, as
 * fast as the client reads.
 */
final class ConsoleWebHandler implements WebHandler {

    private static final Logger LOGGER = System.getLogger(ConsoleWebHandler.class.getName());

    /** More than the console reads of a body. */
    private static final int MAX_BODY = 8192;

    private final ConsoleHandler console;
    private final String path;

    /** @param path that of the console, without a slash at the end */
    ConsoleWebHandler(ConsoleHandler console, String path) {
        this.console = console;
        this.path = path;
    }

    /** The begin of a response. */
    private record Head(int status, Map<String, String> headers, long length, ReactiveBody body) {}

    @Override
    public Mono<Void> handle(ServerWebExchange exchange) {
        String below =
                exchange.getRequest().getPath().pathWithinApplication().value().substring(path.length());
        if (below.isEmpty()) { // the links of the page are relative, so its path ends with a slash
            exchange.getResponse().setStatusCode(HttpStatus.PERMANENT_REDIRECT);
            exchange.getResponse().getHeaders().setLocation(URI.create(ConsolePath.ID + "/"));
            return exchange.getResponse().setComplete();
        }
        Mono<String> user = exchange.getPrincipal().map(Principal::getName).defaultIfEmpty("");
        Mono<InputStream> body = DataBufferUtils.join(
                        DataBufferUtils.takeUntilByteCount(exchange.getRequest().getBody(), MAX_BODY))
                .map(ConsoleWebHandler::copy)
                .defaultIfEmpty(InputStream.nullInputStream());
        return Mono.zip(user, body, CsrfHeaders.of(exchange)).flatMap(given -> {
            String name = given.getT1();
            Request request = new Request(exchange.getRequest(), below, name.isEmpty() ? null : name, given.getT2());
            return Mono.<Head>create(sink -> start(request, exchange.getResponse(), sink))
                    .flatMap(head -> send(exchange.getResponse(), head, given.getT3()));
        });
    }

    private static InputStream copy(DataBuffer buffer) {
        byte[] bytes = new byte[buffer.readableByteCount()];
        buffer.read(bytes);
        DataBufferUtils.release(buffer);
        return new ByteArrayInputStream(bytes);
    }

    private void start(Request request, ServerHttpResponse response, MonoSink<Head> sink) {
        ReactiveBody body = new ReactiveBody(response.bufferFactory());
        sink.onCancel(body::cancel);
        Thread.ofVirtual().name("group-concurrency-console").start(() -> {
            try (body) {
                console.handle(new ReactiveExchange(request, body, sink));
            } catch (Exception e) {
                LOGGER.log(Level.DEBUG, "console: the client has left", e);
            } finally {
                sink.success(); // has no effect after a response
            }
        });
    }

    private static Mono<Void> send(ServerHttpResponse response, Head head, Map<String, String> added) {
        response.setStatusCode(HttpStatusCode.valueOf(head.status));
        head.headers.forEach(response.getHeaders()::set);
        added.forEach(response.getHeaders()::set);
        if (head.length >= 0) {
            response.getHeaders().setContentLength(head.length);
        }
        return response.writeAndFlushWith(head.body.buffers().map(Mono::just));
    }

    /** What is known of a request before it is answered. */
    private record Request(
            ServerHttpRequest request,
            String path,
            @Nullable String user,
            InputStream body) {}

    private record ReactiveExchange(Request of, ReactiveBody out, MonoSink<Head> sink) implements ConsoleExchange {

        @Override
        public String method() {
            return of.request.getMethod().name();
        }

        @Override
        public String path() {
            return of.path;
        }

        @Override
        public @Nullable String query() {
            return of.request.getURI().getRawQuery();
        }

        @Override
        public List<String> headers(String name) {
            return of.request.getHeaders().getOrEmpty(name);
        }

        @Override
        public String remoteAddress() {
            InetSocketAddress address = of.request.getRemoteAddress();
            return address == null ? "unknown" : address.getHostString();
        }

        @Override
        public @Nullable String user() {
            return of.user;
        }

        @Override
        public InputStream body() {
            return of.body;
        }

        @Override
        public OutputStream respond(int status, Map<String, String> headers, long length) {
            sink.success(new Head(status, headers, length, out));
            return out;
        }
    }
}
