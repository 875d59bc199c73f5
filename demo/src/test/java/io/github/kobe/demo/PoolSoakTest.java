package io.github.kobe.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Does a pool keep its books under everything at once? */
class PoolSoakTest {

    @Test
    void everyHandleIsDoneAndNoThreadIsLeft() throws InterruptedException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        boolean fine = new PoolSoak(System.nanoTime())
                .run(Duration.ofSeconds(3), new PrintStream(out, true, StandardCharsets.UTF_8));
        assertThat(fine).as(out.toString(StandardCharsets.UTF_8)).isTrue();
    }
}
