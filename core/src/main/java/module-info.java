/**
 * Runs the work of many groups in one JVM so that no group can hurt another.
 *
 * <p>Only {@code io.github.kobe} and {@code io.github.kobe.pool} are for users. The kernel behind it lives in a package that is not exported and may
 * change at any time.
 */
module io.github.kobe {
    requires static org.jspecify;

    exports io.github.kobe;
    exports io.github.kobe.pool;
}
