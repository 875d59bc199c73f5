package io.github.kobe.demo;

/**
 * The column headings of a scenario.
 *
 * @param source what a row is, for example "tenant"
 * @param running the first bar
 * @param pending the second bar
 * @param shortWait the time that is measured, short enough for a column
 * @param waitTime the same in full
 * @param extra the last column of the verdict
 */
record Labels(String source, String running, String pending, String shortWait, String waitTime, String extra) {}
