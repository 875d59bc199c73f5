package io.github.kobe.spring;

import io.github.kobe.ExecutorShutdownException;
import io.github.kobe.GroupExecutor;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.RejectionPolicy;
import io.github.kobe.TaskHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;
import org.springframework.core.task.AsyncTaskExecutor;
import org.springframework.core.task.TaskDecorator;
import org.springframework.core.task.TaskRejectedException;
import org.springframework.scheduling.concurrent.ExecutorConfigurationSupport;

/**
 * Runs the tasks that Spring hands to a task executor, such as those of {@code @Async}, as tasks of groups of a {@link GroupExecutor}. The key of the group is
 * fixed, or asked for at each submission, on the submitter's thread.
 *
 * <pre>{@code
 * @Bean(defaultCandidate = false)
 * GroupTaskExecutor reports(GroupExecutor groups) {
 *     return GroupTaskExecutor.builder(groups).groupKey(Tenants::current).build();
 * }
 *
 * @Async("reports")
 * CompletableFuture<Report> create(Month month) { ... }
 * }</pre>
 *
 * <p>If a task is rejected, the method that it was given to throws {@link TaskRejectedException}, with the {@link RejectedTaskException} or
 * {@link ExecutorShutdownException} as its cause. Under {@link RejectionPolicy#DISCARD}, and if a queued task is displaced, its future completes with
 * that exception instead. A cancel of a future withdraws the task if it is queued; {@code cancel(true)} interrupts it if it runs.
 *
 * <p>A stop of the application context stops this executor: it accepts no more tasks, and the stop is complete when the tasks that it was given have
 * completed. That happens after the web server has drained, in the {@link #getPhase phase} of Spring's own executors. This class never shuts down the
 * {@link GroupExecutor}.
 *
 * <p>Safe for use by several threads.
 */
public final class GroupTaskExecutor implements AsyncTaskExecutor, SmartLifecycle {

    private static final long STOPPED = 1;
    private static final long ONE_TASK = 2;

    private final GroupExecutor executor;
    private final Function<Object, @Nullable String> groupKey;
    private final List<TaskDecorator> decorators;
    private final int phase;

    /** The STOPPED flag and the number of tasks, in one word: a task that is counted before the flag is set is waited for. */
    private final AtomicLong state = new AtomicLong();

    private final AtomicReference<@Nullable Runnable> onIdle = new AtomicReference<>();

    private GroupTaskExecutor(Builder builder) {
        executor = builder.executor;
        groupKey = Objects.requireNonNull(builder.groupKey, "groupKey");
        decorators = List.copyOf(builder.decorators);
        phase = builder.phase;
    }

    /** Returns an executor whose tasks are all tasks of one group. */
    public static GroupTaskExecutor of(GroupExecutor executor, String groupKey) {
        return builder(executor).groupKey(groupKey).build();
    }

    /** Creates a builder. */
    public static Builder builder(GroupExecutor executor) {
        return new Builder(executor);
    }

    // ---- tasks ---------------------------------------------------------------------------------------------------

    /**
     * Submits a task. What it throws goes to the uncaught exception handler of its thread.
     *
     * @throws TaskRejectedException if the task is rejected
     * @throws IllegalArgumentException if there is no group key for it
     */
    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // the handler gets what the task throws
    public void execute(Runnable task) {
        Runnable decorated = decorate(Objects.requireNonNull(task, "task"));
        submit(task, () -> {
            try {
                decorated.run();
            } catch (Throwable e) {
                Thread thread = Thread.currentThread();
                thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
                throw e;
            }
            return null;
        });
    }

    /**
     * Submits a task.
     *
     * @throws TaskRejectedException if the task is rejected
     * @throws IllegalArgumentException if there is no group key for it
     */
    @Override
    public Future<?> submit(Runnable task) {
        return submitRunnable(task);
    }

    /** As {@link #submit(Runnable)}, for a task with a value. */
    @Override
    public <T extends @Nullable Object> Future<T> submit(Callable<T> task) {
        return submitCallable(task);
    }

    /** As {@link #submit(Runnable)}. */
    @Override
    public CompletableFuture<Void> submitCompletable(Runnable task) {
        return submitRunnable(task);
    }

    /** As {@link #submit(Callable)}. */
    @Override
    public <T extends @Nullable Object> CompletableFuture<T> submitCompletable(Callable<T> task) {
        return submitCallable(task);
    }

    @SuppressWarnings("NullAway") // there is no other value of Void
    private CompletableFuture<Void> submitRunnable(Runnable task) {
        Runnable decorated = decorate(Objects.requireNonNull(task, "task"));
        return submit(task, () -> {
            decorated.run();
            return null;
        });
    }

    private <T extends @Nullable Object> CompletableFuture<T> submitCallable(Callable<T> task) {
        Objects.requireNonNull(task, "task");
        if (decorators.isEmpty()) {
            return submit(task, task);
        }
        DecoratedCall<T> call = new DecoratedCall<>(task);
        Runnable decorated = decorate(call);
        return submit(task, () -> {
            decorated.run();
            return call.result();
        });
    }

    private Runnable decorate(Runnable task) {
        Runnable decorated = task;
        for (TaskDecorator decorator : decorators) {
            decorated = decorator.decorate(decorated);
        }
        return decorated;
    }

