package io.github.kobe.stress;

import io.github.kobe.stress.broken.GrantsTheGone;
import io.github.kobe.stress.rig.Guest;
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
import org.openjdk.jcstress.infra.results.II_Result;

/** One that wants a place for itself gives up while it is given one: it has it, and gives it back, or the next one gets it. */
@Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "the next one ran, nothing left behind")
public final class PermitVsWithdraw {

    private final Subject subject;
    private final Guest guest = new Guest();
    private final Job next = new Job();
    private final Runnable running;
    private boolean has;

    private PermitVsWithdraw(Subject subject) {
        this.subject = subject;
        subject.submit("g", new Job());
        running = subject.crank().take();
        subject.ask("g", guest);
        subject.submit("g", next);
    }

    private void finish() {
        running.run();
    }

    private void giveUp() {
        has = subject.hasPlaceNow(guest);
    }

    private void settle(II_Result r) {
        if (has) {
            subject.giveBack(guest);
        }
        subject.crank().turn();
        r.r1 = next.ends();
        r.r2 = subject.damage();
    }

    /** One group. */
    @JCStressTest
    @JCStressMeta(PermitVsWithdraw.class)
    @State
    public static class KernelUngated {
        private final PermitVsWithdraw race = new PermitVsWithdraw(KernelSubject.ungated(1));

        @Actor
        public void finish() {
            race.finish();
        }

        @Actor
        public void giveUp() {
            race.giveUp();
        }

        @Arbiter
        public void settle(II_Result r) {
            race.settle(r);
        }
    }

    /** One group below a global cap. */
    @JCStressTest
    @JCStressMeta(PermitVsWithdraw.class)
    @State
    public static class KernelGated {
        private final PermitVsWithdraw race = new PermitVsWithdraw(KernelSubject.gated(1, 1));

        @Actor
        public void finish() {
            race.finish();
        }

        @Actor
        public void giveUp() {
            race.giveUp();
        }

        @Arbiter
        public void settle(II_Result r) {
            race.settle(r);
        }
    }

    /** The place can go to one that has given up. */
    @JCStressTest
    @JCStressMeta(PermitVsWithdraw.class)
    @State
    public static class TwinGivesToTheGone {
        private final PermitVsWithdraw race = new PermitVsWithdraw(new GrantsTheGone());

        @Actor
        public void finish() {
            race.finish();
        }

        @Actor
        public void giveUp() {
            race.giveUp();
        }

        @Arbiter
        public void settle(II_Result r) {
            race.settle(r);
        }
    }
}
