package io.github.kobe.redis;

import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a server says about itself.
 *
 * @param version its version, as a Redis
 * @param primary whether it accepts writes
 * @param clustered whether it is part of a cluster
 * @param evictionPolicy which keys it removes when its memory is full
 */
record ServerInfo(String version, boolean primary, boolean clustered, String evictionPolicy) {

    private static final int MIN_MAJOR = 6;
    private static final int MIN_MINOR = 2;
    private static final Pattern VERSION = Pattern.compile("(\\d+)\\.(\\d+).*");

    /** Reads the answer to {@code INFO}. */
    static ServerInfo of(String info) {
        Map<String, String> fields = new HashMap<>();
        info.lines().forEach(line -> {
            int colon = line.indexOf(':');
            if (colon > 0) {
                fields.put(line.substring(0, colon), line.substring(colon + 1).strip());
            }
        });
        return new ServerInfo(
                fields.getOrDefault("redis_version", ""),
                !fields.getOrDefault("role", "master").equals("slave"),
                fields.getOrDefault("cluster_enabled", "0").equals("1"),
                fields.getOrDefault("maxmemory_policy", ""));
    }

    /** Returns why the server cannot be used, or null if it can. */
    @Nullable
    String objection(boolean expectsCluster) {
        Matcher matcher = VERSION.matcher(version);
        if (matcher.matches()) {
            int major = Integer.parseInt(matcher.group(1));
            int minor = Integer.parseInt(matcher.group(2));
            if (major < MIN_MAJOR || (major == MIN_MAJOR && minor < MIN_MINOR)) {
                return "its version must be at least " + MIN_MAJOR + "." + MIN_MINOR + ", but is " + version;
            }
        }
        if (clustered && !expectsCluster) {
            return "it is part of a cluster: use redis-cluster:// or rediss-cluster://";
        }
        return primary ? null : "it is a replica";
    }

    /** Whether it may remove keys that have no expiry. */
    boolean evicts() {
        return evictionPolicy.startsWith("allkeys");
    }
}
