package io.github.kobe.soak;

/** What the library says always holds. The first ten are those of the architecture, in its order. */
enum Promise {
    HARD_LIMITS("hard limits"),
    EXACTLY_ONCE("exactly once"),
    TRUTHFUL_PERMITS("truthful permits"),
    WORK_CONSERVING("work conserving"),
    WAITING_HOLDS_NOTHING("waiting holds nothing"),
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
