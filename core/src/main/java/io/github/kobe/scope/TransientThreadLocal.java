package io.github.kobe.scope;

import org.jspecify.annotations.Nullable;

/** What a thread has for as long as it is at something; those that are at nothing bear no trace of it. */
final class TransientThreadLocal<V> extends ThreadLocal<@Nullable V> {

    /** Has the calling thread go on with {@code before}, which it had, or, if that is {@code null}, with nothing. */
    void restore(@Nullable V before) {
        if (before == null) {
            remove();
        } else {
            set(before);
        }
    }
}
