package io.github.kobe.demo;

import java.util.List;

/**
 * What the live picture shows.
 *
 * @param millis time since the start
 * @param lengthMillis how long it takes in all
 * @param plain the one side
 * @param ours the other
 * @param mostRunning the largest number in the columns of what runs, so far
 * @param mostHeld the same of what waits or has leaked
 */
record Snapshot(long millis, long lengthMillis, SideView plain, SideView ours, int mostRunning, int mostHeld) {

    /** One row of one side: how many run, how many wait or have leaked, and the longest wait lately. */
    record Line(String name, int running, int held, double waitMillis) {}

    /** One side, and the p99 so far of those who matter most. */
    record SideView(String title, List<Line> lines, double focusP99) {

        int running() {
            return lines.stream().mapToInt(Line::running).sum();
        }

        int held() {
            return lines.stream().mapToInt(Line::held).sum();
        }
    }
}
