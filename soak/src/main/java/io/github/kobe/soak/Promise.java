package io.github.kobe.soak;

/** A property that the library promises to keep at all times. The first ten are those of the architecture, in the same order. */
enum Promise {
    HARD_LIMITS("hard limits"),
    EXACTLY_ONCE("exactly once"),
    TRUTHFUL_PERMITS("truthful permits"),
    WORK_CONSERVING("work conserving"),
    QUEUED_TASKS_HOLD_NOTHING("queued tasks hold no thread and no permit"),
    ORDER("order"),
    USER_CODE_IS_CONTAINED("user code is contained"),
    IDLE_COSTS_NOTHING("idle costs nothing"),
    PAY_FOR_WHAT_YOU_USE("pay for what you use"),
    CLEAN_THREADS("clean threads"),
    SCOPES_OWN_THEIR_TASKS("scopes own their tasks"),
    ERRORS_CARRY_NUMBERS("errors carry numbers"),
    NO_LEAKS("no leaks");

    private final String text;

    Promise(String text) {
        this.text = text;
    }

    String text() {
        return text;
    }
}
