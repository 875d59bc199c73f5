package io.github.kobe.spring.boot;

import io.github.kobe.LimitKind;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.Rejection;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/**
 * Answers a request whose controller fails with a {@link RejectedTaskException}, as {@link io.github.kobe.spring.web.GroupLimitFilter} answers: 429 if the limit of
 * the group is reached, otherwise 503, with the estimated wait in {@code Retry-After}. The answer does not contain the key. An advice of the
 * application comes first.
 */
@RestControllerAdvice
@Order
final class RejectionAdvice {

    private static final long MAX_RETRY_AFTER = 3600;

    @ExceptionHandler
    ResponseEntity<ProblemDetail> rejected(RejectedTaskException e) {
        Rejection rejection = e.rejection();
        LimitKind limit = rejection == null ? LimitKind.NONE : rejection.limitedBy();
        long seconds = rejection == null
                ? 1
                : Math.clamp(rejection.estimatedWait().plusNanos(999_999_999).toSeconds(), 1, MAX_RETRY_AFTER);
        ProblemDetail problem = switch (limit) {
            case GROUP_CONCURRENCY, GROUP_IN_FLIGHT ->
                problem(HttpStatus.TOO_MANY_REQUESTS, "Too many calls of this client run at the same time.");
            case PAUSE -> problem(HttpStatus.SERVICE_UNAVAILABLE, "Calls of this client are paused.");
            case GLOBAL, MAX_GROUPS -> problem(HttpStatus.SERVICE_UNAVAILABLE, "Too many calls run at the same time.");
            case NONE -> problem(HttpStatus.SERVICE_UNAVAILABLE, "The server is shutting down.");
        };
        return ResponseEntity.status(problem.getStatus())
                .header(HttpHeaders.RETRY_AFTER, Long.toString(seconds))
                .body(problem);
    }

    private static ProblemDetail problem(HttpStatus status, String detail) {
        return ProblemDetail.forStatusAndDetail(status, detail);
    }
}
