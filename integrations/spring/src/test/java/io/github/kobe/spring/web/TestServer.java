package io.github.kobe.spring.web;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.Servlet;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.Wrapper;
import org.apache.catalina.startup.Tomcat;
import org.apache.tomcat.util.descriptor.web.ErrorPage;
import org.apache.tomcat.util.descriptor.web.FilterDef;
import org.apache.tomcat.util.descriptor.web.FilterMap;
import org.apache.tomcat.util.http.fileupload.FileUtils;

/** A real server on a free port of loopback, and a client. */
final class TestServer implements AutoCloseable {

    /** What a test does with a request. */
    interface Handler {
        void handle(HttpServletRequest request, HttpServletResponse response) throws Exception;
    }

    private final Tomcat tomcat = new Tomcat();
    private final Path directory;
    private final HttpClient client = HttpClient.newHttpClient();

    /** Starts a server. The filters are called in their order, for every kind of dispatch. */
    static TestServer start(Handler handler, Filter... filters) throws Exception {
        return new TestServer(servlet(handler), filters);
    }

    TestServer(Servlet servlet, Filter... filters) throws IOException, LifecycleException {
        directory = Files.createTempDirectory("tomcat");
        tomcat.setBaseDir(directory.toString());
        tomcat.setPort(0);
        tomcat.getConnector().setProperty("address", "127.0.0.1");
        Context context = tomcat.addContext("", directory.toString());
        Wrapper wrapper = Tomcat.addServlet(context, "servlet", servlet);
        wrapper.setAsyncSupported(true);
        wrapper.setLoadOnStartup(1);
        context.addServletMappingDecoded("/", "servlet");
        ErrorPage page = new ErrorPage();
        page.setErrorCode(418);
        page.setLocation("/error-page");
        context.addErrorPage(page);
        for (int i = 0; i < filters.length; i++) {
            add(context, "filter-" + i, filters[i]);
        }
        tomcat.start();
    }

    private static void add(Context context, String name, Filter filter) {
        FilterDef definition = new FilterDef();
        definition.setFilterName(name);
        definition.setFilter(filter);
        definition.setAsyncSupported("true");
        context.addFilterDef(definition);
        FilterMap mapping = new FilterMap();
        mapping.setFilterName(name);
        mapping.addURLPattern("/*");
        for (DispatcherType type : DispatcherType.values()) {
            mapping.setDispatcher(type.name());
        }
        context.addFilterMap(mapping);
    }

    private static HttpServlet servlet(Handler handler) {
        return new HttpServlet() {
            private static final long serialVersionUID = 1;

            @Override
            protected void service(HttpServletRequest request, HttpServletResponse response)
                    throws ServletException, IOException {
                try {
                    handler.handle(request, response);
                } catch (RuntimeException | ServletException | IOException e) {
                    throw e;
                } catch (Exception e) {
                    throw new ServletException(e);
                }
            }
        };
    }

    /** Sends a GET. */
    CompletableFuture<HttpResponse<String>> send(String path, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + tomcat.getConnector().getLocalPort() + path))
                .timeout(Duration.ofMinutes(1));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return client.sendAsync(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    /** Sends a GET, and waits for the answer. */
    HttpResponse<String> get(String path, String... headers) {
        return send(path, headers).join();
    }

    @Override
    public void close() throws Exception {
        client.close();
        tomcat.stop();
        tomcat.destroy();
        FileUtils.deleteDirectory(directory.toFile());
    }
}
