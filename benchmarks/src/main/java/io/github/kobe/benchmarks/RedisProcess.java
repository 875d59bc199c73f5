package io.github.kobe.benchmarks;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanIterator;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import redis.embedded.core.ExecutableProvider;

/** A Redis server of its own, empty and without persistence, on a free port of loopback. */
final class RedisProcess implements AutoCloseable {

    private static final Pattern SCRIPT_CALLS = Pattern.compile("cmdstat_eval(?:sha)?:calls=(\\d+)");

    private final Process process;
    private final RedisClient client;
    private final StatefulRedisConnection<String, String> connection;
    private final int port;

    RedisProcess() throws IOException, InterruptedException {
        port = freePort();
        Path directory = Files.createTempDirectory("benchmark-redis");
        directory.toFile().deleteOnExit();
        Path program = ExecutableProvider.newJarResourceProvider(directory.toFile())
                .get()
                .toPath();
        program.toFile().deleteOnExit();
        process = new ProcessBuilder(
                        program.toString(),
                        "--port",
                        Integer.toString(port),
                        "--bind",
                        "127.0.0.1",
                        "--save",
                        "",
                        "--appendonly",
                        "no",
                        "--dir",
                        directory.toString())
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
        client = newClient(port);
        connection = connect();
    }

    static RedisClient newClient(int port) {
        return RedisClient.create(RedisURI.create("127.0.0.1", port));
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private StatefulRedisConnection<String, String> connect() throws InterruptedException {
        for (int attempt = 0; ; attempt++) {
            try {
                return client.connect();
            } catch (RedisConnectionException e) {
                if (attempt == 200 || !process.isAlive()) {
                    close();
                    throw new IllegalStateException("Redis does not start", e);
                }
                Thread.sleep(25);
            }
        }
    }

    int port() {
        return port;
    }

    RedisCommands<String, String> commands() {
        return connection.sync();
    }

    /** How many scripts clients have called so far. What the scripts call does not count. */
    long scriptCalls() {
        Matcher found = SCRIPT_CALLS.matcher(commands().info("commandstats").toLowerCase(Locale.ROOT));
        long calls = 0;
        while (found.find()) {
            calls += Long.parseLong(found.group(1));
        }
        return calls;
    }

    /** How many keys match a pattern. */
    long keys(String pattern) {
        long keys = 0;
        ScanIterator<String> all =
                ScanIterator.scan(commands(), ScanArgs.Builder.matches(pattern).limit(1_000));
        while (all.hasNext()) {
            all.next();
            keys++;
        }
        return keys;
    }

    @Override
    public void close() {
        client.shutdown();
        process.destroyForcibly();
    }
}
