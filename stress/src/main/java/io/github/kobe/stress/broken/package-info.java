/**
 * Small models of the kernel, each with one flaw that looks harmless. A race against its model must show a forbidden outcome. A
 * race that cannot fail here proves nothing about the kernel.
 */
package io.github.kobe.stress.broken;
