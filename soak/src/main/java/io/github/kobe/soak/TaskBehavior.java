package io.github.kobe.soak;

/** What a task does. */
enum TaskBehavior {
    RETURN,
    YIELD,
    PARK,
    THROW,
    THROW_CHECKED,
    THROW_ERROR,
    OVERFLOW,
    /** Fails, but not the last time. */
    FLAKY,
    /** Ends soon if it is interrupted, else a bit later. */
    INTERRUPTIBLE,
    /** Ignores interruptions. */
    STUBBORN,
    /** Leaves its thread with the flag set. */
    SELF_INTERRUPT,
    /** Leaves its thread with something in a thread-local. */
    LEAVE_LOCALS;

    private static final TaskBehavior[] USUAL = {
        RETURN,
        RETURN,
        RETURN,
        RETURN,
        RETURN,
        YIELD,
        YIELD,
        PARK,
        PARK,
        THROW,
        THROW_CHECKED,
        THROW_ERROR,
        FLAKY,
        FLAKY,
        INTERRUPTIBLE,
        SELF_INTERRUPT,
        LEAVE_LOCALS,
    };

    /** The quick ones more often than those that take a while. */
    static TaskBehavior random(RandomSource random) {
        if (random.oneIn(100)) {
            return STUBBORN;
        }
        return random.oneIn(200) ? OVERFLOW : random.oneOf(USUAL);
    }
}
