package io.github.kobe.soak;

/** A check of one {@link Promise}. No check depends on how fast the machine is. */
enum Check {
    GROUP_LIMIT(Promise.HARD_LIMITS, "running tasks of a group do not exceed its limit"),
    GLOBAL_LIMIT(Promise.HARD_LIMITS, "running tasks of all groups do not exceed the global limit"),
    WORKER_LIMIT(Promise.HARD_LIMITS, "running tasks do not exceed the workers and their replacements"),
    ISOLATION_LIMIT(Promise.HARD_LIMITS, "running tasks of all tenants do not exceed maxConcurrency"),
    SCOPE_LIMIT(Promise.HARD_LIMITS, "running tasks of a scope do not exceed its limit"),

    HANDLE_DONE(Promise.EXACTLY_ONCE, "every handle and future is done when the face is idle"),
    ONE_OUTCOME(Promise.EXACTLY_ONCE, "listeners hear at most one start, and one outcome: the handle's"),
    FAITHFUL_OUTCOME(Promise.EXACTLY_ONCE, "the outcome matches what the task did or what was done to it"),
    ATTEMPTS(Promise.EXACTLY_ONCE, "no task runs more often than its retry policy allows"),
    CONSERVATION(Promise.EXACTLY_ONCE, "when idle, as many tasks were completed as were submitted"),
    SUBMITTED_COUNT(Promise.EXACTLY_ONCE, "the library counts as many submissions as were made"),
    FALLBACK_ONCE(Promise.EXACTLY_ONCE, "a fallback is called once if its task is rejected, else never"),

    PERMIT_WHILE_RUNNING(Promise.TRUTHFUL_PERMITS, "a task that runs on after its outcome keeps its permit"),
    DONE_AT_TIMEOUT(Promise.TRUTHFUL_PERMITS, "a handle is done at the timeout, whatever the task does"),
    NO_PERMIT_WHEN_IDLE(Promise.TRUTHFUL_PERMITS, "no permit is held when the face is idle"),

    BECOMES_IDLE(Promise.WORK_CONSERVING, "every queued task is dispatched eventually"),
    ALL_PERMITS_USABLE(Promise.WORK_CONSERVING, "after the load every permit can still be acquired"),

    STUCK_GROUP_BLOCKS_NO_OTHER(Promise.QUEUED_TASKS_HOLD_NOTHING, "a group makes progress while others are stuck"),
    QUEUE_HOLDS_NO_THREAD(Promise.QUEUED_TASKS_HOLD_NOTHING, "queued tasks have no threads"),

    SUBMISSION_ORDER(Promise.ORDER, "tasks of equal priority start in submission order"),
    PRIORITY_ORDER(Promise.ORDER, "tasks of higher priority start first"),
    FAIR_ROUND_ROBIN(Promise.ORDER, "no group waits for more than two rounds of another"),

    CALLBACK_UNLOCKED(Promise.USER_CODE_IS_CONTAINED, "other threads make progress while a callback blocks"),
    NO_STRAY_EXCEPTION(Promise.USER_CODE_IS_CONTAINED, "only exceptions that the contract names are thrown"),

    IDLE_GROUPS_RETIRED(Promise.IDLE_COSTS_NOTHING, "no group is tracked after its idle time"),

    THREADS_BOUNDED(Promise.PAY_FOR_WHAT_YOU_USE, "platform threads do not grow with the load"),

    NO_INTERRUPT_AT_START(Promise.CLEAN_THREADS, "the interrupt flag is clear when a task starts"),
    NO_THREAD_LOCALS_AT_START(Promise.CLEAN_THREADS, "a task finds no thread-locals of other code"),
    NO_STRAY_INTERRUPT(Promise.CLEAN_THREADS, "the cancellation of one task interrupts no other task"),

    NOTHING_AFTER_CLOSE(Promise.SCOPES_OWN_THEIR_TASKS, "no code of a scope runs after it is closed"),
    DONE_AT_CLOSE(Promise.SCOPES_OWN_THEIR_TASKS, "every task is completed, once, and reported to hooks"),
    METRICS_ADD_UP(Promise.SCOPES_OWN_THEIR_TASKS, "its metrics count every task"),
    CLEANUPS_RUN(Promise.SCOPES_OWN_THEIR_TASKS, "cleanups run once, in reverse order, after the tasks"),
    CONTEXT_CARRIED(Promise.SCOPES_OWN_THEIR_TASKS, "tasks see the context of their submitters"),
    JOINED_RESULT(Promise.SCOPES_OWN_THEIR_TASKS, "joiners return what their tasks returned"),
    RUNS_DO_NOT_OVERLAP(Promise.SCOPES_OWN_THEIR_TASKS, "runs of a scheduled task do not overlap"),
    CHANNEL_DELIVERS_ALL(Promise.SCOPES_OWN_THEIR_TASKS, "a channel delivers everything, once, in order"),

    NUMBERS_IN_ERRORS(Promise.ERRORS_CARRY_NUMBERS, "messages of rejections and timeouts carry numbers"),

    NO_THREAD_LEFT(Promise.NO_LEAKS, "no thread is left"),
    HEAP_RESTORED(Promise.NO_LEAKS, "the heap returns to its size before the load");

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
