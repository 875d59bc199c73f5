package io.github.kobe.scope;

/** Which of a scope's queued tasks starts first. Tasks of equal priority start in the order of submission. */
public enum TaskPriority {
    /** After all others. */
    LOW(-1),
    /** The default. */
    NORMAL(0),
    /** Before all others. */
    HIGH(1);

    private final int rank;

    TaskPriority(int rank) {
        this.rank = rank;
    }

    /** As {@link io.github.kobe.TaskOptions#priority}: larger ones first. */
    int rank() {
        return rank;
    }
}
