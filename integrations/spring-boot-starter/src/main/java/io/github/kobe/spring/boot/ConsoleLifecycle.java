package io.github.kobe.spring.boot;

import io.github.kobe.console.ConsoleHandler;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;

/** Ends the streams of the console before the web server waits for requests in progress: a stream is a request that goes on. */
final class ConsoleLifecycle implements SmartLifecycle {

    private final ConfigurableApplicationContext context;
    private final ConsoleHandler console;
    private volatile boolean running;

    ConsoleLifecycle(ConfigurableApplicationContext context, ConsoleHandler console) {
        this.context = context;
        this.console = console;
    }

    @Override
    public void start() {
        running = true;
    }

    /** A context that is only stopped may be started again, and a console that is closed may not. */
    @Override
    public void stop() {
        running = false;
        if (context.isClosed()) {
            console.close();
        }
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** Web servers have lower phases, and stop later. */
    @Override
    public int getPhase() {
        return DEFAULT_PHASE;
    }
}
