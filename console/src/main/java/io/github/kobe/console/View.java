package io.github.kobe.console;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a client shows, and so what it is sent.
 *
 * @param tab the tab that is open
 * @param executor the position of the only group executor whose groups are shown; -1 for all of them
 * @param search part of the keys that are shown, in lower case; empty for all
 * @param filter which groups are shown
 * @param sort which groups come first
 * @param page the page, from 0
 * @param size the number of rows on a page
 * @param detail the group, or the value of a shared limit, that is open; {@code null} if none is
 * @param client a name that the page has made up, so that its next stream replaces the one before; empty if it gave none
 */
record View(
        Tab tab,
        int executor,
        String search,
        Filter filter,
        Sort sort,
        int page,
        int size,
        @Nullable GroupRef detail,
        String client) {

    /** The tabs of the page. */
    enum Tab {
        GROUPS,
        SHARED,
        POOLS,
        ISOLATION,
        FLEET,
        CHANGES
    }

    /** Which groups are shown. */
    enum Filter {
        ALL,
        WAITING,
        PAUSED,
        CHANGED
    }

    /** Which groups come first. */
    enum Sort {
        WAIT,
        QUEUED,
        RUNNING,
        KEY
    }

    /** A group, or a value of a shared limit, of the executor at a position. */
    record GroupRef(int executor, KeyId id) {}

    /** How many rows can be paged through: those beyond are found by a search. It bounds what a client can cost. */
    static final int MAX_ROWS = 2_000;

    private static final int DEFAULT_SIZE = 50;
    private static final int MAX_SIZE = 200;
    private static final int MAX_QUERY = 2_000;
    private static final int MAX_SEARCH = 200;
    private static final int MAX_CLIENT = 64;

    /** @throws IllegalArgumentException if a parameter is wrong; the message names it and does not repeat what was sent */
    static View parse(@Nullable String query) {
        Map<String, String> parameters = parameters(query);
        int size = number(parameters, "size", DEFAULT_SIZE, 1, MAX_SIZE);
        return new View(
                constant(Tab.class, parameters, "tab", Tab.GROUPS),
                number(parameters, "executor", -1, -1, Integer.MAX_VALUE),
                text(parameters, "search", MAX_SEARCH).toLowerCase(Locale.ROOT),
                constant(Filter.class, parameters, "filter", Filter.ALL),
                constant(Sort.class, parameters, "sort", Sort.WAIT),
                number(parameters, "page", 0, 0, MAX_ROWS / size - 1),
                size,
                detail(parameters),
                text(parameters, "client", MAX_CLIENT));
    }

    /** Returns how many rows come before those of the page. */
    int firstRow() {
        return page * size;
    }

    private static Map<String, String> parameters(@Nullable String query) {
        Map<String, String> parameters = new HashMap<>();
        if (query == null) {
            return parameters;
        }
        if (query.length() > MAX_QUERY) {
            throw new IllegalArgumentException(
                    "the query must have at most " + MAX_QUERY + " characters, but has " + query.length());
        }
        for (String parameter : query.split("&", -1)) {
            int equals = parameter.indexOf('=');
            if (equals > 0) {
                parameters.put(decode(parameter.substring(0, equals)), decode(parameter.substring(equals + 1)));
            }
        }
        return parameters;
    }

    private static String decode(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }

    private static String text(Map<String, String> parameters, String name, int maxLength) {
        String value = parameters.getOrDefault(name, "");
        if (value.length() > maxLength) {
            throw new IllegalArgumentException(
                    name + " must have at most " + maxLength + " characters, but has " + value.length());
        }
        return value;
    }

    private static int number(Map<String, String> parameters, String name, int ifAbsent, int min, int max) {
        String value = parameters.get(name);
        if (value == null) {
            return ifAbsent;
        }
        try {
            int number = Integer.parseInt(value);
            if (number >= min && number <= max) {
                return number;
            }
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(name + " must be a whole number", e);
        }
        throw new IllegalArgumentException(name + " must be from " + min + " to " + max + ", but is " + value);
    }

    private static <E extends Enum<E>> E constant(
            Class<E> type, Map<String, String> parameters, String name, E ifAbsent) {
        String value = parameters.get(name);
        if (value == null) {
            return ifAbsent;
        }
        return Arrays.stream(type.getEnumConstants())
                .filter(constant -> nameOf(constant).equals(value))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(name + " must be one of "
                        + Arrays.stream(type.getEnumConstants())
                                .map(View::nameOf)
                                .toList()));
    }

    private static String nameOf(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    /** A group is named by the position of its executor, a dot, and its id. */
    private static @Nullable GroupRef detail(Map<String, String> parameters) {
        String value = parameters.get("detail");
        if (value == null) {
            return null;
        }
        int dot = value.indexOf('.');
        KeyId id = KeyId.parse(value.substring(dot + 1));
        if (dot < 1 || id == null || !value.substring(0, dot).matches("\\d{1,4}")) {
            throw new IllegalArgumentException("detail must be a position, a dot, and the id of a group");
        }
        return new GroupRef(Integer.parseInt(value.substring(0, dot)), id);
    }
}
