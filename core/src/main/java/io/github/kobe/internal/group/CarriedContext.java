package io.github.kobe.internal.group;

import io.github.kobe.ContextCarrier;
import io.github.kobe.ContextCarrier.Captured;
import io.github.kobe.ContextCarrier.Installed;
import io.github.kobe.TaskIdentity;
import io.github.kobe.internal.group.CarrierPair.CapturedPair;
import io.github.kobe.internal.util.Faults;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Calls context carriers. What a carrier throws is reported. Whatever a carrier does, the code that should run inside its context runs once,
 * on the calling thread, and what that code returns or throws comes back.
 */
public final class CarriedContext {

    static final String INSTALL = "context carrier's install";
    private static final String CAPTURE = "context carrier's capture";
    private static final String RESTORE = "context carrier's restore";

    private CarriedContext() {}

    /**
     * Captures the context of the calling thread.
     *
     * @param subject what the call is about, in reports
     * @return {@code null} if there is nothing to carry
     */
    public static @Nullable Captured capture(ContextCarrier carrier, Object subject, Faults faults) {
        return fromEach(carrier, ContextCarrier::capture, CAPTURE, subject, faults);
    }

    /** As {@link #capture}, for a task of an executor that the calling thread submits. */
    static @Nullable Captured captureFor(TaskIdentity task, ContextCarrier carrier, Faults faults) {
        return fromEach(carrier, each -> each.capture(task), CAPTURE, task, faults);
    }

    /** The context of a thread on which nothing is set; {@code null} if the carrier has none. */
    public static @Nullable Captured empty(ContextCarrier carrier, Object subject, Faults faults) {
        return fromEach(carrier, ContextCarrier::empty, "context carrier's empty", subject, faults);
    }

    private static @Nullable Captured fromEach(
            ContextCarrier carrier,
            Function<ContextCarrier, @Nullable Captured> method,
            String name,
            Object subject,
            Faults faults) {
        if (carrier instanceof CarrierPair pair) {
            return CapturedPair.of(
                    fromEach(pair.first(), method, name, subject, faults),
                    fromEach(pair.next(), method, name, subject, faults));
        }
        try {
            return method.apply(carrier);
        } catch (Throwable fault) {
            faults.report(name, subject, fault);
            return null;
        }
    }

    /** Runs {@code code} inside {@code context}. */
    public static void run(Captured context, Object subject, Faults faults, Runnable code) {
        call(context, subject, faults, () -> {
            code.run();
            return true;
        });
    }

    /** Returns what {@code code} returns inside {@code context}, or throws what it throws. */
    public static <R extends @Nullable Object> R call(
            Captured context, Object subject, Faults faults, Supplier<R> code) {
        if (context instanceof CapturedPair pair) {
            return call(pair.first(), subject, faults, () -> call(pair.next(), subject, faults, code));
        }
        if (context instanceof BesideSubmitter beside) {
            return beside.isOnSubmitter() ? code.get() : call(beside.context, subject, faults, code);
        }
        SingleRun<R> run = new SingleRun<>(code);
        try {
            context.run(run);
            if (!run.hasBegun) {
                faults.report(INSTALL, subject, "has not run the code, which runs without the context,");
            }
        } catch (Throwable fault) {
            faults.report(run.hasBegun ? RESTORE : INSTALL, subject, fault);
        }
        if (!run.hasBegun) {
            run.run();
        }
        return run.result();
    }

    /** Runs code once, and keeps its outcome. The carrier is told nothing of it. */
    private static final class SingleRun<R extends @Nullable Object> implements Runnable {
        private final Thread thread = Thread.currentThread();
        private final Supplier<R> code;
        private boolean hasBegun; // written and read by the thread alone
        private @Nullable R value;
        private @Nullable Throwable thrown;

        SingleRun(Supplier<R> code) {
            this.code = code;
        }

        @Override
        @SuppressWarnings("ReferenceEquality") // identity of threads
        public void run() {
            if (Thread.currentThread() != thread || hasBegun) {
                throw new IllegalStateException("a carrier must run the code once, and on the calling thread");
            }
            hasBegun = true;
            try {
                value = code.get();
            } catch (Throwable fault) {
                thrown = fault;
            }
        }

        @SuppressWarnings("NullAway") // the code may return null
        R result() {
            if (thrown != null) {
                throw SingleRun.<RuntimeException>unchecked(thrown);
            }
            return value;
        }

        /** Throws {@code fault} itself, whatever its type: the code that throws it is called as before, with nothing in between. */
        @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
        private static <X extends Throwable> X unchecked(Throwable fault) throws X {
            throw (X) fault;
        }
    }

    /**
     * The context of a task that was not admitted. Its submitter may run it or call its callbacks, and has the context already.
     *
     * @param submitter the id of the submitting thread
     */
    record BesideSubmitter(Captured context, long submitter) implements Captured {

        /** For the submitting thread. */
        static BesideSubmitter of(Captured context) {
            return new BesideSubmitter(context, Thread.currentThread().threadId());
        }

        boolean isOnSubmitter() {
            return Thread.currentThread().threadId() == submitter;
        }

        @Override
        public Installed install() {
            throw new UnsupportedOperationException("only CarriedContext uses it");
        }
    }
}
