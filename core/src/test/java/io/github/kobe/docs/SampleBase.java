package io.github.kobe.docs;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CountDownLatch;

/** What the code in the documentation finds around it. */
public abstract class SampleBase {

    private final Deque<AutoCloseable> open = new ArrayDeque<>();

    /** The code on the page. */
    public abstract void run() throws Exception;

    /** A call to somewhere else that works. */
    protected static String fetch(String what) {
        return "value of " + what;
    }

    /** One that does not. */
    protected static String fail(String what) {
        throw new IllegalStateException("no " + what + " today");
    }

    /** One that never answers, and gives up when it is interrupted. */
    protected static String hang() throws InterruptedException {
        new CountDownLatch(1).await();
        throw new AssertionError("nobody counts down");
    }

    /** For what a page has open before its code begins: closed after it. */
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
