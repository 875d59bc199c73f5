/**
 * The races. Each class is one race of two actors, A and B, with its allowed outcomes. All other outcomes are forbidden. The
 * nested {@code Kernel...} tests run the race against the kernel. The nested {@code Twin...} tests run it against a broken model
 * and must show a forbidden outcome.
 */
package io.github.kobe.stress;
