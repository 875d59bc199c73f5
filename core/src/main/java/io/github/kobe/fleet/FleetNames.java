package io.github.kobe.fleet;

import io.github.kobe.internal.kernel.SharedKey;
import io.github.kobe.internal.util.Checks;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.zip.CRC32;

/**
 * Names of fleets, groups and shared limits as a store sees them. An attacker may choose keys of groups and values of shared limits. So the length of
 * names is bounded, no key of a group gives the name of a shared limit, and no two values of shared limits have the same name.
 *
 * <pre>
 *   (empty)                   the limit over all groups
 *   orders                    a group: its key
 *   ~ and 64 hex digits       a group whose key is empty, long, or begins with ~
 *   ~6:tenant:acme            the value acme of the shared limit tenant; the number of characters of the name comes first
 *   ~# and 64 hex digits      the same, if that is long
 * </pre>
 */
final class FleetNames {

    /** The group whose limit is that of all groups together. */
    static final String TOTAL = "";

    private static final Pattern FLEET = Pattern.compile("[A-Za-z0-9._-]{1,100}");
    private static final int MAX_BYTES = 200;
    private static final String HASHED = "~";

    private FleetNames() {}

    /** @throws IllegalArgumentException if the name has other characters than a store can use in a key */
    static String checkFleet(String name) {
        Objects.requireNonNull(name, "fleet");
        Checks.check(FLEET.matcher(name).matches(), "fleet", "1 to 100 of A-Z a-z 0-9 . _ -", "'" + name + "'");
        return name;
    }

    /** Returns the name of a group in the store: its key, or a hash of it if it is empty, long, or looks like a hash. */
    static String ofGroup(String key) {
        byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
        boolean plain = bytes.length > 0 && bytes.length <= MAX_BYTES && !key.startsWith(HASHED);
        return plain ? key : HASHED + HexFormat.of().formatHex(sha256(bytes));
    }

    /** Returns the name of a value of a shared limit in the store. */
    static String ofShared(SharedKey key) {
        String plain = HASHED + key.name().length() + ":" + key.name() + ":" + key.value();
        byte[] bytes = plain.getBytes(StandardCharsets.UTF_8);
        return bytes.length <= MAX_BYTES ? plain : HASHED + "#" + HexFormat.of().formatHex(sha256(bytes));
    }

    /** Whether it may be the name of something else than a group. Some groups look like that. */
    static boolean mayBeOverSeveralGroups(String name) {
        return name.isEmpty() || name.startsWith(HASHED);
    }

    /** Returns the shard of a group. All nodes of a fleet compute the same. */
    static int shardOf(String group, int shards) {
        CRC32 crc = new CRC32();
        crc.update(group.getBytes(StandardCharsets.UTF_8));
        return (int) (crc.getValue() % shards);
    }

    private static byte[] sha256(byte[] bytes) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
