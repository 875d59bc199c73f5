package io.github.kobe.console;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.regex.Pattern;

/** The secret that a browser sends with each request. */
final class Token {

    static final int BITS = 256;
    private static final int MIN_LENGTH = 32;

    /** Characters that need no encoding in the fragment of an address. */
    private static final Pattern VALID = Pattern.compile("[A-Za-z0-9._~-]{" + MIN_LENGTH + ",512}");

    private final String text;
    private final byte[] digest;

    private Token(String text) {
        this.text = text;
        this.digest = digest(text);
    }

    static Token random() {
        byte[] secret = new byte[BITS / Byte.SIZE];
        new SecureRandom().nextBytes(secret);
        return new Token(Base64.getUrlEncoder().withoutPadding().encodeToString(secret));
    }

    /** @throws IllegalArgumentException if it is too short or has other characters; the message does not have the token */
    static Token of(String text) {
        if (!VALID.matcher(text).matches()) {
            throw new IllegalArgumentException("token must have " + MIN_LENGTH
                    + " to 512 characters, each a letter, a digit or one of . _ ~ -, but has " + text.length()
                    + " characters");
        }
        return new Token(text);
    }

    /** Takes the same time for each wrong text of the same length, so that a token cannot be guessed piece by piece. */
    boolean matches(String other) {
        return MessageDigest.isEqual(digest, digest(other));
    }

    /** Returns the token itself, for the address of the page. {@link #toString} does not, so that no log has it by mistake. */
    String secret() {
        return text;
    }

    private static byte[] digest(String text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    @Override
    public String toString() {
        return "Token[…]";
    }
}
