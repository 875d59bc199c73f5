/** Isolation of many keys on one budget of permits: slow keys do not delay fast ones, and no key needs a limit of its own. */
@NullMarked
package io.github.kobe.isolation;

import org.jspecify.annotations.NullMarked;
