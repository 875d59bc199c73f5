package io.github.kobe.spring.boot;

import io.github.kobe.ExecutorShutdownException;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.Rejection;
import io.github.kobe.RejectionReason;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/**
 * Answers a request whose controller fails because a task or a call was rejected, also if that is the cause of another exception. The answers are those of
 * {@link io.github.kobe.spring.web.GroupLimitFilter}: 429 if the limit of the group is reached, otherwise 503, with the estimated wait in {@code Retry-After}. They do
 * not contain the key. An advice of the application comes first.
 */
@RestControllerAdvice
@Order
final class RejectionAdvice {

    private static final long MAX_RETRY_AFTER = 3600;

    @ExceptionHandler
    ResponseEntity<ProblemDetail> rejected(RejectedTaskException e) {
        Rejection rejection = e.rejection();
        if (rejection == null) {
            return answer(HttpStatus.SERVICE_UNAVAILABLE, "The call was rejected.", 1);
        }
        if (rejection.reason() == RejectionReason.TOO_COSTLY) { // waiting does not help
            return answer(
                    HttpStatus.SERVICE_UNAVAILABLE, "The call costs more than its limit allows.", MAX_RETRY_AFTER);
        }
        long seconds = rejection.estimatedWait().plusNanos(999_999_999).toSeconds();
        return switch (rejection.limitedBy()) {
            case GROUP_CONCURRENCY, GROUP_IN_FLIGHT, LEASE ->
                answer(HttpStatus.TOO_MANY_REQUESTS, "Too many calls of this client run at the same time.", seconds);
            case PAUSE -> answer(HttpStatus.SERVICE_UNAVAILABLE, "Calls of this client are paused.", seconds);
            case GLOBAL, SHARED, MAX_GROUPS ->
                answer(HttpStatus.SERVICE_UNAVAILABLE, "Too many calls run at the same time.", seconds);
            case NONE -> shutDown();
        };
    }

    @ExceptionHandler
    ResponseEntity<ProblemDetail> shutDown(ExecutorShutdownException e) {
        return shutDown();
    }

    private static ResponseEntity<ProblemDetail> shutDown() {
        return answer(HttpStatus.SERVICE_UNAVAILABLE, "The server is shutting down.", 1);
    }

    private static ResponseEntity<ProblemDetail> answer(HttpStatus status, String detail, long retryAfter) {
        return ResponseEntity.status(status)
                .header(HttpHeaders.RETRY_AFTER, Long.toString(Math.clamp(retryAfter, 1, MAX_RETRY_AFTER)))
                .body(ProblemDetail.forStatusAndDetail(status, detail));
    }
}
