/**
 * What the tests of a store need: real servers, a proxy that loses bytes, child JVMs, and a referee that sees all of them.
 *
 * <p>Everything listens on loopback only, and is killed when the JVM of the tests ends, however that ends.
 */
@NullMarked
package io.github.kobe.redis.kit;

import org.jspecify.annotations.NullMarked;
