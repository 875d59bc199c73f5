package io.github.kobe.scope;

/**
 * What {@link ThreadScope#await} does about tasks that fail. Those that are cancelled are no failures: they are counted in the
 * {@link Outcome}.
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
    /** The first failure, when it happens, cancels the others that are waited for, and is thrown. */
    FAIL_FAST,
    /** Waits for all, then throws all failures as one. */
    COLLECT_ALL,
    /** Waits for all, and lists the failures. */
    SUPERVISOR,
    /** The first failure, when it happens, cancels the others that are waited for; it is listed. */
    CANCEL_OTHERS,
    /** Waits for all, and only counts the failures. */
    IGNORE_ALL;

    /** Whether the first failure is acted upon when it happens. */
    boolean cancelsOthers() {
        return this == FAIL_FAST || this == CANCEL_OTHERS;
    }
}
