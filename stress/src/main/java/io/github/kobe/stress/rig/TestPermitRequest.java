package io.github.kobe.stress.rig;

import io.github.kobe.internal.kernel.PermitRequest;

/** A request for a permit without a task. The kernel uses it as a {@link PermitRequest}; a model uses only its identity. */
public final class TestPermitRequest extends PermitRequest {}
