/**
 * Runs the work of many groups in one JVM so that no group can hurt another.
 *
 * <p>The kernel behind the exported packages lives in a package that is not exported and may
 * change at any time.
 */
module io.github.kobe {
    requires static org.jspecify;

    exports io.github.kobe;
    exports io.github.kobe.scope;
    exports io.github.kobe.pool;
    exports io.github.kobe.isolation;
}
