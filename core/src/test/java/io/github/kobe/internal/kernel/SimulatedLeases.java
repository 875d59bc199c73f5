package io.github.kobe.internal.kernel;

import io.github.kobe.internal.util.Faults;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The owner of leases in the simulation. It holds as many permits as the schedule says, for as long as it says. It knows of the demand of a group only what it
 * has read, and it reads a group only after a hint, or when it has lowered the number itself.
 */
final class SimulatedLeases implements PermitLeases {

    static final String TOTAL = ""; // in place of a key
    private static final long FOR_EVER = Long.MAX_VALUE;

    private final InjectedFault fault;
    private final LongSupplier clock;
    private final int totalLimit;
    private final Map<String, Integer> held = new HashMap<>();
    private final Map<String, Long> validUntil = new HashMap<>();
    private final Set<String> hinted = new HashSet<>();
    private final Map<String, Integer> known = new HashMap<>(); // how many are wanted, when the owner looked last
    private final Map<String, SharedKey> shared = new HashMap<>(); // those that are leased, by their names here
    private int hints;
    private @Nullable LeaseControl control;

    /** @param totalLimit the limit over all groups; {@link GroupLimits#NOT_LEASED} if there is none */
    SimulatedLeases(InjectedFault fault, LongSupplier clock, int totalLimit) {
        this.fault = fault;
        this.clock = clock;
        this.totalLimit = totalLimit;
        if (hasTotal()) {
            held.put(TOTAL, UNKNOWN);
        }
    }

    LeaseControl newControl() {
        return new LeaseControl(this, new Faults(clock));
    }

    @Override
    public void attached(LeaseControl attached) {
        control = attached;
    }

    private LeaseControl control() {
        return Objects.requireNonNull(control);
    }

    /** What is said here of a key is said of a shared limit by its name. */
    static String nameOf(SharedKey key) {
        return key.toString();
    }

    void addShared(SharedKey key) {
        shared.put(nameOf(key), key);
    }

    boolean isLeased(SharedKey key) {
        return shared.containsKey(nameOf(key));
    }

    boolean hasTotal() {
        return totalLimit != GroupLimits.NOT_LEASED;
    }

    /** How many permits are held: what the kernel should act on. */
    int held(String key) {
        return Math.max(0, held.getOrDefault(key, UNKNOWN));
    }

    boolean isValid(String key) {
        return clock.getAsLong() < validUntil.getOrDefault(key, FOR_EVER);
    }

    // ---- what the schedule does
    // --------------------------------------------------------------------------------------

    /** The owner holds {@code permits} from now on. */
    void hold(String key, int permits) {
        boolean fewer = permits < held(key);
        held.put(key, permits);
        if (fault == InjectedFault.LEASE_NOT_APPLIED && !fewer) {
            return;
        }
        if (fault == InjectedFault.SHARED_LEASE_NOT_APPLIED && !fewer && shared.containsKey(key)) {
            return;
        }
        int inUse = apply(key);
        if (inUse < 0) {
            throw new AssertionError("in use: " + inUse);
        }
        if (fewer) {
            look(key); // no hint says that more are missing now
        }
    }

    private int apply(String key) {
        SharedKey limit = shared.get(key);
        if (limit != null) {
            return control().leasedChanged(limit);
        }
        return key.equals(TOTAL) ? control().totalLeasedChanged() : control().leasedChanged(key);
    }

    void expire(String key, long after) {
        validUntil.put(key, clock.getAsLong() + after);
    }

    void renew(String key) {
        validUntil.remove(key);
        if (fault != InjectedFault.LOST_RENEWAL) {
            control().renewed();
        }
    }

    /** The owner reads the demand of the groups that it was given hints of. */
    void lookAtHinted() {
        Set.copyOf(hinted).forEach(this::look);
    }

    private void look(String key) {
        hinted.remove(key);
        known.remove(key);
        if (key.equals(TOTAL)) {
            known.put(TOTAL, control().totalWanted());
        } else if (shared.containsKey(key)) {
            control().visitDemand(shared.get(key), (group, limit, used, wanted) -> known.put(key, wanted));
        } else {
            control().visitDemand(key, (group, limit, used, wanted) -> known.put(group, wanted));
        }
    }

    /** Whether the owner knows that so many permits are wanted, or will know when it has looked where it was told to. */
    boolean learns(String key, int wanted) {
        return hinted.contains(key) || known.getOrDefault(key, 0) >= wanted;
    }

    // ---- what the kernel asks
    // ----------------------------------------------------------------------------------------

    @Override
    public int leased(String key) {
        int permits = held.getOrDefault(key, UNKNOWN);
        return fault == InjectedFault.LEASE_EXCEEDED ? Math.max(0, permits) + 1 : permits;
    }

    @Override
    public int totalLimit() {
        return totalLimit;
    }

    @Override
    public int leasedInTotal() {
        return hasTotal() ? held.getOrDefault(TOTAL, UNKNOWN) : GroupLimits.NOT_LEASED;
    }

    @Override
    public boolean mayStart(String key, long now) {
        return fault == InjectedFault.LEASE_END_IGNORED || now < validUntil.getOrDefault(key, FOR_EVER);
    }

    @Override
    public int leased(SharedKey key) {
        int permits = held.getOrDefault(nameOf(key), UNKNOWN);
        return fault == InjectedFault.SHARED_LEASE_EXCEEDED ? Math.max(0, permits) + 1 : permits;
    }

    @Override
    public boolean mayStart(SharedKey key, long now) {
        return fault == InjectedFault.SHARED_LEASE_END_IGNORED || now < validUntil.getOrDefault(nameOf(key), FOR_EVER);
    }

    // ---- hints
    // -------------------------------------------------------------------------------------------------------

    private void hint(String key) {
        if (fault != InjectedFault.LOST_WISH || ++hints % 5 != 0) {
            hinted.add(key);
        }
    }

    @Override
    public void wanted(String key) {
        hint(key);
    }

    /** More were in use than are leased, so the demand may be more than was known. */
    @Override
    public void released(String key) {
        hint(key);
    }

    @Override
    public void releasedInTotal() {
        hint(TOTAL);
    }

    @Override
    public void limitChanged(String key) {
        hint(key);
    }

    @Override
    public void retired(String key) {
        known.remove(key);
    }

    @Override
    public void wanted(SharedKey key) {
        if (fault != InjectedFault.LOST_SHARED_WISH) {
            hint(nameOf(key));
        }
    }

    @Override
    public void released(SharedKey key) {
        wanted(key);
    }

    @Override
    public void limitChanged(SharedKey key) {
        wanted(key);
    }

    @Override
    public void retired(SharedKey key) {
        known.remove(nameOf(key));
    }

    @Override
    public void wantedInTotal() {
        hint(TOTAL);
    }
}
