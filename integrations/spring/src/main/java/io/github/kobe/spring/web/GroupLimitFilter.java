package io.github.kobe.spring.web;

import io.github.kobe.ExecutorShutdownException;
import io.github.kobe.GroupExecutor;
import io.github.kobe.Permit;
import io.github.kobe.PermitOptions;
import io.github.kobe.PermitResult;
import io.github.kobe.Rejection;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Runs each request with a permit of the group of its key, once for each request. An asynchronous request holds its permit until it is complete, unless
 * its handler throws.
 *
 * <pre>{@code
 * GroupLimitFilter filter = GroupLimitFilter.builder(executor, RequestKey.header("X-Tenant")).group("web").build();
 * }</pre>
 *
 * <p>A request that gets no permit is answered with a status, a header {@code Retry-After} with the {@link Rejection#estimatedWait estimated wait} in
 * seconds, from 1 to 3600, and a problem detail (RFC 9457). Neither contains the key, nor anything else that the client sent. The estimate needs the times
 * of earlier requests: without {@link io.github.kobe.GroupPolicy.Builder#recordTimes}, only those that waited are known. If it is not known, the header is 1.
 *
 * <table>
 * <caption>Answers</caption>
 * <tr><th>status</th><th>reason</th></tr>
 * <tr><td>429</td><td>the limit of the group is reached</td></tr>
 * <tr><td>503</td><td>the limit of all groups together or a shared limit is reached, the group is paused, there are too many groups, the executor is shut down, or the
 * thread was interrupted</td></tr>
 * <tr><td>400</td><td>the request has no key, or one that is too long; without {@code Retry-After}</td></tr>
 * </table>
 *
 * <p>Methods with a {@code @GroupLimit} that the request calls on the same thread share its permit, if they have the same key in the same
 * executor. On another thread, such as that of an asynchronous request, they would wait for it. Give the filter a {@link Builder#group} of its own.
 */
public final class GroupLimitFilter extends OncePerRequestFilter {

    private static final int TOO_MANY_REQUESTS = 429;
    private static final int SERVICE_UNAVAILABLE = HttpServletResponse.SC_SERVICE_UNAVAILABLE;
    private static final int BAD_REQUEST = HttpServletResponse.SC_BAD_REQUEST;
    private static final long MAX_RETRY_AFTER = 3600;

    private final GroupExecutor executor;
    private final RequestKey key;
    private final String prefix;
    private final PermitOptions options;
    private final boolean passWithoutKey;
    private final int maxKeyLength;

    private GroupLimitFilter(Builder builder) {
        executor = builder.executor;
        key = builder.key;
        prefix = builder.group.isEmpty() ? "" : builder.group + ":";
        options = PermitOptions.builder()
                .taskId("request")
                .maxWait(builder.maxWait)
                .announce(builder.announce)
                .build();
        passWithoutKey = builder.passWithoutKey;
        maxKeyLength = builder.maxKeyLength;
    }

    /**
     * Creates a builder.
     *
     * @param executor has the limits
     * @param key says to which group a request belongs
     */
    public static Builder builder(GroupExecutor executor, RequestKey key) {
        return new Builder(executor, key);
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        String own = key.of(request);
        if (own == null) {
            if (passWithoutKey) {
                chain.doFilter(request, response);
            } else {
                answer(response, BAD_REQUEST, "The request does not say to which client it belongs.", 0);
            }
        } else if (own.length() > maxKeyLength) {
            answer(response, BAD_REQUEST, "The name of the client in the request is too long.", 0);
        } else {
            Permit permit = permit(prefix + own, response);
            if (permit != null) {
                run(request, response, chain, permit);
            }
        }
    }

    /** Returns {@code null} if there is none, and the request was answered. */
    private @Nullable Permit permit(String group, HttpServletResponse response) throws IOException {
        PermitResult result;
        try {
            result = executor.tryAcquire(group, options);
        } catch (ExecutorShutdownException e) {
            answer(response, SERVICE_UNAVAILABLE, "The server is shutting down.", 1);
            return null;
        } catch (InterruptedException e) {
            try {
                answer(response, SERVICE_UNAVAILABLE, "The request was interrupted before it started.", 1);
                response.flushBuffer(); // an interrupted thread could not send it any more
            } finally {
                Thread.currentThread().interrupt();
            }
            return null;
        }
        Rejection rejection = result.rejection();
        if (rejection == null) {
            return result.permit();
        }
        answer(response, rejection);
        return null;
    }

    private static void run(HttpServletRequest request, HttpServletResponse response, FilterChain chain, Permit permit)
            throws ServletException, IOException {
        boolean held = false;
        try {
            chain.doFilter(request, response);
            if (request.isAsyncStarted()) {
                permit.detach();
                request.getAsyncContext().addListener(new ReleaseOnCompletion(permit));
                held = true;
            }
        } finally {
            if (!held) {
                permit.close(); // also of an asynchronous request whose handler threw: a container may not tell
                // listeners
            }
        }
    }

    private static void answer(HttpServletResponse response, Rejection rejection) throws IOException {
        long seconds =
                Math.clamp(rejection.estimatedWait().plusNanos(999_999_999).toSeconds(), 1, MAX_RETRY_AFTER);
        switch (rejection.limitedBy()) {
            case GROUP_CONCURRENCY, GROUP_IN_FLIGHT, LEASE ->
                answer(response, TOO_MANY_REQUESTS, "Too many requests of this client run at the same time.", seconds);
            case GLOBAL, SHARED, MAX_GROUPS ->
                answer(response, SERVICE_UNAVAILABLE, "Too many requests run at the same time.", seconds);
            case PAUSE -> answer(response, SERVICE_UNAVAILABLE, "Requests of this client are paused.", seconds);
            case NONE -> answer(response, SERVICE_UNAVAILABLE, "The server is shutting down.", seconds);
        }
    }

    /** @param detail one of our own sentences, which needs no escaping */
    private static void answer(HttpServletResponse response, int status, String detail, long retryAfter)
            throws IOException {
        String title = status == TOO_MANY_REQUESTS
                ? "Too Many Requests"
                : status == BAD_REQUEST ? "Bad Request" : "Service Unavailable";
        response.setStatus(status);
        if (retryAfter > 0) {
            response.setHeader("Retry-After", Long.toString(retryAfter));
        }
        byte[] body = ("{\"type\":\"about:blank\",\"title\":\"" + title + "\",\"status\":" + status + ",\"detail\":\""
                        + detail + "\"}")
                .getBytes(StandardCharsets.UTF_8);
        response.setContentType("application/problem+json");
        response.setContentLength(body.length);
        response.getOutputStream().write(body);
    }

    /** The container calls {@code onComplete} also after an error and a timeout. */
    private record ReleaseOnCompletion(Permit permit) implements AsyncListener {

        @Override
        public void onComplete(AsyncEvent event) {
            permit.close();
        }

        @Override
        public void onTimeout(AsyncEvent event) {}

        @Override
        public void onError(AsyncEvent event) {}

        /** The request was dispatched, and has become asynchronous again, without the listeners that it had. */
        @Override
        public void onStartAsync(AsyncEvent event) {
            event.getAsyncContext().addListener(this);
        }
    }

    /** Builds a {@link GroupLimitFilter}. Not safe for use by several threads. */
    public static final class Builder {

        private final GroupExecutor executor;
        private final RequestKey key;
        private String group = "";
        private Duration maxWait = Duration.ZERO;
        private boolean passWithoutKey;
        private boolean announce;
        private int maxKeyLength = 256;

        private Builder(GroupExecutor executor, RequestKey key) {
            this.executor = Objects.requireNonNull(executor, "executor");
            this.key = Objects.requireNonNull(key, "key");
        }

        /**
         * Sets what comes before the key: with the group {@code web}, the requests of {@code acme} belong to the group {@code web:acme}. It must not
         * contain a colon. Default empty: the key alone.
         */
        public Builder group(String name) {
            group = Objects.requireNonNull(name, "group");
            return this;
        }

        /**
         * Sets how long a request waits for its permit. While it waits, it holds its thread: if the server has a bounded number of threads, one
         * client whose requests wait can take all of them from the others. Default zero: it does not wait.
         */
        public Builder maxWait(Duration time) {
            maxWait = Objects.requireNonNull(time, "maxWait");
            return this;
        }

        /** Sets whether a request without a key runs without a limit. Default no: it is answered with 400. See {@link RequestKey#orElse}. */
        public Builder passWithoutKey(boolean yes) {
            passWithoutKey = yes;
            return this;
        }

        /** Sets the length of the longest key. A request with a longer one is answered with 400. Default 256. */
        public Builder maxKeyLength(int length) {
            maxKeyLength = length;
            return this;
        }

        /** Sets whether listeners of the executor are called for requests, as for tasks; see {@link PermitOptions.Builder#announce}. Default no. */
        public Builder announce(boolean yes) {
            announce = yes;
            return this;
        }

        /**
         * Creates the filter.
         *
         * @throws IllegalArgumentException if a value is out of range; the message has the name and the value
         */
        public GroupLimitFilter build() {
            if (group.indexOf(':') >= 0) {
                throw new IllegalArgumentException("group must not contain a colon: '" + group + "'");
            }
            if (maxKeyLength < 1) {
                throw new IllegalArgumentException("maxKeyLength must be at least 1: " + maxKeyLength);
            }
            return new GroupLimitFilter(this);
        }
    }
}
