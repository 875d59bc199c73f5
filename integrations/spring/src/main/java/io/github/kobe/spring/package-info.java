/** Limits per group for Spring beans: {@code @GroupLimit} on methods, and a task executor for {@code @Async}. */
@NullMarked
package io.github.kobe.spring;

import org.jspecify.annotations.NullMarked;
