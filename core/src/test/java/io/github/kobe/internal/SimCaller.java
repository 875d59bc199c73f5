package io.github.kobe.internal;

import io.github.kobe.internal.SimTicket.Where;

/** A permit of a calling thread in the simulation; the books have a {@link SimTicket} in its stead. */
final class SimCaller extends CallerTicket {

    final SimTicket shadow;
    private final SimModel model;

    SimCaller(SimTicket shadow, SimModel model) {
        this.shadow = shadow;
        this.model = model;
        shadow.caller = this;
    }

    @Override
    protected boolean launch(Runner runner) {
        model.started(shadow);
        boolean granted = super.launch(runner);
        shadow.move(granted ? Where.RUNNING : Where.GONE);
        return granted;
    }
}
