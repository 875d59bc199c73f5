/**
 * Shows the library in one command. {@link io.github.kobe.demo.ScenarioRunner} runs a {@link io.github.kobe.demo.Scenario} on a plain
 * executor and on an executor of this library at the same time. A {@link io.github.kobe.demo.Screen} shows both, and
 * {@link io.github.kobe.demo.HtmlReport} writes the result to a file.
 */
@NullMarked
package io.github.kobe.demo;

import org.jspecify.annotations.NullMarked;
