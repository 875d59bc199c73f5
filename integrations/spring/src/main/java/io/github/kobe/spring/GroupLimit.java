package io.github.kobe.spring;

import io.github.kobe.GroupExecutor;
import io.github.kobe.PermitOptions;
import io.github.kobe.RejectedTaskException;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.aot.hint.annotation.Reflective;

/**
 * Runs a method with a permit of a group of a {@link GroupExecutor}. So the limits of the group bound how many calls run at the same time.
 *
 * <pre>{@code
 * @GroupLimit(group = "orders", key = "#tenant")
 * public List<Order> ordersOf(String tenant) { ... }      // the group of tenant acme is "orders:acme"
 * }</pre>
 *
 * <p>The key of the group is {@link #group}, or the value of {@link #key}, or both, joined by a colon. On a type, the annotation applies to all
 * methods that a caller can reach through the proxy; an annotation on a method replaces that on its type. It is found on interfaces and
 * superclasses, and on other annotations that have it. {@link EnableGroupLimits} or the Boot starter puts it into effect, for beans, by a
 * proxy: a call of a method of the same object is not limited.
 *
 * <p>What is held, and how long, depends on the declared return type:
 *
 * <table>
 * <caption>Return types</caption>
 * <tr><th>type</th><th>permit</th></tr>
 * <tr><td>{@link java.util.concurrent.CompletionStage}, {@link java.util.concurrent.Future}</td><td>The calling thread waits for it, and calls
 * the method. It is held until the stage completes; if there is none, because the method throws or returns {@code null} or a future that is
 * no stage, until the method returns.</td></tr>
 * <tr><td>{@code Mono}, {@code Flux}, {@code Publisher}</td><td>The method is called at once. Each subscription requests a permit, without a
 * thread that waits, and holds it until it completes, fails or is cancelled.</td></tr>
 * <tr><td>other</td><td>As {@link GroupExecutor#call}: the calling thread waits for it, and holds it until the method returns.</td></tr>
 * </table>
 *
 * <p>If there is no permit, the caller gets a {@link RejectedTaskException}; of a {@code Mono} or {@code Flux}, its subscriber. A call inside a
 * call of the same group on the same thread shares the permit. If the thread is interrupted while it waits and the method does not declare
 * {@link InterruptedException}, the caller gets a {@link java.util.concurrent.CancellationException}, and the interrupt flag is set again.
 *
 * <p>A mistake in an attribute, a method that a proxy cannot intercept, and a Kotlin {@code suspend} function fail at start, with
 * {@link InvalidGroupLimitException}.
 *
 * <p>The permit is taken outside a transaction, a cache and a security check, and inside {@code @Async}, {@code @Retryable} and
 * {@code @ConcurrencyLimit} of Spring: a call that waits for a permit holds no connection, and one that waits for its next attempt holds no
 * permit. {@link GroupLimitBeanPostProcessor#setOrder} changes that.
 */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
@Reflective
public @interface GroupLimit {

    /**
     * The group: a literal, which may contain placeholders such as {@code ${orders.group}}. If there is also a {@link #key}, it must not
     * contain a colon, because then the groups of two annotations could be the same. Default empty.
     */
    String group() default "";

    /**
     * A SpEL expression, evaluated at each call. It has the arguments, by name ({@code #tenant}) and by position ({@code #p0}), the beans
     * ({@code @tenants.current()}), and {@code #root} with {@code method}, {@code methodName}, {@code target}, {@code targetClass} and
     * {@code args}. Its value is text, a number, an enum constant or another simple value. If the value is {@code null}, the call fails with
     * an {@link IllegalArgumentException} that names the method. Default empty: the group alone.
     *
     * <p>If users of the application choose the key, bound the number of groups with {@code maxGroups}, and give the annotation a
     * {@link #group}, so that a key cannot be that of another annotation.
     */
    String key() default "";

    /**
     * The name of the bean of type {@link GroupExecutor}; may contain placeholders. Default empty: the only bean of that type, or the primary
     * one.
     */
    String executor() default "";

    /**
     * How long a call waits for its permit, such as {@code 500ms}, {@code 2s} or {@code PT2S}; may contain placeholders. {@code 0s}: the call
     * does not wait. Default empty: it waits as long as the policy of the executor lets it, see {@link PermitOptions.Builder#maxWait}.
     */
    String maxWait() default "";

    /**
     * How many permits a call takes of its group, of each shared limit and of the global limit, see {@link PermitOptions.Builder#cost}; a number of at least 1, which
     * may be a placeholder such as {@code ${export.cost}}. Default empty: 1. A call that could never fit is rejected at once.
     */
    String cost() default "";
}
