package io.github.kobe.internal.group;

import io.github.kobe.ContextCarrier.Captured;
import io.github.kobe.ContextCarrier.Installed;
import io.github.kobe.ContextCarrier.Wrapper;

/** A captured context that exists only during a call; see {@link io.github.kobe.ContextCarrier#wrapping}. */
public record CapturedWrapper(Wrapper wrapper) implements Captured {

    @Override
    public Installed install() {
        throw new UnsupportedOperationException("this context wraps a call and cannot be installed: call run");
    }

    @Override
    public void run(Runnable work) {
        wrapper.run(work);
    }
}
