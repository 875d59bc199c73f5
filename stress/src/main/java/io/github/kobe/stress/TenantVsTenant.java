package io.github.kobe.stress;

import io.github.kobe.stress.broken.LeavesAtALockedDoor;
import io.github.kobe.stress.rig.IsolationSubject;
import io.github.kobe.stress.rig.Job;
import io.github.kobe.stress.rig.Subject;
import java.util.List;
import java.util.stream.Stream;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** Two steps want the lock of the isolation face, for which nobody waits: after both no place is free that one in line could have. */
@Outcome(id = "0, 0, 0", expect = Expect.ACCEPTABLE, desc = "nobody was forgotten, all ended, nothing leaked")
public final class TenantVsTenant {

    private final Subject subject;
    private final List<Job> before;
    private final List<Runnable> running;
    private final Job one = new Job();
    private final Job other = new Job();
    private final int ends;

    /**
     * When both steps are done, what ran has ended and there is a place for all else.
     *
     * @param ran how many run at first, of {@code g} and {@code h} in turn
     * @param inLine how many are in line then
     * @param comes how many the steps submit
     */
    private TenantVsTenant(Subject subject, int ran, int inLine, int comes) {
        this.subject = subject;
        this.ends = ran + inLine + comes;
        this.before = Stream.generate(Job::new).limit(ran + inLine).toList();
        for (int i = 0; i < before.size(); i++) {
            subject.submit(i % 2 == 0 ? "g" : "h", before.get(i));
        }
        this.running = Stream.generate(subject.crank()::take).limit(ran).toList();
    }

    private void submitOne() {
        subject.submit("g", one);
    }

    private void submitOther() {
        subject.submit("h", other);
    }

    private void endOne() {
        running.get(0).run();
    }

    private void endOther() {
        running.get(1).run();
    }

    private void look() {
        subject.look();
    }

    private void settle(III_Result r) {
        r.r1 = ends - running.size() - subject.crank().waiting();
        subject.crank().turn();
        r.r2 = ends
                - one.ends()
                - other.ends()
                - before.stream().mapToInt(Job::ends).sum();
        r.r3 = subject.damage();
    }

    /** Both come, and there is a place for each. */
    @JCStressTest
    @JCStressMeta(TenantVsTenant.class)
    @State
    public static class KernelSubmits {
        private final TenantVsTenant race = new TenantVsTenant(new IsolationSubject(2), 0, 0, 2);

        @Actor
        public void submitOne() {
            race.submitOne();
        }

        @Actor
        public void submitOther() {
            race.submitOther();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** One comes when the only place is given back. */
    @JCStressTest
    @JCStressMeta(TenantVsTenant.class)
    @State
    public static class KernelSubmitVsEnd {
        private final TenantVsTenant race = new TenantVsTenant(new IsolationSubject(1), 1, 0, 1);

        @Actor
        public void endOne() {
            race.endOne();
        }

        @Actor
        public void submitOther() {
            race.submitOther();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** Two places are given back, and two are in line. */
    @JCStressTest
    @JCStressMeta(TenantVsTenant.class)
    @State
    public static class KernelEnds {
        private final TenantVsTenant race = new TenantVsTenant(new IsolationSubject(2), 2, 2, 0);

        @Actor
        public void endOne() {
            race.endOne();
        }

        @Actor
        public void endOther() {
            race.endOther();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** One comes while somebody looks at figures. */
    @JCStressTest
    @JCStressMeta(TenantVsTenant.class)
    @State
    public static class KernelSubmitVsLook {
        private final TenantVsTenant race = new TenantVsTenant(new IsolationSubject(1), 0, 0, 1);

        @Actor
        public void submitOne() {
            race.submitOne();
        }

        @Actor
        public void look() {
            race.look();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** A place is given back, with one in line, while somebody looks at figures. */
    @JCStressTest
    @JCStressMeta(TenantVsTenant.class)
    @State
    public static class KernelEndVsLook {
        private final TenantVsTenant race = new TenantVsTenant(new IsolationSubject(1), 1, 1, 0);

        @Actor
        public void endOne() {
            race.endOne();
        }

        @Actor
        public void look() {
            race.look();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** One that comes can be left in line with a place free. */
    @JCStressTest
    @JCStressMeta(TenantVsTenant.class)
    @State
    public static class TwinSubmits {
        private final TenantVsTenant race = new TenantVsTenant(new LeavesAtALockedDoor(2), 0, 0, 2);

        @Actor
        public void submitOne() {
            race.submitOne();
        }

        @Actor
        public void submitOther() {
            race.submitOther();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** So can one that is there when a place is given back. */
    @JCStressTest
    @JCStressMeta(TenantVsTenant.class)
    @State
    public static class TwinEndVsLook {
        private final TenantVsTenant race = new TenantVsTenant(new LeavesAtALockedDoor(1), 1, 1, 0);

        @Actor
        public void endOne() {
            race.endOne();
        }

        @Actor
        public void look() {
            race.look();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }
}
