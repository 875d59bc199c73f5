package io.github.kobe.examples.spring;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.Executors;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.stereotype.Component;

/** The slow system behind the API, with a client for it: a server on the loopback interface that answers after 50 ms, for initech after 400 ms. */
@Component
class Warehouse implements DisposableBean {

    private final HttpClient client = HttpClient.newHttpClient();
    private final HttpServer server;

    Warehouse() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/", exchange -> {
            String path = exchange.getRequestURI().getPath();
            try (exchange) {
                Thread.sleep(Duration.ofMillis(path.endsWith("/initech") ? 400 : 50));
                byte[] body = (path.substring(1).replace("/", " of ") + "\n").getBytes(StandardCharsets.UTF_8);
                exchange.sendResponseHeaders(200, body.length);
                exchange.getResponseBody().write(body);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        server.start();
    }

    String fetch(String what, String tenant) {
        URI address = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/" + what + "/" + tenant);
        try {
            return client.send(HttpRequest.newBuilder(address).build(), HttpResponse.BodyHandlers.ofString())
                    .body();
        } catch (IOException e) {
            throw new IllegalStateException("the warehouse does not answer", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    @Override
    public void destroy() {
        server.stop(0);
    }
}
