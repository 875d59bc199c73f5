package io.github.kobe.isolation;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.internal.fair.Competitor;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Is everything taken in that is told, once and in order? */
class EventInboxTest {

    private final EventInbox news = new EventInbox();
    private final List<Object> takenIn = new ArrayList<>();

    /** What happens when a key that got in line is taken in. */
    private Runnable meanwhile = () -> {};

    private final EventInbox.Reader reader = new EventInbox.Reader() {
        @Override
        public void joined(KeyState share, Competitor group, long since) {
            takenIn.add(share);
            Runnable once = meanwhile;
            meanwhile = () -> {};
            once.run();
        }

        @Override
        public void began(KeyState share, long now) {
            takenIn.add(now);
        }

        @Override
        public void ended(KeyState share, long start, long now) {
            takenIn.add(start + now);
        }
    };

    private static QueuedEvent joined(KeyState share) {
        return new QueuedEvent(share, null, 1);
    }

    @Test
    void inTheOrderInWhichItWasTold() {
        KeyState one = new KeyState();
        KeyState other = new KeyState();
        news.tell(joined(one));
        news.tell(PermitEvent.begun(one, 5));
        news.tell(joined(other));
        news.tell(PermitEvent.over(one, 5, 7));
        news.takeIn(reader);
        assertThat(takenIn).containsExactly(one, 5L, other, 12L);
        assertThat(news.isEmpty()).isTrue();
    }

    @Test
    void keyThatGetsInLineAgainWhileOthersAreStillTakenInIsTakenInAgain() {
        KeyState one = new KeyState();
        KeyState other = new KeyState();
        meanwhile = () -> news.tell(joined(one));
        news.tell(joined(one));
        news.tell(joined(other));
        news.takeIn(reader);
        assertThat(takenIn).containsExactly(one, other);
        news.takeIn(reader);
        assertThat(takenIn).containsExactly(one, other, one);
    }
}
