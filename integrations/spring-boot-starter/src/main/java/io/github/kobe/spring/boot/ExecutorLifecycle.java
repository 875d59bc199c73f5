package io.github.kobe.spring.boot;

import java.util.List;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.scheduling.concurrent.ExecutorConfigurationSupport;

/**
 * Shuts down the executors and pools of the properties when the application context is closed: after the web server has stopped, so that requests in
 * progress can still submit tasks, and before beans are destroyed. All are drained at the same time.
 *
 * <p>A context that is only stopped or paused may be started again, so then nothing happens.
 */
final class ExecutorLifecycle implements SmartLifecycle {

    /** Web servers and task executors have higher phases, and stop earlier. */
    static final int PHASE = ExecutorConfigurationSupport.DEFAULT_PHASE - 1024;

    private final ConfigurableApplicationContext context;
    private final ConfiguredExecutors executors;
    private volatile boolean running;

    ExecutorLifecycle(ConfigurableApplicationContext context, ConfiguredExecutors executors) {
        this.context = context;
        this.executors = executors;
    }

    @Override
    public void start() {
        running = true;
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }

    @Override
    public void stop() {
        running = false;
        if (context.isClosed()) {
            drain();
        }
    }

    /** Spring waits for {@code callback} for {@code spring.lifecycle.timeout-per-shutdown-phase} at most. */
    @Override
    public void stop(Runnable callback) {
        Thread.ofVirtual().name("group-concurrency-shutdown").start(() -> {
            try {
                stop();
            } finally {
                callback.run();
            }
        });
    }

    private void drain() {
        List<Thread> threads = executors.shutdowns().stream()
                .map(shutdown ->
                        Thread.ofVirtual().name("group-concurrency-shutdown").start(shutdown::drain))
                .toList();
        for (Thread thread : threads) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return; // ConfiguredExecutors stops what is left
            }
        }
    }
}
