package io.github.kobe.spring.boot;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/** Waits for a condition, also on a busy machine. */
final class Eventually {

    private Eventually() {}

    static ConditionFactory eventually() {
        return Awaitility.await().atMost(Duration.ofMinutes(2));
    }
}
