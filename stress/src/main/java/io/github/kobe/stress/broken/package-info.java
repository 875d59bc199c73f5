/**
 * Small models of the kernel, each with one flaw that looks harmless. A race run against the model has to show the outcome
 * that it forbids; a race that cannot fail here proves nothing about the kernel.
 */
package io.github.kobe.stress.broken;
