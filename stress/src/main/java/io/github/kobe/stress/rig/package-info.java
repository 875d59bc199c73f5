/** What the races are made of: jobs, a crank in place of threads, and the kernel behind a small interface. */
package io.github.kobe.stress.rig;
