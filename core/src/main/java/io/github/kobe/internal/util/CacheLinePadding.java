package io.github.kobe.internal.util;

/**
 * A line of the cache that nobody uses: the fields of a superclass come first, so what a subclass adds is not in one line with whatever
 * is in front of the object.
 */
@SuppressWarnings("unused")
public abstract class CacheLinePadding {

    private long a;
    private long b;
    private long c;
    private long d;
    private long e;
    private long f;
    private long g;

    /** For subclasses. */
    protected CacheLinePadding() {}
}
