package io.github.kobe.console;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * Names a group by a short text instead of its key. A key may be long, may have characters that an address cannot have, and may be nobody else's
 * business: the logs of a proxy have addresses. Equal keys have equal ids, also after a restart.
 *
 * <p>The id begins with the hash code of the key, which a string remembers. So a search through very many keys computes a digest of the match only.
 */
final class KeyId {

    private static final int DIGEST_BYTES = 16;
    private static final int HASH_DIGITS = 8;
    private static final int LENGTH = HASH_DIGITS + 2 * DIGEST_BYTES;
    private static final HexFormat HEX = HexFormat.of();

    private final int hash;
    private final byte[] digest;

    private KeyId(int hash, byte[] digest) {
        this.hash = hash;
        this.digest = digest;
    }

    static KeyId of(String key) {
        return new KeyId(key.hashCode(), digest(key));
    }

    /** Returns {@code null} if the text is not an id. */
    static @Nullable KeyId parse(String text) {
        if (text.length() != LENGTH) {
            return null;
        }
        try {
            return new KeyId(HexFormat.fromHexDigits(text, 0, HASH_DIGITS), HEX.parseHex(text, HASH_DIGITS, LENGTH));
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    boolean matches(String key) {
        return key.hashCode() == hash && Arrays.equals(digest, digest(key));
    }

    /** All characters count, also those that no encoding can represent. */
    private static byte[] digest(String key) {
        byte[] bytes = new byte[2 * key.length()];
        for (int i = 0; i < key.length(); i++) {
            bytes[2 * i] = (byte) (key.charAt(i) >> Byte.SIZE);
            bytes[2 * i + 1] = (byte) key.charAt(i);
        }
        try {
            return Arrays.copyOf(MessageDigest.getInstance("SHA-256").digest(bytes), DIGEST_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    @Override
    public String toString() {
        return HEX.toHexDigits(hash) + HEX.formatHex(digest);
    }
}
