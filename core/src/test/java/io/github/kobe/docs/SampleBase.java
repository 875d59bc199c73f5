package io.github.kobe.docs;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CountDownLatch;

/** The base class of the code in the documentation. */
public abstract class SampleBase {

    private final Deque<AutoCloseable> open = new ArrayDeque<>();

    /** Runs the code of the page. */
    public abstract void run() throws Exception;

    /** A remote call that succeeds. */
    protected static String fetch(String what) {
        return "value of " + what;
    }

    /** A remote call that fails. */
    protected static String fail(String what) {
        throw new IllegalStateException("no " + what + " today");
    }

    /** A remote call that blocks until it is interrupted. */
    protected static String hang() throws InterruptedException {
        new CountDownLatch(1).await();
        throw new AssertionError("unreachable: the latch is never counted down");
    }

    /** Registers a resource that is closed after the code of the page. */
    protected <C extends AutoCloseable> C closing(C what) {
        open.push(what);
        return what;
    }

    void closeAll() throws Exception {
        while (!open.isEmpty()) {
            open.pop().close();
        }
    }
}
