package io.github.kobe.soak;

import java.util.List;

/** One of the library's faces, with all that is done to it. */
interface FaceWorkload {

    String name();

    /** What an actor may do with it. */
    List<Operation> load();

    /** What may be done to it meanwhile. */
    List<Operation> turmoil();

    /** How many tasks are under way; too many, and actors wait. */
    int open();

    /** Looks at what has ended. Many threads may do that at once. */
    void tidy();

    /** Takes back what keeps tasks from ending, such as a pause. No actor is at work. */
    void appease();

    /** Whether nothing is under way. */
    boolean isAtRest();

    /** Checks all that holds at rest. */
    void checkAtRest();

    /** Small plays of which the outcome is known, to see whether all that has left it in order. At rest. */
    void drill(RandomSource random);

    /** Shuts it down in one of its ways, while actors are at work. */
    void shutDown(RandomSource random);

    /** Whether it was shut down for good. */
    boolean isOver();

    /** What to know if it does not come to rest. */
    String state();
}
