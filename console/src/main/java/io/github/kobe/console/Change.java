package io.github.kobe.console;

import java.time.Instant;

/**
 * A setting that a user of the console changed.
 *
 * @param number counts the changes of this console, from 1
 * @param at when
 * @param who the user and the address
 * @param what the setting, and what it belongs to
 * @param from the value before
 * @param to the value now
 */
record Change(long number, Instant at, String who, String what, String from, String to) {}
