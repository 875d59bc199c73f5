/** What the races are made of: tasks that record what happens to them, a runner without threads, and the kernel behind a small interface. */
package io.github.kobe.stress.rig;
