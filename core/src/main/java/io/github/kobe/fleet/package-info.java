/**
 * One limit across several JVMs: the protocol between nodes and a store, the port to the store, and a store in memory.
 *
 * <p>{@code docs/design/fleet.md} has the states, the messages, the invariants and the rule by which permits are granted.
 */
@NullMarked
package io.github.kobe.fleet;

import org.jspecify.annotations.NullMarked;
