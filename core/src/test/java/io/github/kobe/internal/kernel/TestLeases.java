package io.github.kobe.internal.kernel;

import io.github.kobe.internal.util.Faults;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** An owner of leases that holds as many permits as a test says, for as long as it says. */
public final class TestLeases implements PermitLeases {

    private static final Runnable NOTHING = () -> {};

    private final Faults faults = new Faults(System::nanoTime);
    private final Map<String, Integer> leased = new ConcurrentHashMap<>();
    private final Map<String, Long> validUntil = new ConcurrentHashMap<>();
    private final AtomicReference<Runnable> afterLook = new AtomicReference<>(NOTHING);
    private final AtomicInteger looks = new AtomicInteger();
    private final List<String> hints = new CopyOnWriteArrayList<>();
    private volatile int totalLimit = GroupLimits.NOT_LEASED;
    private volatile int leasedInTotal = GroupLimits.NOT_LEASED;
    private volatile long maxFirstAnswerNanos = DEFAULT_FIRST_ANSWER_NANOS;
    private volatile Consumer<String> onWanted = key -> {};
    private volatile BooleanSupplier lockCheck = () -> false;
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

    /** From now on {@code permits} are held. Returns how many are in use; 0 if no dispatcher was made yet. */
    public int lease(String key, int permits) {
        leased.put(key, permits);
        LeaseControl kernel = control;
        return kernel == null ? 0 : kernel.leasedChanged(key);
    }

    @Override
    public int totalLimit() {
        return totalLimit;
    }

    @Override
    public int leasedInTotal() {
        return leasedInTotal;
    }

    /** There is a limit over all groups, of which nothing is held yet. */
    public void limitTotal(int limit) {
        totalLimit = limit;
        leasedInTotal = UNKNOWN;
    }

    /** As {@link #lease}, of the limit over all groups. */
    public int leaseInTotal(int permits) {
        leasedInTotal = permits;
        return control().totalLeasedChanged();
    }

    @Override
    public boolean mayStart(String key, long now) {
        looks.incrementAndGet();
        boolean valid = now < validUntil.getOrDefault(key, Long.MAX_VALUE);
        afterLook.getAndSet(NOTHING).run();
        return valid;
    }

    @Override
    public long maxFirstAnswerNanos() {
        return maxFirstAnswerNanos;
    }

    /** For how long a caller waits for the first answer. */
    public void firstAnswerWithin(Duration time) {
        maxFirstAnswerNanos = time.toNanos();
    }

    /** Calls {@code answer} with each key that permits are wanted of, on the thread that gives the hint; an empty key for the total limit. */
    public void onWanted(Consumer<String> answer) {
        onWanted = answer;
    }

    @Override
    public void wanted(String key) {
        hint("wanted " + key);
        onWanted.accept(key);
    }

    @Override
    public void released(String key) {
        hint("released " + key);
    }

    @Override
    public void unused(String key) {
        hint("unused " + key);
    }

    @Override
    public void limitChanged(String key) {
        hint("limitChanged " + key);
    }

    @Override
    public void retired(String key) {
        hint("retired " + key);
    }

    @Override
    public void wantedInTotal() {
        hint("wanted");
        onWanted.accept("");
    }

    @Override
    public void releasedInTotal() {
        hint("released");
    }

    private void hint(String hint) {
        if (lockCheck.getAsBoolean()) {
            throw new AssertionError("under a monitor of the kernel: " + hint);
        }
        hints.add(hint);
    }

    /** Has each hint fail for which {@code check} is true. */
    void failHintsIf(BooleanSupplier check) {
        lockCheck = check;
    }

    /** The hints since the last call, such as "wanted g". */
    public List<String> takeHints() {
        List<String> taken = List.copyOf(hints);
        hints.subList(0, taken.size()).clear();
        return taken;
    }

    /** The lease of {@code key} is not valid from {@code time} on. */
    public void expireAt(String key, long time) {
        validUntil.put(key, time);
    }

    /** The lease of {@code key} is valid again. */
    public void renew(String key) {
        validUntil.remove(key);
        control().renewed();
    }

    /** Runs {@code action} once, after so many more looks at a lease, before the kernel has the answer of the last one. */
    public void afterLook(int number, Runnable action) {
        afterLook.set(number == 1 ? action : () -> afterLook(number - 1, action));
    }

    /** How often the kernel has looked at a lease. */
    public int looks() {
        return looks.get();
    }

    /** How many failures of this owner were reported. */
    public long faults() {
        return faults.count();
    }
}
