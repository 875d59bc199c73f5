/** A page that shows what executors of group-concurrency do, live, and changes their limits. */
module io.github.kobe.console {
    requires transitive io.github.kobe;
    requires jdk.httpserver;
    requires static org.jspecify;

    exports io.github.kobe.console;
}
