package io.github.kobe.spring.boot;

import io.github.kobe.console.ConsoleExchange;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Decides who may use the console, after the security of the application has decided. A request of somebody who has signed in is answered, by whatever name it
 * was sent to. A request of nobody is answered as those to other endpoints are, but only if it was sent to a loopback name or a configured one: a page of another
 * site can make a browser send requests here by a name of its own, DNS rebinding, but not by these.
 */
final class ConsoleAccess {

    /** The user if nobody has signed in. */
    static final String ANONYMOUS = "anonymous";

    private static final Set<String> LOOPBACK = Set.of("localhost", "127.0.0.1", "[::1]");

    private final Set<String> allowedHosts;

    ConsoleAccess(List<String> allowedHosts) {
        this.allowedHosts = allowedHosts.stream().map(ConsoleAccess::lowerCase).collect(Collectors.toUnmodifiableSet());
    }

    /** Returns {@code null} if the request is refused. */
    @Nullable
    String userOf(ConsoleExchange exchange) {
        String user = exchange.user();
        if (user != null) {
            return user;
        }
        List<String> hosts = exchange.headers("Host");
        String host = hosts.size() == 1 ? lowerCase(hosts.getFirst()) : "";
        return allowedHosts.contains(host) || LOOPBACK.contains(host.replaceFirst(":\\d+$", "")) ? ANONYMOUS : null;
    }

    private static String lowerCase(String name) {
        return name.toLowerCase(Locale.ROOT);
    }
}