    private <T extends @Nullable Object> CompletableFuture<T> submit(Object task, Callable<T> work) {
        String key = groupKey.apply(task);
        if (key == null) {
            throw new IllegalArgumentException("no group key for task " + task);
        }
        if ((state.addAndGet(ONE_TASK) & STOPPED) != 0) {
            taskDone();
            throw new TaskRejectedException("group task executor of '" + executor.name() + "' is stopped");
        }
        TaskHandle<T> handle;
        try {
            handle = executor.submit(key, work);
        } catch (RejectedTaskException | ExecutorShutdownException e) {
            taskDone();
            throw new TaskRejectedException(String.valueOf(e.getMessage()), e);
        } catch (Throwable e) {
            taskDone();
            throw e;
        }
        return GroupTaskFuture.of(handle, this::taskDone);
    }

    private void taskDone() {
        if (state.addAndGet(-ONE_TASK) == STOPPED) {
            tellIdle();
        }
    }

    // ---- lifecycle -----------------------------------------------------------------------------------------------

    /** Accepts tasks again after a stop. A new executor accepts them at once. */
    @Override
    public void start() {
        state.updateAndGet(s -> s & ~STOPPED);
    }

    /** Accepts no more tasks. Does not wait. */
    @Override
    public void stop() {
        stop(() -> {});
    }

    /** Accepts no more tasks, and calls {@code callback} when those that it was given have completed. */
    @Override
    public void stop(Runnable callback) {
        Runnable earlier = onIdle.getAndSet(Objects.requireNonNull(callback, "callback"));
        if (earlier != null) {
            earlier.run();
        }
        if (state.updateAndGet(s -> s | STOPPED) == STOPPED) {
            tellIdle();
        }
    }

    private void tellIdle() {
        Runnable callback = onIdle.getAndSet(null);
        if (callback != null) {
            callback.run();
        }
    }

    /** Returns whether tasks are accepted. */
    @Override
    public boolean isRunning() {
        return (state.get() & STOPPED) == 0;
    }

    /** Returns the phase of this executor, see {@link Builder#phase}. */
    @Override
    public int getPhase() {
        return phase;
    }

    /** Returns the name of the {@link GroupExecutor}, the state and the number of tasks. */
    @Override
    public String toString() {
        return "GroupTaskExecutor of '" + executor.name() + "'[" + (isRunning() ? "running" : "stopped") + ", "
                + state.get() / ONE_TASK + " tasks]";
    }

    /** Keeps the outcome of a task that decorators see as a {@link Runnable}. */
    private static final class DecoratedCall<T extends @Nullable Object> implements Runnable {

        private final Callable<T> task;
        private boolean ran;
        private @Nullable T value;
        private @Nullable Exception failure;

        DecoratedCall(Callable<T> task) {
            this.task = task;
        }

        @Override
        public void run() {
            ran = true;
            try {
                value = task.call();
            } catch (Exception e) {
                failure = e;
            }
        }

        @SuppressWarnings("NullAway") // a value may be null
        T result() throws Exception {
            if (!ran) {
                throw new IllegalStateException("a task decorator did not run " + task);
            }
            if (failure != null) {
                throw failure;
            }
            return value;
        }
    }

    /** Builds a {@link GroupTaskExecutor}. Not safe for use by several threads. */
    public static final class Builder {

        private final GroupExecutor executor;
        private final List<TaskDecorator> decorators = new ArrayList<>();
        private @Nullable Function<Object, @Nullable String> groupKey;
        private int phase = ExecutorConfigurationSupport.DEFAULT_PHASE;

        private Builder(GroupExecutor executor) {
            this.executor = Objects.requireNonNull(executor, "executor");
        }

        /** Makes all tasks tasks of one group. */
        public Builder groupKey(String key) {
            Objects.requireNonNull(key, "groupKey");
            return groupKeyOf(task -> key);
        }

        /** Asks for the key at each submission, on the submitter's thread. */
        public Builder groupKey(Supplier<@Nullable String> key) {
            Objects.requireNonNull(key, "groupKey");
            return groupKeyOf(task -> key.get());
        }

        /**
         * Asks for the key of each task, on the submitter's thread. The task is the {@link Runnable} or {@link Callable} that was submitted; one of
         * {@code @Async} is an object of Spring.
         */
        public Builder groupKeyOf(Function<Object, @Nullable String> key) {
            groupKey = Objects.requireNonNull(key, "groupKey");
            return this;
        }

        /**
         * Adds a decorator. It is called at submission, and gets what the decorators added before returned. Exceptions of a task with a future do not
         * reach it.
         */
        public Builder taskDecorator(TaskDecorator decorator) {
            decorators.add(Objects.requireNonNull(decorator, "decorator"));
            return this;
        }

        /**
         * Sets the phase in which the executor stops. Default {@link ExecutorConfigurationSupport#DEFAULT_PHASE}: after web servers, as Spring's own
         * executors. The {@link GroupExecutor} has to be shut down in a lower phase.
         */
        public Builder phase(int value) {
            phase = value;
            return this;
        }

        /**
         * Creates the executor.
         *
         * @throws IllegalStateException if there is no group key
         */
        public GroupTaskExecutor build() {
            if (groupKey == null) {
                throw new IllegalStateException("groupKey is not set");
            }
            return new GroupTaskExecutor(this);
        }
    }
}
