package io.github.kobe.stress.broken;

import io.github.kobe.stress.rig.LeasesUnderTest;

/** An owner of leases that does the right things in the wrong order. */
public final class OwnerInTheWrongOrder extends LeasesUnderTest {

    /** Reads the permits in use before the number is lower. */
    @Override
    public void lowerToZero() {
        control().visitDemand("g", (key, limit, used, wanted) -> setKept(used));
        RaceWindow.widen();
        writeLeased(0);
        control().leasedChanged("g");
    }

    /** Tells the kernel before the lease is valid. */
    @Override
    public void renew() {
        control().renewed();
        RaceWindow.widen();
        writeValid();
    }

    /** Reads the demand while it is not told of more. */
    @Override
    public void lookAgain() {
        readDemand();
        RaceWindow.widen();
        stopAwaiting();
    }
}
