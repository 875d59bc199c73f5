package io.github.kobe.internal.kernel;

import io.github.kobe.internal.fair.ReadyQueue;
import io.github.kobe.internal.stats.Histogram;
import io.github.kobe.internal.time.Timer;
import java.lang.invoke.MethodHandles;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What the root package offers to the other faces of this module and hides from users: executors with a ready queue and threads of the
 * face's own, the dispatcher of an executor, and the statistics of a histogram. The kernel knows no face, so the types are parameters.
 *
 * @param <P> the type of a policy
 * @param <E> the type of an executor
 */
public abstract class Backstage<P, E> {

    private static volatile @Nullable Backstage<?, ?> entered;

    /** Registers the implementation. The class of the executor calls it when it is initialized. */
    public static void enter(Backstage<?, ?> backstage) {
        entered = backstage;
    }

    /**
     * The implementation, for a face that knows the types.
     *
     * @param face a lookup of the face, which may access {@code executorType}
     * @param executorType initialized first, so that it has registered the implementation
     */
    @SuppressWarnings("unchecked") // only one implementation exists, and the caller names its types
    public static <P, E> Backstage<P, E> of(MethodHandles.Lookup face, Class<E> executorType) {
        try {
            face.ensureInitialized(executorType);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
        return (Backstage<P, E>) Objects.requireNonNull(entered);
    }

    /** Opens an executor whose groups compete by {@code ready}, and whose tasks run on the threads of {@code runner}. */
    public final E open(P policy, ReadyQueue ready, TaskRunner runner, Timer timer) {
        return executor(policy, ready, runner, timer);
    }

    /** As {@link #open(Object, ReadyQueue, TaskRunner, Timer)}, with the ready queue that the policy names. */
    public final E open(P policy, TaskRunner runner, Timer timer) {
        return executor(policy, null, runner, timer);
    }

    /** The dispatcher of an executor. */
    public final Dispatcher behind(E executor) {
        return kernel(executor);
    }

    /** The statistics of a histogram, as users see them. */
    public final Object times(Histogram histogram) {
        return figures(histogram);
    }

    /** See {@link #open(Object, ReadyQueue, TaskRunner, Timer)}. If {@code ready} is null, the policy decides. */
    protected abstract E executor(P policy, @Nullable ReadyQueue ready, TaskRunner runner, Timer timer);

    /** See {@link #behind}. */
    protected abstract Dispatcher kernel(E executor);

    /** See {@link #times}. */
    protected abstract Object figures(Histogram histogram);
}
