/**
 * The library in one command: a {@link io.github.kobe.demo.Scenario} is played on a plain executor and on one of ours at the same time, a
 * {@link io.github.kobe.demo.Screen} shows both, and {@link io.github.kobe.demo.HtmlReport} keeps what came of it.
 */
@NullMarked
package io.github.kobe.demo;

import org.jspecify.annotations.NullMarked;
