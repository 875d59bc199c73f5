package io.github.kobe.scope;

/**
 * How {@link ThreadScope#await} handles tasks that fail. A cancelled task is not a failure: it is counted in the {@link Outcome}. If a failure
 * cancels other tasks, {@link ThreadScope#failureTree} shows what they were doing.
 *
 * <table>
 * <caption>Policies</caption>
 * <tr><th></th><th>the others are</th><th>{@code await}</th><th>failures in the outcome</th></tr>
 * <tr><td>{@link #FAIL_FAST}</td><td>cancelled at once</td><td>throws the first failure, at once</td><td>-</td></tr>
 * <tr><td>{@link #COLLECT_ALL}</td><td>waited for</td><td>throws {@link AggregateException}</td><td>-</td></tr>
 * <tr><td>{@link #SUPERVISOR}</td><td>waited for</td><td>returns</td><td>all</td></tr>
 * <tr><td>{@link #CANCEL_OTHERS}</td><td>cancelled at once</td><td>returns</td><td>all</td></tr>
 * <tr><td>{@link #IGNORE_ALL}</td><td>waited for</td><td>returns</td><td>none, only counted</td></tr>
 * </table>
 */
public enum FailurePolicy {
    /** The first failure, when it happens, cancels the other awaited tasks, and is thrown. */
    FAIL_FAST,
    /** Waits for all, then throws one exception with all failures. */
    COLLECT_ALL,
    /** Waits for all, and lists the failures. */
    SUPERVISOR,
    /** The first failure, when it happens, cancels the other awaited tasks; it is listed. */
    CANCEL_OTHERS,
    /** Waits for all, and only counts the failures. */
    IGNORE_ALL;

    /** Whether the first failure cancels the other tasks at once. */
    boolean cancelsOthers() {
        return this == FAIL_FAST || this == CANCEL_OTHERS;
    }
}
