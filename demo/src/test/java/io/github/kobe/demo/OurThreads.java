package io.github.kobe.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

/** Threads that the demo starts. */
final class OurThreads {

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private OurThreads() {}

    /** An executor may have ended a moment before the last of its threads has. */
    static void awaitEnd() throws InterruptedException {
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().startsWith("demo-")) {
                assertThat(thread.join(PATIENCE)).as("%s has ended", thread).isTrue();
            }
        }
    }
}
