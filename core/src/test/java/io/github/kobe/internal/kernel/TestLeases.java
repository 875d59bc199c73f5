package io.github.kobe.internal.kernel;

import io.github.kobe.internal.util.Faults;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** An owner of leases that holds as many permits as a test says. */
public final class TestLeases implements PermitLeases {

    private final Faults faults = new Faults(System::nanoTime);
    private final Map<String, Integer> leased = new ConcurrentHashMap<>();
    private volatile @Nullable LeaseControl control;

    /** A control for the dispatcher that is made next. */
    LeaseControl newControl() {
        return new LeaseControl(this, faults);
    }

    @Override
    public void attached(LeaseControl attached) {
        control = attached;
    }

    public LeaseControl control() {
        return Objects.requireNonNull(control);
    }

    @Override
    public int leased(String key) {
        return leased.getOrDefault(key, UNKNOWN);
    }

    /** From now on {@code permits} are held. Returns how many are in use. */
    public int lease(String key, int permits) {
        leased.put(key, permits);
        return control().leasedChanged(key);
    }

    /** How many failures of this owner were reported. */
    public long faults() {
        return faults.count();
    }
}
