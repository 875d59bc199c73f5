package io.github.kobe.redis.kit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;
import redis.embedded.core.ExecutableProvider;

/**
 * A program that is a Redis or Valkey server.
 *
 * @param name where it comes from
 * @param file the program
 */
public record RedisBinary(String name, Path file) {

    /** Unpacks the server once for all tests. */
    private static final class Embedded {
        static final RedisBinary BINARY = unpack();

        private static RedisBinary unpack() {
            try {
                Path directory = Files.createTempDirectory("redis-binary");
                directory.toFile().deleteOnExit();
                return new RedisBinary(
                        "embedded",
                        ExecutableProvider.newJarResourceProvider(directory.toFile())
                                .get()
                                .toPath());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** Returns the server that the tests bring with them: the oldest version that the store supports. */
    public static RedisBinary embedded() {
        return Embedded.BINARY;
    }

    /** Returns the {@code redis-server} or {@code valkey-server} on the path, if there is one. */
    public static Stream<RedisBinary> onPath() {
        return Stream.of("redis-server", "valkey-server").flatMap(name -> find(name).stream());
    }

    /**
     * Returns one of the servers.
     *
     * @param name {@code embedded}, {@code redis-server} or {@code valkey-server}
     * @throws IllegalArgumentException if it is not on the path
     */
    public static RedisBinary named(String name) {
        return name.equals("embedded")
                ? embedded()
                : find(name).orElseThrow(() -> new IllegalArgumentException("no " + name + " on the path"));
    }

    /** Returns all servers that there are. */
    public static Stream<RedisBinary> all() {
        return Stream.concat(Stream.of(embedded()), onPath());
    }

    private static Optional<RedisBinary> find(String name) {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(":"))
                .map(directory -> Path.of(directory, name))
                .filter(Files::isExecutable)
                .findFirst()
                .map(file -> new RedisBinary(name + " on the path", file));
    }

    @Override
    public String toString() {
        return name;
    }
}
