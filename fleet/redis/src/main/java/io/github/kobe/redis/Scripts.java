package io.github.kobe.redis;

import io.github.kobe.fleet.FleetRequest;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Objects;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The scripts that execute calls inside the server. Each is made of parts, which are resources next to this class. Immutable. */
final class Scripts {

    /**
     * A script.
     *
     * @param text its source
     * @param sha the name by which a server knows it
     */
    record Script(String text, String sha) {

        static Script of(String text) {
            try {
                byte[] digest = MessageDigest.getInstance("SHA-1").digest(text.getBytes(StandardCharsets.UTF_8));
                return new Script(text, HexFormat.of().formatHex(digest));
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException("every Java has SHA-1", e);
            }
        }
    }

    private final Script hello;
    private final Script exchange;
    private final Script reap;
    private final Script bye;
    private final Script configure;
    private final Script look;

    /**
     * Makes the scripts.
     *
     * @param part returns the text of a part
     */
    Scripts(UnaryOperator<String> part) {
        String shard = part.apply("server") + part.apply("shard");
        String groups = part.apply("groups");
        hello = Script.of(shard + part.apply("hello"));
        exchange = Script.of(shard + part.apply("exchange") + groups + part.apply("claims"));
        reap = Script.of(shard + groups + part.apply("reap"));
        bye = Script.of(shard + part.apply("bye"));
        configure = Script.of(shard + groups + part.apply("configure"));
        look = Script.of(shard + groups + part.apply("look"));
    }

    /** Reads the scripts. */
    static Scripts standard() {
        return new Scripts(Scripts::part);
    }

    /** Returns the script that executes a call. */
    Script of(FleetRequest request) {
        return switch (request) {
            case FleetRequest.Hello h -> hello;
            case FleetRequest.Exchange e -> exchange;
            case FleetRequest.Reap r -> reap;
            case FleetRequest.Bye b -> bye;
            case FleetRequest.Configure c -> configure;
            case FleetRequest.Look l -> look;
        };
    }

    /** Reads a part without its comments and indentation, which would only cost memory in the server. */
    static String part(String name) {
        try (InputStream in =
                Objects.requireNonNull(Scripts.class.getResourceAsStream(name + ".lua"), name + ".lua is missing")) {
            Stream<String> lines = new String(in.readAllBytes(), StandardCharsets.UTF_8).lines();
            return lines.map(String::strip)
                    .filter(line -> !line.isEmpty() && !line.startsWith("--"))
                    .collect(Collectors.joining("\n", "", "\n"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
