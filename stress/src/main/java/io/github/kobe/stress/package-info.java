/**
 * The races. Each class is one script of two steps that run at once, with the outcomes that are allowed; the nested
 * {@code Kernel...} tests play it against the kernel, the nested {@code Twin...} tests against a broken model.
 */
package io.github.kobe.stress;
