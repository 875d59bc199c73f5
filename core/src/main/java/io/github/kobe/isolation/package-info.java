/** Fast tenants stay fast whatever the slow ones do: many keys, one budget of concurrency, no limits to set for each. */
@NullMarked
package io.github.kobe.isolation;

import org.jspecify.annotations.NullMarked;
