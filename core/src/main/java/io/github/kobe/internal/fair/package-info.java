/** Fairness between groups: which group is next when a permit under the global limit is free. */
@NullMarked
package io.github.kobe.internal.fair;

import org.jspecify.annotations.NullMarked;
