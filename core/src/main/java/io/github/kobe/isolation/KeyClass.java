package io.github.kobe.isolation;

/** The class of a key. It decides when the key is dispatched and which free permits it may take. */
enum KeyClass {
    /**
     * The tasks of the key hold a permit for a short time compared with other tasks, and few of them run. Also a white-listed key within
     * its capacity, and the first task of a new key. Such a key is dispatched first and may take any free permit.
     */
    FAST(1),
    /** Every other key of which a task has completed. It may not take the permits that are reserved for fast keys. */
    ESTABLISHED(2),
    /**
     * No task of the key has completed yet, or none has for much longer than usual, so it may never return a permit. Twice the reserve is
     * kept from it. If it seems hung, the permits that other keys used are kept from it too.
     */
    UNPROVEN(3),
    /** No task of the key has completed yet, and it holds as many permits as such a key may. It does not start tasks. */
    AT_LIMIT(4);

    /** Not 0. A {@link KeyState} stores this number instead of a reference, which spares the garbage collector a write barrier. */
    final int code;

    KeyClass(int code) {
        this.code = code;
    }
}
