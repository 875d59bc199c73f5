package io.github.kobe.internal.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.internal.fair.WeightedRoundRobin;
import io.github.kobe.internal.time.FakeTimer;
import io.github.kobe.internal.util.Faults;
import java.util.function.ToIntFunction;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;

/** What does the kernel do if the owner of leases throws? */
class LeaseOwnerFaultsTest {

    private static final int UNLIMITED = Integer.MAX_VALUE;

    private final FakeTimer timer = new FakeTimer();
    private final Faults faults = new Faults(timer::nanoTime);

    private Dispatcher dispatcher(ToIntFunction<String> leased, boolean mayStart) {
        PermitLeases leases = new PermitLeases() {
            @Override
            public int leased(String key) {
                return leased.applyAsInt(key);
            }

            @Override
            public boolean mayStart(String key, long now) {
                if (!mayStart) {
                    throw new AssertionError("no lease of " + key);
                }
                return true;
            }
        };
        return new Dispatcher(
                key -> new GroupLimits(1, UNLIMITED, UNLIMITED),
                new DispatcherConfig(UNLIMITED, UNLIMITED, Long.MAX_VALUE, false, false),
                new WeightedRoundRobin(),
                Runnable::run,
                timer,
                new LeaseControl(leases, faults));
    }

    @Test
    void ownerThatDoesNotSayWhatItHoldsHoldsNothing() {
        Dispatcher dispatcher = dispatcher(
                key -> {
                    throw new IllegalStateException("no number for " + key);
                },
                true);
        TestTask task = new TestTask(() -> {});
        assertThat(dispatcher.submit("g", task)).isEqualTo(Admission.ADMITTED);
        assertThat(task.isQueuedForFirstStart()).isTrue();
        assertThat(faults.count()).isEqualTo(1);
    }

    @Test
    void numberBelowZeroCountsAsNone() {
        Dispatcher dispatcher = dispatcher(key -> -7, true);
        TestTask task = new TestTask(() -> {});
        dispatcher.submit("g", task);
        assertThat(task.isQueuedForFirstStart()).isTrue();
        assertThat(faults.count()).isZero();
    }

    @Test
    void ownerThatDoesNotSayWhetherTheLeaseIsValidStartsNothing() {
        Dispatcher dispatcher = dispatcher(key -> 1, false);
        TestTask task = new TestTask(Assertions::fail);
        assertThat(dispatcher.submit("g", task)).isEqualTo(Admission.ADMITTED);
        assertThat(task.isQueuedForFirstStart()).isTrue();
        assertThat(faults.count()).isPositive();
    }

    @Test
    void hintThatThrowsHasNoOtherEffect() {
        LeaseControl control = new LeaseControl(new ThrowingHints(), faults);
        Dispatcher dispatcher = new Dispatcher(
                key -> new GroupLimits(2, UNLIMITED, 1),
                new DispatcherConfig(UNLIMITED, UNLIMITED, 0, false, false),
                new WeightedRoundRobin(),
                Runnable::run,
                timer,
                control);
        TestTask first = new TestTask(() -> {
            dispatcher.submit("g", new TestTask(() -> {}));
            dispatcher.submit("g", new TestTask(() -> {}));
            dispatcher.changeLimits("g", before -> new GroupLimits(3, 3, 1));
        });
        assertThat(dispatcher.submit("g", first)).isEqualTo(Admission.ADMITTED);
        assertThat(first.isCompleted()).isTrue();
        assertThat(dispatcher.group("g")).as("retired").isNull();
        assertThat(faults.count())
                .as("wanted, rejected, limitChanged, released, retired")
                .isGreaterThanOrEqualTo(5);
    }

    @Test
    void ownerThatDoesNotSayWhatItHoldsInTotalHoldsNothing() {
        LeaseControl control = new LeaseControl(
                new PermitLeases() {
                    @Override
                    public int leased(String key) {
                        return 1;
                    }

                    @Override
                    public int totalLimit() {
                        throw new AssertionError("totalLimit");
                    }

                    @Override
                    public int leasedInTotal() {
                        throw new AssertionError("leasedInTotal");
                    }

                    @Override
                    public boolean mayStart(String key, long now) {
                        return true;
                    }
                },
                faults);
        Dispatcher dispatcher = new Dispatcher(
                key -> new GroupLimits(2, UNLIMITED, 1),
                new DispatcherConfig(UNLIMITED, UNLIMITED, 0, false, false),
                new WeightedRoundRobin(),
                Runnable::run,
                timer,
                control);
        TestTask task = new TestTask(() -> {});
        assertThat(dispatcher.submit("g", task)).isEqualTo(Admission.ADMITTED);
        assertThat(task.isQueuedForFirstStart()).isTrue();
        control.totalLeasedChanged();
        assertThat(task.isQueuedForFirstStart()).isTrue();
        assertThat(faults.count()).isPositive();
    }

    private static final class ThrowingHints implements PermitLeases {
        @Override
        public int leased(String key) {
            return 1;
        }

        @Override
        public boolean mayStart(String key, long now) {
            return true;
        }

        @Override
        public int totalLimit() {
            return 2;
        }

        @Override
        public int leasedInTotal() {
            return 1;
        }

        @Override
        public void wantedInTotal() {
            throw new AssertionError("wantedInTotal");
        }

        @Override
        public void releasedInTotal() {
            throw new AssertionError("releasedInTotal");
        }

        @Override
        public void wanted(String key) {
            throw new AssertionError("wanted");
        }

        @Override
        public void released(String key) {
            throw new AssertionError("released");
        }

        @Override
        public void limitChanged(String key) {
            throw new AssertionError("limitChanged");
        }

        @Override
        public void retired(String key) {
            throw new AssertionError("retired");
        }
    }
}
