package io.github.kobe.stress;

import io.github.kobe.stress.broken.WaitsUnseen;
import io.github.kobe.stress.rig.Job;
import io.github.kobe.stress.rig.KernelSubject;
import io.github.kobe.stress.rig.Subject;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** A thread begins to wait for room in line while some is made: it is woken. */
@Outcome(id = "1, 1, 0", expect = Expect.ACCEPTABLE, desc = "let in, ran, nothing left behind")
public final class LobbyVsFinish {

    private final Subject subject;
    private final Job late = new Job();
    private final Runnable running;
    private boolean in;

    private LobbyVsFinish(Subject subject) {
        this.subject = subject;
        subject.submit("g", new Job());
        running = subject.crank().take();
        for (int i = 0; i < KernelSubject.THRESHOLD; i++) {
            subject.submit("g", new Job());
        }
    }

    private void finish() {
        running.run();
    }

    private void submit() {
        in = subject.submitWaiting("g", late);
    }

    private void settle(III_Result r) {
        subject.crank().turn();
        r.r1 = in ? 1 : 0;
        r.r2 = late.ends();
        r.r3 = subject.damage();
    }

    /** The line of the group is full. */
    @JCStressTest
    @JCStressMeta(LobbyVsFinish.class)
    @State
    public static class KernelGroup {
        private final LobbyVsFinish race = new LobbyVsFinish(KernelSubject.patient(1));

        @Actor
        public void finish() {
            race.finish();
        }

        @Actor
        public void submit() {
            race.submit();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** The line over all groups is full. */
    @JCStressTest
    @JCStressMeta(LobbyVsFinish.class)
    @State
    public static class KernelGate {
        private final LobbyVsFinish race = new LobbyVsFinish(KernelSubject.gatedPatient(3, 1, KernelSubject.THRESHOLD));

        @Actor
        public void finish() {
            race.finish();
        }

        @Actor
        public void submit() {
            race.submit();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** There is no line over all groups, only a place. */
    @JCStressTest
    @JCStressMeta(LobbyVsFinish.class)
    @State
    public static class KernelGateWithoutLine {
        private final LobbyVsFinish race = new LobbyVsFinish(KernelSubject.gatedPatient(3, 1, 0));

        @Actor
        public void finish() {
            race.finish();
        }

        @Actor
        public void submit() {
            race.submit();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** The room can be made before the thread is known to wait. */
    @JCStressTest
    @JCStressMeta(LobbyVsFinish.class)
    @State
    public static class TwinSleepsOn {
        private final LobbyVsFinish race = new LobbyVsFinish(new WaitsUnseen(KernelSubject.THRESHOLD));

        @Actor
        public void finish() {
            race.finish();
        }

        @Actor
        public void submit() {
            race.submit();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }
}
