package io.github.kobe.redis;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads the name of a value of a shared limit in the store, such as {@code ~6:tenant:acme}. A long one is a hash, {@code ~#} and 64 digits. */
final class SharedName {

    private static final Pattern HASH = Pattern.compile("~#[0-9a-f]{64}");
    private static final Pattern PLAIN = Pattern.compile("~([0-9]{1,3}):(.*)", Pattern.DOTALL);

    private SharedName() {}

    static boolean matches(String group) {
        return parts(group) != null || HASH.matcher(group).matches();
    }

    /** Returns name and value; {@code null} if it is another name. */
    private static String @Nullable [] parts(String group) {
        Matcher plain = PLAIN.matcher(group);
        if (!plain.matches()) {
            return null;
        }
        int length = Integer.parseInt(plain.group(1));
        String rest = plain.group(2);
        return rest.length() > length && rest.charAt(length) == ':'
                ? new String[] {rest.substring(0, length), rest.substring(length + 1)}
                : null;
    }

    /** Returns for example "tenant=acme"; any other name as it is. */
    static String plain(String group) {
        String[] parts = parts(group);
        return parts == null ? group : parts[0] + "=" + parts[1];
    }

    /** Returns for example "shared limit tenant 'acme'"; any other name as it is. */
    static String text(String group) {
        String[] parts = parts(group);
        if (parts == null) {
            return HASH.matcher(group).matches() ? "shared limit " + group : group;
        }
        return "shared limit " + parts[0] + " '" + parts[1] + "'";
    }
}
