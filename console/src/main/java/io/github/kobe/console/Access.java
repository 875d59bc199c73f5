package io.github.kobe.console;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Decides which requests are answered. */
final class Access {

    private static final String BEARER = "Bearer ";

    /**
     * The names that a browser may know the console by, in lower case. A page of another site can make the browser resolve the name of that site to this
     * machine, and then its requests come with that name: DNS rebinding.
     */
    private final Set<String> hosts;

    private final boolean anyHost;
    private final @Nullable Token token;
    private final @Nullable ConsoleAuthenticator authenticator;

    /** Who sent a request, or why it is refused; one of the two is {@code null}. */
    record Decision(@Nullable String user, @Nullable Response refusal) {}

    /** Exactly one of {@code token} and {@code authenticator} is {@code null}. */
    Access(Set<String> hosts, boolean anyHost, @Nullable Token token, @Nullable ConsoleAuthenticator authenticator) {
        this.hosts = Set.copyOf(hosts);
        this.anyHost = anyHost;
        this.token = token;
        this.authenticator = authenticator;
    }

    /** Returns why the request is refused, whatever user sent it; {@code null} if it is not. */
    @Nullable
    Response refuseOrigin(ConsoleExchange exchange) {
        List<String> host = exchange.headers("Host");
        if (host.size() != 1 || !(anyHost || hosts.contains(lowerCase(host.getFirst())))) {
            return Response.refused(
                    403,
                    "The console is not known by this name. Open it by its own address, or name the host with"
                            + " allowedHost.");
        }
        List<String> origin = exchange.headers("Origin");
        if (origin.size() > 1 || (origin.size() == 1 && !isOurs(lowerCase(origin.getFirst()), host.getFirst()))) {
            return Response.refused(403, "The request comes from a page of another site.");
        }
        return null;
    }

    /**
     * A proxy that ends TLS hides the scheme, and one that rewrites the header Host hides the name. So the scheme is not compared, and the name is that
     * of the header or one that was configured.
     */
    private boolean isOurs(String origin, String host) {
        int scheme = origin.indexOf("://");
        if (scheme < 0 || !Set.of("http", "https").contains(origin.substring(0, scheme))) {
            return false;
        }
        String name = origin.substring(scheme + "://".length());
        return name.equals(lowerCase(host)) || hosts.contains(name);
    }

    /**
     * Decides about a request that {@link #refuseOrigin} does not refuse.
     *
     * @param isPublic whether the request reads a file of the page, which has no data: a browser has no token before it has the page
     */
    Decision decide(ConsoleExchange exchange, boolean isPublic) {
        if (authenticator != null) {
            String user = authenticator.authenticate(exchange);
            return user == null
                    ? new Decision(null, Response.refused(403, "You may not use this console."))
                    : new Decision(Printable.of(user), null);
        }
        if (isPublic || hasToken(exchange)) {
            return new Decision("token", null);
        }
        return new Decision(
                null,
                Response.refused(
                                401,
                                "Open the console by the address that it printed when it started: it has the token.")
                        .with("WWW-Authenticate", "Bearer"));
    }

    private boolean hasToken(ConsoleExchange exchange) {
        List<String> given = exchange.headers("Authorization");
        return token != null
                && given.size() == 1
                && given.getFirst().startsWith(BEARER)
                && token.matches(given.getFirst().substring(BEARER.length()));
    }

    static String lowerCase(String name) {
        return name.toLowerCase(Locale.ROOT);
    }
}
