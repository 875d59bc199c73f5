package io.github.kobe.isolation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Is it found who is next, and without a look at all who are in line, when many turn out to belong elsewhere? */
class KeySelectorTest {

    private static final long NOW = 1;
    private static final int MANY = 1000;

    /** As many as one look may move; a few, whatever the number in line is. */
    private static final int FEW = 50;

    private final DerivedLimits room = Thresholds.USUAL.roomIn(64);
    private final KeyQueues lines = new KeyQueues();
    private final CapacityPolicy allotment = new CapacityPolicy(Thresholds.USUAL, room, NOW, Journals.NONE);
    private final KeySelector order = new KeySelector(lines, allotment, Thresholds.USUAL.targetNanos());

    private KeyState begin() {
        KeyState share = new KeyState();
        allotment.onStarted(share, NOW);
        return share;
    }

    /** So many new keys run that more of them are not welcome, and others come. */
    private List<KeyState> newcomers(int number) {
        List<KeyState> running =
                Stream.generate(this::begin).limit(room.fastKeyLimit()).toList();
        List<KeyState> waiting = Stream.generate(KeyState::new).limit(number).toList();
        waiting.forEach(order::enqueue);
        assertThat(waiting).allMatch(share -> share.isQueuedAs(KeyClass.UNPROVEN));
        allotment.onCompleted(running.getFirst(), NOW, NOW);
        return waiting;
    }

    /** Whether each is among the unproven. */
    private static List<Boolean> standings(List<KeyState> shares) {
        return shares.stream().map(share -> share.isQueuedAs(KeyClass.UNPROVEN)).toList();
    }

    private static long moved(List<Boolean> before, List<Boolean> after) {
        long moved = 0;
        for (int i = 0; i < before.size(); i++) {
            moved += before.get(i).equals(after.get(i)) ? 0 : 1;
        }
        return moved;
    }

    @Test
    void keyThatTurnsOutToBeQuickIsNextAtOnce() {
        KeyState waiting = newcomers(1).getFirst();
        assertThat(order.next(NOW)).isSameAs(waiting);
    }

    @Test
    void keyThatIsMovedIsNextWhereItIsThen() {
        KeyState waiting = newcomers(1).getFirst();
        begin();
        allotment.onCompleted(
                begin(),
                NOW,
                NOW + Mix.MS); // from now on it is known how long new keys take, and that they are not quick
        assertThat(order.next(NOW + Mix.MS)).isSameAs(waiting);
        assertThat(waiting.isQueuedAs(KeyClass.ESTABLISHED)).isTrue();
    }

    @Test
    void oneLookMovesFewHoweverManyBelongElsewhere() {
        List<KeyState> waiting = newcomers(MANY);
        for (int i = 0; i < FEW; i++) {
            List<Boolean> before = standings(waiting);
            assertThat(order.next(NOW)).isSameAs(waiting.getFirst());
            List<Boolean> welcome = standings(waiting);
            assertThat(moved(before, welcome)).isLessThan(FEW);
            KeyState one = begin();
            assertThat(order.next(NOW)).isNotNull();
            assertThat(moved(welcome, standings(waiting))).isLessThan(FEW);
            allotment.onCompleted(one, NOW, NOW);
        }
    }
}
