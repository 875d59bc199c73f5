package io.github.kobe.internal.kernel;

import io.github.kobe.internal.fair.ReadyQueue;
import io.github.kobe.internal.stats.Histogram;
import io.github.kobe.internal.time.Timer;
import java.lang.invoke.MethodHandles;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What the root package does for the other faces in this module, and keeps from users: executors on threads and with a ready queue of
 * the face's own, the kernel behind an executor, figures of a histogram. The kernel knows no face, so it does not know the types
 * either.
 *
 * @param <P> a policy
 * @param <E> an executor
 */
public abstract class Backstage<P, E> {

    private static volatile @Nullable Backstage<?, ?> entered;

    /** For the executor's class, when it is loaded. */
    public static void enter(Backstage<?, ?> backstage) {
        entered = backstage;
    }

    /** For a face that knows the types. */
    @SuppressWarnings("unchecked") // there is one, and who asks for it by its type knows it
    public static <P, E> Backstage<P, E> of(MethodHandles.Lookup face, Class<E> executorType) {
        try {
            face.ensureInitialized(executorType);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
        return (Backstage<P, E>) Objects.requireNonNull(entered);
    }

    /** An executor whose groups compete by {@code ready}, and whose tickets run on what {@code runner} gives them. */
    public final E open(P policy, ReadyQueue ready, TaskRunner runner, Timer timer) {
        return executor(policy, ready, runner, timer);
    }

    /** As {@link #open(Object, ReadyQueue, Runner, Timer)}, with the ready queue that the policy asks for. */
    public final E open(P policy, TaskRunner runner, Timer timer) {
        return executor(policy, null, runner, timer);
    }

    /** The kernel of an executor. */
    public final Dispatcher behind(E executor) {
        return kernel(executor);
    }

    /** What users are told of a histogram. */
    public final Object times(Histogram histogram) {
        return figures(histogram);
    }

    /** See {@link #open(Object, ReadyQueue, Runner, Timer)}; {@code ready} is null if the policy is to decide. */
    protected abstract E executor(P policy, @Nullable ReadyQueue ready, TaskRunner runner, Timer timer);

    /** See {@link #behind}. */
    protected abstract Dispatcher kernel(E executor);

    /** See {@link #times}. */
    protected abstract Object figures(Histogram histogram);
}
