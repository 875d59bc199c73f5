package io.github.kobe.isolation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Is the next key found without a pass over all queued keys, although many of them belong to another queue? */
class KeySelectorTest {

    private static final long NOW = 1;
    private static final int MANY = 1000;

    /** How many keys one selection may move, for any number of queued keys. */
    private static final int MAX_MOVES = 50;

    private final CapacityPolicy.Limits limits = CapacityPolicy.Limits.of(64, IsolationKit.DEFAULTS);
    private final KeyQueues queues = new KeyQueues();
    private final CapacityPolicy capacity =
            new CapacityPolicy(IsolationKit.DEFAULTS, limits, NOW, IsolationKit.NO_CHANGE_LISTENER);
    private final KeySelector selector = new KeySelector(queues, capacity, IsolationKit.TARGET_NANOS);

    private KeyState start() {
        KeyState key = new KeyState();
        capacity.onStarted(key, NOW);
        return key;
    }

    /** Queues new keys while so many new keys run that further ones are not fast; then one of those completes. */
    private List<KeyState> newKeys(int number) {
        List<KeyState> running =
                Stream.generate(this::start).limit(limits.fastKeyLimit()).toList();
        List<KeyState> queued = Stream.generate(KeyState::new).limit(number).toList();
        queued.forEach(selector::enqueue);
        assertThat(queued).allMatch(key -> key.isQueuedAs(KeyClass.UNPROVEN));
        capacity.onCompleted(running.getFirst(), NOW, NOW);
        return queued;
    }

    /** For each key, whether it is in the queue of unproven keys. */
    private static List<Boolean> areUnproven(List<KeyState> keys) {
        return keys.stream().map(key -> key.isQueuedAs(KeyClass.UNPROVEN)).toList();
    }

    private static long moved(List<Boolean> before, List<Boolean> after) {
        long moved = 0;
        for (int i = 0; i < before.size(); i++) {
            moved += before.get(i).equals(after.get(i)) ? 0 : 1;
        }
        return moved;
    }

    @Test
    void keyThatBecameFastIsNextAtOnce() {
        KeyState queued = newKeys(1).getFirst();
        assertThat(selector.next(NOW)).isSameAs(queued);
    }

    @Test
    void keyThatIsMovedIsFoundInItsNewQueue() {
        KeyState queued = newKeys(1).getFirst();
        start();
        capacity.onCompleted(start(), NOW, NOW + WorkloadMix.MS); // now it is known that new keys are not fast
        assertThat(selector.next(NOW + WorkloadMix.MS)).isSameAs(queued);
        assertThat(queued.isQueuedAs(KeyClass.ESTABLISHED)).isTrue();
    }

    @Test
    void oneSelectionMovesFewKeysHoweverManyBelongElsewhere() {
        List<KeyState> queued = newKeys(MANY);
        for (int i = 0; i < MAX_MOVES; i++) {
            List<Boolean> before = areUnproven(queued);
            assertThat(selector.next(NOW)).isSameAs(queued.getFirst());
            List<Boolean> between = areUnproven(queued);
            assertThat(moved(before, between)).isLessThan(MAX_MOVES);
            KeyState one = start();
            assertThat(selector.next(NOW)).isNotNull();
            assertThat(moved(between, areUnproven(queued))).isLessThan(MAX_MOVES);
            capacity.onCompleted(one, NOW, NOW);
        }
    }
}
