package io.github.kobe.internal.kernel;

import io.github.kobe.internal.kernel.SimulatedTask.Phase;

/** A permit request in the simulation. The model tracks a {@link SimulatedTask} in its stead. */
final class SimulatedPermitRequest extends PermitRequest {

    final SimulatedTask modelTask;
    private final ReferenceModel model;

    SimulatedPermitRequest(SimulatedTask modelTask, ReferenceModel model) {
        this.modelTask = modelTask;
        this.model = model;
        modelTask.caller = this;
    }

    @Override
    protected boolean launch(TaskRunner runner) {
        model.started(modelTask);
        boolean granted = super.launch(runner);
        modelTask.move(granted ? Phase.RUNNING : Phase.GONE);
        return granted;
    }
}
