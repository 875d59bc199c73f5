/** Limits that several JVMs share, in Redis or Valkey. */
@NullMarked
package io.github.kobe.redis;

import org.jspecify.annotations.NullMarked;
