/**
 * Runs the tasks of many groups in one JVM so that no group slows down another.
 *
 * <p>Packages that are not exported are implementation and may change at any time.
 */
module io.github.kobe {
    requires static org.jspecify;
    requires static jdk.jfr; // events for the flight recorder; without the module there are none
    requires static java.desktop; // an annotation that JSON libraries look for; not needed at run time

    exports io.github.kobe;
    exports io.github.kobe.scope;
    exports io.github.kobe.pool;
    exports io.github.kobe.isolation;
    exports io.github.kobe.fleet;
}
