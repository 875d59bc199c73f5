package io.github.kobe.internal.kernel;

import io.github.kobe.internal.kernel.SimulatedTask.Phase;

/** A permit of a calling thread in the simulation; the books have a {@link SimulatedTask} in its stead. */
final class SimulatedPermitRequest extends PermitRequest {

    final SimulatedTask shadow;
    private final ReferenceModel model;

    SimulatedPermitRequest(SimulatedTask shadow, ReferenceModel model) {
        this.shadow = shadow;
        this.model = model;
        shadow.caller = this;
    }

    @Override
    protected boolean launch(TaskRunner runner) {
        model.started(shadow);
        boolean granted = super.launch(runner);
        shadow.move(granted ? Phase.RUNNING : Phase.GONE);
        return granted;
    }
}
