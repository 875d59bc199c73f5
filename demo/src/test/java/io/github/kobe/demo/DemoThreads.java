package io.github.kobe.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

/** The threads of the demo. */
final class DemoThreads {

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private DemoThreads() {}

    /** Waits for all of them: an executor may terminate slightly before the last of its threads. */
    static void awaitTermination() throws InterruptedException {
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().startsWith("demo-")) {
                assertThat(thread.join(PATIENCE))
                        .as("%s has terminated", thread)
                        .isTrue();
            }
        }
    }
}
