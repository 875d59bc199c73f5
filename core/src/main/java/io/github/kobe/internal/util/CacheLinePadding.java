package io.github.kobe.internal.util;

/**
 * One cache line of unused fields. The JVM places the fields of a superclass first, so the fields that a subclass adds do not share a cache
 * line with the object that is in front of it in memory.
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
