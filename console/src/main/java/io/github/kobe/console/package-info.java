/** A page that shows what executors of group-concurrency do, live, and changes their limits: {@link io.github.kobe.console.Console}. */
@NullMarked
package io.github.kobe.console;

import org.jspecify.annotations.NullMarked;
