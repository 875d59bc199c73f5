package io.github.kobe.stress.rig;

/** A face, as it is to one who hands in a task while another closes or opens it. Threads are real: there is no crank at this height. */
public interface FaceUnderTest {

    /** Hands in the task, once; false if it is refused. */
    boolean submit();

    /** Takes no more, and returns when nothing is left. */
    void close();

    /**
     * Takes tasks again; only for those that can.
     *
     * @return false if it was open, or another was quicker
     */
    default boolean open() {
        throw new UnsupportedOperationException("opens once");
    }

    /** How often the task has begun since {@link #close} returned. */
    int lateStarts();

    /** How often the task has ended, once there is nothing more to wait for. Nothing is left behind afterwards. */
    int ends();
}
