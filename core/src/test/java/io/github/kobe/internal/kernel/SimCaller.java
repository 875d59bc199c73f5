package io.github.kobe.internal.kernel;

import io.github.kobe.internal.kernel.SimTask.Where;

/** A permit of a calling thread in the simulation; the books have a {@link SimTask} in its stead. */
final class SimCaller extends PermitRequest {

    final SimTask shadow;
    private final SimModel model;

    SimCaller(SimTask shadow, SimModel model) {
        this.shadow = shadow;
        this.model = model;
        shadow.caller = this;
    }

    @Override
    protected boolean launch(TaskRunner runner) {
        model.started(shadow);
        boolean granted = super.launch(runner);
        shadow.move(granted ? Where.RUNNING : Where.GONE);
        return granted;
    }
}
