package io.github.kobe.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.redis.kit.RedisServer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Does the program for operators run with nothing but its jar? */
class LookJarIT {

    private static Path jar() throws Exception {
        try (Stream<Path> files = Files.list(Path.of("target"))) {
            return files.filter(file -> file.getFileName().toString().endsWith("-look.jar"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    @Test
    void printsAFleet() throws Exception {
        try (RedisServer redis = RedisServer.start();
                TestNode node = new TestNode("a", RedisStore.at(redis.uri()))) {
            node.join();
            Process look = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-jar",
                            jar().toString(),
                            redis.uri(),
                            "orders")
                    .redirectErrorStream(true)
                    .start();
            String printed = new String(look.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(look.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(printed)
                    .startsWith("fleet orders at 127.0.0.1:" + redis.port())
                    .contains("node a");
            assertThat(look.exitValue()).isZero();
        }
    }
}
