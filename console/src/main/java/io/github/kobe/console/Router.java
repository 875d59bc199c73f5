package io.github.kobe.console;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The routes of a console. What is not listed does not exist, and what changes anything is a {@link Kind#WRITE}. */
final class Router {

    /** What a route does. */
    enum Kind {
        /** Returns a file of the page. */
        FILE("GET"),
        /** Returns data. */
        READ("GET"),
        /** Returns data until the client leaves. */
        STREAM("GET"),
        /** Changes a setting. */
        WRITE("POST");

        private final String method;

        Kind(String method) {
            this.method = method;
        }
    }

    /** Answers a request that was admitted. */
    @FunctionalInterface
    interface Action {

        /** Returns the response; {@code null} if it has sent the response itself. */
        @Nullable
        Response answer(ConsoleExchange exchange, String user) throws IOException;
    }

    /** A route. */
    record Route(Kind kind, String path, Action action) {

        String method() {
            return kind.method;
        }
    }

    private final List<Route> routes = new ArrayList<>();
    private final boolean editable;

    Router(boolean editable) {
        this.editable = editable;
    }

    Router add(Kind kind, String path, Action action) {
        routes.add(new Route(kind, path, action));
        return this;
    }

    List<Route> routes() {
        return List.copyOf(routes);
    }

    /** Returns the route of a path, whatever the method; {@code null} if there is none. */
    @Nullable
    Route find(String path) {
        return routes.stream()
                .filter(route -> route.path().equals(path))
                .findFirst()
                .orElse(null);
    }

    /** Returns why the route cannot be used by that method; {@code null} if it can. */
    @Nullable
    Response refuseMethod(Route route, String method) {
        if (!route.method().equals(method)) {
            return Response.refused(405, "This address takes " + route.method() + " only.")
                    .with("Allow", route.method());
        }
        if (route.kind() == Kind.WRITE && !editable) {
            return Response.refused(405, "The console is read-only: it was not started with editable(true).")
                    .with("Allow", "");
        }
        return null;
    }
}
