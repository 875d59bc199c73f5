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

    private final EventInbox.Handler reader = new EventInbox.Handler() {
        @Override
        public void onQueued(KeyState share, Competitor group, long since) {
            takenIn.add(share);
            Runnable once = meanwhile;
            meanwhile = () -> {};
            once.run();
        }

        @Override
        public void onStarted(KeyState share, long now) {
            takenIn.add(now);
        }

        @Override
        public void onCompleted(KeyState share, long start, long now) {
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
        news.post(joined(one));
        news.post(PermitEvent.started(one, 5));
        news.post(joined(other));
        news.post(PermitEvent.completed(one, 5, 7));
        news.drainTo(reader);
        assertThat(takenIn).containsExactly(one, 5L, other, 12L);
        assertThat(news.isEmpty()).isTrue();
    }

    @Test
    void keyThatGetsInLineAgainWhileOthersAreStillTakenInIsTakenInAgain() {
        KeyState one = new KeyState();
        KeyState other = new KeyState();
        meanwhile = () -> news.post(joined(one));
        news.post(joined(one));
        news.post(joined(other));
        news.drainTo(reader);
        assertThat(takenIn).containsExactly(one, other);
        news.drainTo(reader);
        assertThat(takenIn).containsExactly(one, other, one);
    }
}
