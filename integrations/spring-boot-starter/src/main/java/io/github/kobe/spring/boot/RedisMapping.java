package io.github.kobe.spring.boot;

import io.github.kobe.redis.RedisStore;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

/** Turns properties into a store in Redis. */
final class RedisMapping {

    private static final String PATH = FleetMapping.PATH + ".redis";

    private RedisMapping() {}

    static RedisStore store(GroupConcurrencyProperties.Redis from) {
        if (from.uri() == null || from.uri().isBlank()) {
            throw new ConfigurationMistakeException(
                    "Property '" + PATH + ".uri' is not set, although '" + FleetMapping.PATH + ".name' is.",
                    "Set '" + PATH + ".uri', such as redis://localhost:6379, or define a bean of type FleetStore.",
                    null);
        }
        RedisStore.Builder to = builder(from.uri());
        CheckedProperties properties = new CheckedProperties(ConfigurationPropertyName.of(PATH), to::build);
        properties.set("timeout", from.timeout(), to::timeout);
        properties.set("shards", from.shards(), to::shards);
        return to.build();
    }

    /** Reports a wrong URI without its value, which may have a password. The message of the store does not have it either. */
    private static RedisStore.Builder builder(String uri) {
        try {
            return RedisStore.builder(uri);
        } catch (IllegalArgumentException e) {
            throw new ConfigurationMistakeException(
                    "Property '" + PATH + ".uri' is wrong: " + e.getMessage() + ".",
                    "Write a URI such as redis://user:password@host:6379, rediss://… with TLS, redis-sentinel://… or redis-cluster://…",
                    null);
        }
    }
}
