package io.github.kobe.isolation;

import static io.github.kobe.isolation.Mix.MS;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Does a slow key that has waited for too long get its turn, however much quick work of new keys there is? */
class KeySelectorEventTest {

    private static final int BUDGET = 64;
    private static final int FOR_OTHERS = 9;

    private long now = 1000 * MS;
    private final CapacityPolicy allotment =
            new CapacityPolicy(Thresholds.USUAL, Thresholds.USUAL.roomIn(BUDGET), now, Journals.NONE);
    private final KeySelector order = new KeySelector(new KeyQueues(), allotment, Thresholds.USUAL.targetNanos());
    private final KeyState overdue = new KeyState();
    private final KeyState quick = new KeyState();

    private void ran(KeyState share, long nanos) {
        allotment.onStarted(share, now);
        now += nanos;
        allotment.onCompleted(share, now - nanos, now);
    }

    private void newKeyComes() {
        KeyState share = new KeyState();
        share.queuedSince = now;
        order.enqueue(share);
    }

    /** Known quick work wants so many places at a time. */
    private void quickWorkWants(int places) {
        long start = now;
        for (int i = 0; i < places; i++) {
            allotment.onStarted(quick, start);
        }
        now += 10 * MS;
        for (int i = 0; i < places; i++) {
            allotment.onCompleted(quick, start, now);
        }
        now += 20 * MS;
    }

    /** Most places are taken for long, it is known that new keys are quick, and a slow key is overdue. */
    private void setUp(int wantedByQuickWork) {
        KeyState slow = new KeyState();
        for (int i = 0; i < 20; i++) {
            ran(slow, 200 * MS);
        }
        for (int i = 0; i < BUDGET - FOR_OTHERS; i++) {
            allotment.onStarted(slow, now);
        }
        overdue.meanTime = 2000 * MS;
        overdue.slow = true; // or it would be told of, by a name that it does not have
        for (int i = 0; i < 3; i++) {
            ran(overdue, 2000 * MS);
        }
        for (int i = 0; i < 20; i++) {
            quickWorkWants(wantedByQuickWork);
            ran(new KeyState(), MS);
        }
        overdue.queuedSince = now;
        order.enqueue(overdue);
        now += 400 * MS;
    }

    /** New keys take all places that come free, and all give them back at once. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7, 8})
    void comesAsSoonAsThereIsRoom(int startsBefore) {
        setUp(4);
        for (int i = 0; i < 40; i++) {
            newKeyComes();
        }
        for (int i = 0; i < startsBefore; i++) {
            KeyState next = order.next(now);
            order.dispatch(next, now);
            now += MS / 10;
            allotment.onCompleted(next, now - MS / 10, now);
            newKeyComes();
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
        while (allotment.free() > 0 && overdue.isQueued()) {
            KeyState next = order.next(now);
            order.dispatch(next, now);
            started.add(next);
            newKeyComes();
        }
        now += MS;
        started.forEach(share -> allotment.onCompleted(share, now - MS, now));
    }

    @Test
    void comesAlsoIfQuickOnesHaveWaitedForTooLong() {
        setUp(1);
        for (int i = 0; i < 1000; i++) {
            newKeyComes();
        }
        now += 400 * MS;
        int starts = 0;
        while (overdue.isQueued() && starts < 500) {
            KeyState next = order.next(now);
            order.dispatch(next, now);
            now += MS / 100;
            allotment.onCompleted(next, now - MS / 100, now);
            starts++;
        }
        assertThat(starts).isLessThanOrEqualTo(20);
    }
}
