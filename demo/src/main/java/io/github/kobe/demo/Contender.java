package io.github.kobe.demo;

import java.util.function.Function;

/**
 * A way to run work.
 *
 * @param title what it is called
 * @param opens makes one that tells a ledger what it does
 */
record Contender(String title, Function<Ledger, Side> opens) {}
