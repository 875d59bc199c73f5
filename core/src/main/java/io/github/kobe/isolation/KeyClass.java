package io.github.kobe.isolation;

/** What a key is by its tasks, which decides when it is served and which places it may have. */
enum KeyClass {
    /**
     * Gives places back soon, compared with the others, and has few; or is white-listed; or is new and runs nothing yet. May have any
     * free place, and goes first.
     */
    FAST(1),
    /** The others of which tasks have ended. Not the places that are kept for quick work. */
    ESTABLISHED(2),
    /**
     * Nothing of it has ended, or nothing has for much too long: it may never give back what it gets. Keeps off twice as far, while it is
     * new has no more than a part of the budget, and if it seems to hang leaves the others what they had.
     */
    UNPROVEN(3);

    /** Not 0; for those who had better not refer to it, see {@link KeyFifo}. */
    final int code;

    KeyClass(int number) {
        this.code = number;
    }
}
