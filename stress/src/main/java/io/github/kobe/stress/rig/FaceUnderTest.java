package io.github.kobe.stress.rig;

/** A public face, as seen by a submitter while another thread closes or restarts it. It uses real threads. */
public interface FaceUnderTest {

    /** Submits the task, once; false if it is rejected. */
    boolean submit();

    /** Rejects further tasks, and returns when no task is left. */
    void close();

    /**
     * Accepts tasks again; only for faces that can be restarted.
     *
     * @return false if the face was running, or another thread restarted it first
     */
    default boolean restart() {
        throw new UnsupportedOperationException("cannot be restarted");
    }

    /** How often the task has started after {@link #close} returned. */
    int startsAfterClose();

    /** How many outcomes the task has, after waiting for it to complete. Releases all threads of the face. */
    int outcomeCount();
}
