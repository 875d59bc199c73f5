package io.github.kobe.soak;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Of a line that has one place and one submitter: those of equal priority must start in the order of their numbers. */
final class OrderChecker {

    private final Recorder recorder;
    private final String name;
    private final Map<Integer, Long> last = new ConcurrentHashMap<>();

    OrderChecker(Recorder recorder, String name) {
        this.recorder = recorder;
        this.name = name;
    }

    void starts(int priority, long op) {
        Long before = last.put(priority, op);
        recorder.check(
                Check.SUBMISSION_ORDER,
                before == null || before < op,
                op,
                () -> name + ", priority " + priority + ": " + op + " started after " + before);
    }
}
