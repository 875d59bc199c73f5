package io.github.kobe.soak;

/** One way to catch the library at breaking a {@link Promise}. None of them goes by the clock. */
enum Check {
    GROUP_LIMIT(Promise.HARD_LIMITS, "no more of a group at once than its limit"),
    GLOBAL_LIMIT(Promise.HARD_LIMITS, "no more of all groups at once than the global limit"),
    WORKER_LIMIT(Promise.HARD_LIMITS, "no more at once than workers and those that stand in"),
    BUDGET_LIMIT(Promise.HARD_LIMITS, "no more of all tenants at once than the budget"),
    SCOPE_LIMIT(Promise.HARD_LIMITS, "no more of a scope at once than its limit"),

    HANDLE_DONE(Promise.EXACTLY_ONCE, "every handle and future is done at rest"),
    ONE_END(Promise.EXACTLY_ONCE, "observers hear of one start at most and of one end, the handle's"),
    FAITHFUL_END(Promise.EXACTLY_ONCE, "the end is what the task did, or what somebody did to it"),
    ATTEMPTS(Promise.EXACTLY_ONCE, "no task runs more often than it may"),
    CONSERVATION(Promise.EXACTLY_ONCE, "submitted = ended, at rest"),
    HANDED_IN(Promise.EXACTLY_ONCE, "as many counted as were handed in"),
    FALLBACK_ONCE(Promise.EXACTLY_ONCE, "a fallback is called once if its task is given up, else never"),

    PLACE_WHILE_RUNNING(Promise.TRUTHFUL_PERMITS, "a task that outlives its end holds its place"),
    DONE_AT_TIMEOUT(Promise.TRUTHFUL_PERMITS, "a handle is done at the timeout, whatever the task does"),
    NO_PLACE_AT_REST(Promise.TRUTHFUL_PERMITS, "no place is held at rest"),

    COMES_TO_REST(Promise.WORK_CONSERVING, "all that waits gets its turn"),
    ALL_PLACES_USED(Promise.WORK_CONSERVING, "after all that, every place can still be had"),

    NO_HOSTAGE(Promise.WAITING_HOLDS_NOTHING, "a group goes on while others are stuck"),
    NO_THREAD_WAITS(Promise.WAITING_HOLDS_NOTHING, "a backlog has no threads"),

    SUBMISSION_ORDER(Promise.ORDER, "equal priorities start in the order of submission"),
    PRIORITY_ORDER(Promise.ORDER, "larger priorities start first"),
    FAIR_TURNS(Promise.ORDER, "no group waits for more than two rounds of another"),

    CALLBACK_UNLOCKED(Promise.USER_CODE_IS_CONTAINED, "others get on while a callback waits"),
    NO_STRAY_EXCEPTION(Promise.USER_CODE_IS_CONTAINED, "nothing is thrown that the contract does not name"),

    GROUPS_FORGOTTEN(Promise.IDLE_COSTS_NOTHING, "no group is known after its idle time"),

    THREADS_BOUNDED(Promise.PAY_FOR_WHAT_YOU_USE, "platform threads do not grow with the load"),

    NO_FLAG_AT_START(Promise.CLEAN_THREADS, "the interrupt flag is clear when a task starts"),
    NO_LOCALS_AT_START(Promise.CLEAN_THREADS, "no thread-locals of others when a task starts"),
    NO_STRAY_INTERRUPT(Promise.CLEAN_THREADS, "nobody is interrupted for another"),

    NOTHING_AFTER_CLOSE(Promise.SCOPES_OWN_THEIR_TASKS, "nothing of a scope runs once it is closed"),
    DONE_AT_CLOSE(Promise.SCOPES_OWN_THEIR_TASKS, "all its tasks have ended, once, and hooks know"),
    METRICS_ADD_UP(Promise.SCOPES_OWN_THEIR_TASKS, "its figures count every task"),
    CLEANUPS_RUN(Promise.SCOPES_OWN_THEIR_TASKS, "cleanups run once, last one first, after the tasks"),
    CONTEXT_CARRIED(Promise.SCOPES_OWN_THEIR_TASKS, "tasks find the context of their submitters"),
    JOINED_RESULT(Promise.SCOPES_OWN_THEIR_TASKS, "joiners return what their tasks returned"),
    RUNS_DO_NOT_OVERLAP(Promise.SCOPES_OWN_THEIR_TASKS, "runs of a schedule do not overlap"),
    CHANNEL_KEEPS_ALL(Promise.SCOPES_OWN_THEIR_TASKS, "a channel delivers all, once, in order"),

    NUMBERS_IN_ERRORS(Promise.ERRORS_CARRY_NUMBERS, "rejections and timeouts say with which numbers"),

    THREADS_GONE(Promise.NO_LEAKS, "no thread is left"),
    HEAP_BACK(Promise.NO_LEAKS, "the heap is what it was");

    private final Promise promise;
    private final String text;

    Check(Promise promise, String text) {
        this.promise = promise;
        this.text = text;
    }

    Promise promise() {
        return promise;
    }

    String text() {
        return text;
    }
}
