package io.github.kobe.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Are refused requests logged, without a flood? */
class RefusalLogTest {

    @Test
    void firstIsLoggedAtOnceAndThenOneLineAMinute() {
        AtomicLong clock = new AtomicLong();
        RefusalLog log = new RefusalLog(clock::get);
        FakeExchange exchange = new FakeExchange("GET", "/api/view\nfake line").remote("10.0.0.9");
        try (ConsoleKit.Log lines = new ConsoleKit.Log()) {
            for (int i = 0; i < 1_000; i++) {
                log.add(401, exchange, null);
            }
            log.add(403, exchange, null);
            clock.addAndGet(Duration.ofMinutes(1).toNanos());
            log.add(401, exchange, null);
            assertThat(lines.lines())
                    .containsExactly(
                            "WARNING console: 401 for GET /api/view?fake line from 10.0.0.9",
                            "WARNING console: 403 for GET /api/view?fake line from 10.0.0.9",
                            "WARNING console: 401 for GET /api/view?fake line from 10.0.0.9, and 999 more since the last line");
        }
    }
}
