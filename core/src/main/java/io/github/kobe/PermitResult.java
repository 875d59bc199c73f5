package io.github.kobe;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The answer of {@link GroupExecutor#tryAcquire}: a permit, or why there is none. Closing it closes the permit, if there is one.
 *
 * <pre>{@code
 * try (PermitResult result = executor.tryAcquire("tenant", Duration.ofMillis(200))) {
 *     if (result.isGranted()) {
 *         handle(request);
 *     } else {
 *         System.out.println("503, " + result.rejection());
 *     }
 * }
 * }</pre>
 *
 * <p>Immutable, and so safe for use by several threads.
 */
public final class PermitResult implements AutoCloseable {

    private final @Nullable Permit permit;
    private final @Nullable Rejection rejection;
    private final String groupKey;
    private final String taskId;
    private final String tag;

    private PermitResult(
            @Nullable Permit permit, @Nullable Rejection rejection, String groupKey, String taskId, String tag) {
        this.permit = permit;
        this.rejection = rejection;
        this.groupKey = groupKey;
        this.taskId = taskId;
        this.tag = tag;
    }

    /** Creates the answer to a request that got {@code permit}. */
    public static PermitResult granted(Permit permit) {
        return new PermitResult(Objects.requireNonNull(permit, "permit"), null, permit.groupKey(), "", "");
    }

    /**
     * Creates the answer to a request that was rejected.
     *
     * @param groupKey the group
     * @param taskId the name of the request
     * @param tag the tag of the request, empty if it has none
     * @param rejection the reason, with numbers
     */
    public static PermitResult rejected(String groupKey, String taskId, String tag, Rejection rejection) {
        return new PermitResult(
                null,
                Objects.requireNonNull(rejection, "rejection"),
                Objects.requireNonNull(groupKey, "groupKey"),
                Objects.requireNonNull(taskId, "taskId"),
                Objects.requireNonNull(tag, "tag"));
    }

    /** Returns whether the request got a permit. This does not change when the permit is closed. */
    public boolean isGranted() {
        return permit != null;
    }

    /**
     * Returns the permit.
     *
     * @throws RejectedTaskException if there is none; with the {@link #rejection}
     */
    public Permit permit() {
        if (permit == null) {
            throw new RejectedTaskException(groupKey, taskId, tag, Objects.requireNonNull(rejection));
        }
        return permit;
    }

    /**
     * Returns why there is no permit, with the numbers of about that moment; {@code null} if there is one. If the time was over, the reason
     * is {@link RejectionReason#EXPIRED}.
     */
    public @Nullable Rejection rejection() {
        return rejection;
    }

    /** Closes the permit, if there is one. Only the first call has an effect. Never throws. */
    @Override
    public void close() {
        if (permit != null) {
            permit.close();
        }
    }

    /** Returns a text such as "no permit of group 'g': expired (3 active, 10 queued, limit 3, queue threshold 10, waited 200 ms)". */
    @Override
    public String toString() {
        return permit == null ? "no permit of group '" + groupKey + "': " + rejection : permit.toString();
    }
}
