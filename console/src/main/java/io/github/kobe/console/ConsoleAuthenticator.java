package io.github.kobe.console;

import org.jspecify.annotations.Nullable;

/**
 * Decides who may use a console, in place of a token. For a server that has authenticated the user already, it is {@code ConsoleExchange::user}.
 *
 * <p>Called by many threads at the same time, for every request. If it throws, the request is refused and the exception is logged.
 */
@FunctionalInterface
public interface ConsoleAuthenticator {

    /** Returns the name of the user, which is shown with each change; {@code null} if the request is refused. */
    @Nullable
    String authenticate(ConsoleExchange exchange);
}
