package io.github.kobe.soak;

/** What the code of a task does. */
enum TaskBehavior {
    RETURN,
    YIELD,
    PARK,
    THROW,
    THROW_CHECKED,
    THROW_ERROR,
    THROW_STACK_OVERFLOW,
    /** Throws on every attempt except the last. */
    SUCCEED_AT_LAST_ATTEMPT,
    /** Sleeps for a short time; ends early if it is interrupted. */
    SLEEP,
    /** Ignores interrupts. If it has a timeout, it runs until its handle is done. */
    IGNORE_INTERRUPTS,
    /** Sets the interrupt flag of its thread and returns. */
    SELF_INTERRUPT,
    /** Sets a thread-local on its thread and returns. */
    LEAVE_THREAD_LOCAL;

    /** Short behaviors occur more often than long ones. */
    private static final TaskBehavior[] COMMON = {
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
        SUCCEED_AT_LAST_ATTEMPT,
        SUCCEED_AT_LAST_ATTEMPT,
        SLEEP,
        SELF_INTERRUPT,
        LEAVE_THREAD_LOCAL,
    };

    static TaskBehavior random(RandomSource random) {
        if (random.oneIn(100)) {
            return IGNORE_INTERRUPTS;
        }
        return random.oneIn(200) ? THROW_STACK_OVERFLOW : random.oneOf(COMMON);
    }
}
