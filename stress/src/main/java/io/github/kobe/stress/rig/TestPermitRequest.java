package io.github.kobe.stress.rig;

import io.github.kobe.internal.kernel.PermitRequest;

/** One that wants a place for work of its own. The kernel sees a ticket; to a model it is a name. */
public final class TestPermitRequest extends PermitRequest {}
