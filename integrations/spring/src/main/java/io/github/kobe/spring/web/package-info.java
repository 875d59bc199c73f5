/** Limits per group for HTTP requests: a servlet filter, and the answer to a rejected request. */
@NullMarked
package io.github.kobe.spring.web;

import org.jspecify.annotations.NullMarked;
