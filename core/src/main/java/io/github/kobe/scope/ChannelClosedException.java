package io.github.kobe.scope;

/** A channel is closed: it takes nothing more, and everything in it has been received. */
public final class ChannelClosedException extends RuntimeException {

    private static final long serialVersionUID = 1;

    /** Says which end of the channel was used. */
    public ChannelClosedException(String message) {
        super(message);
    }
}
