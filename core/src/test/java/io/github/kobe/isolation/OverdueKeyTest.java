package io.github.kobe.isolation;

import static io.github.kobe.isolation.WorkloadMix.MS;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Does an overdue slow key start, however many tasks of new fast keys there are? */
class OverdueKeyTest {

    private static final int BUDGET = 64;
    private static final int FOR_OTHERS = 9;

    private long now = 1000 * MS;
    private final CapacityPolicy capacity = new CapacityPolicy(
            IsolationKit.DEFAULTS,
            CapacityPolicy.Limits.of(BUDGET, IsolationKit.DEFAULTS),
            now,
            IsolationKit.NO_CHANGE_LISTENER);
    private final KeySelector selector = new KeySelector(new KeyQueues(), capacity, IsolationKit.TARGET_NANOS);
    private final KeyState overdue = new KeyState();
    private final KeyState fast = new KeyState();

    private void ran(KeyState key, long nanos) {
        capacity.onStarted(key, now);
        now += nanos;
        capacity.onCompleted(key, now - nanos, now);
    }

    private void newKeyIsQueued() {
        KeyState key = new KeyState();
        key.queuedSince = now;
        selector.enqueue(key);
    }

    /** A known fast key wants so many permits at a time. */
    private void fastKeyWants(int permits) {
        long start = now;
        for (int i = 0; i < permits; i++) {
            capacity.onStarted(fast, start);
        }
        now += 10 * MS;
        for (int i = 0; i < permits; i++) {
            capacity.onCompleted(fast, start, now);
        }
        now += 20 * MS;
    }

    /** Most permits are held for long, it is known that new keys are fast, and a slow key is overdue. */
    private void setUp(int wantedByFastKey) {
        KeyState slow = new KeyState();
        for (int i = 0; i < 20; i++) {
            ran(slow, 200 * MS);
        }
        for (int i = 0; i < BUDGET - FOR_OTHERS; i++) {
            capacity.onStarted(slow, now);
        }
        overdue.meanTime = 2000 * MS;
        overdue.slow = true; // else the change would be reported, with the name of a group that it does not have
        for (int i = 0; i < 3; i++) {
            ran(overdue, 2000 * MS);
        }
        for (int i = 0; i < 20; i++) {
            fastKeyWants(wantedByFastKey);
            ran(new KeyState(), MS);
        }
        overdue.queuedSince = now;
        selector.enqueue(overdue);
        now += 400 * MS;
    }

    /** New keys take all permits that become free, and return all of them at once. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7, 8})
    void startsAsSoonAsThereIsAPermit(int startsBefore) {
        setUp(4);
        for (int i = 0; i < 40; i++) {
            newKeyIsQueued();
        }
        for (int i = 0; i < startsBefore; i++) {
            KeyState next = selector.next(now);
            selector.dispatch(next, now);
            now += MS / 10;
            capacity.onCompleted(next, now - MS / 10, now);
            newKeyIsQueued();
        }
        int bursts = 0;
        while (overdue.isQueued() && bursts < 100) {
            bursts++;
            burst();
        }
        assertThat(bursts).isLessThanOrEqualTo(3);
    }

    private void burst() {
        List<KeyState> started = new ArrayList<>();
        while (capacity.free() > 0 && overdue.isQueued()) {
            KeyState next = selector.next(now);
            selector.dispatch(next, now);
            started.add(next);
            newKeyIsQueued();
        }
        now += MS;
        started.forEach(key -> capacity.onCompleted(key, now - MS, now));
    }

    @Test
    void startsAlsoIfFastKeysAreLateToo() {
        setUp(1);
        for (int i = 0; i < 1000; i++) {
            newKeyIsQueued();
        }
        now += 400 * MS;
        int starts = 0;
        while (overdue.isQueued() && starts < 500) {
            KeyState next = selector.next(now);
            selector.dispatch(next, now);
            now += MS / 100;
            capacity.onCompleted(next, now - MS / 100, now);
            starts++;
        }
        assertThat(starts).isLessThanOrEqualTo(20);
    }
}
