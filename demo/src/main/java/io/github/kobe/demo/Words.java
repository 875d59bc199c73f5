package io.github.kobe.demo;

/**
 * What a scenario calls things.
 *
 * @param row who has a row
 * @param running what the first bar shows
 * @param held what the second bar shows
 * @param timed what is timed, as a column's head
 * @param measure the same, said in full
 * @param extra the last column of the verdict
 */
record Words(String row, String running, String held, String timed, String measure, String extra) {

    static final Words OF_TASKS = new Words("tenant", "running", "waiting", "wait", "waiting time", "work done");
}
