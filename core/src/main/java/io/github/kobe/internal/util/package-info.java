/** Small helpers that use nothing but the JDK. */
@NullMarked
package io.github.kobe.internal.util;

import org.jspecify.annotations.NullMarked;
