package io.github.kobe.isolation;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.internal.fair.Competitor;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Is every posted event delivered once and in order? */
class EventInboxTest {

    private final EventInbox inbox = new EventInbox();
    private final List<Object> delivered = new ArrayList<>();

    /** Runs once, while an event of a queued key is delivered. */
    private Runnable meanwhile = () -> {};

    private final EventInbox.Handler handler = new EventInbox.Handler() {
        @Override
        public void onQueued(KeyState key, Competitor group, long since) {
            delivered.add(key);
            Runnable once = meanwhile;
            meanwhile = () -> {};
            once.run();
        }

        @Override
        public void onStarted(KeyState key, Competitor group, long now) {
            delivered.add(now);
        }

        @Override
        public void onCompleted(KeyState key, long start, long now) {
            delivered.add(start + now);
        }
    };

    private void postQueued(KeyState key) {
        inbox.postQueued(key, null, 1);
    }

    @Test
    void eventsAreDeliveredInTheOrderOfPosting() {
        KeyState one = new KeyState();
        KeyState other = new KeyState();
        postQueued(one);
        inbox.postStarted(one, null, 5);
        postQueued(other);
        inbox.postCompleted(one, 5, 7);
        inbox.drainTo(handler);
        assertThat(delivered).containsExactly(one, 5L, other, 12L);
        assertThat(inbox.isEmpty()).isTrue();
    }

    @Test
    void keyThatIsQueuedAgainDuringDeliveryIsDeliveredAgain() {
        KeyState one = new KeyState();
        KeyState other = new KeyState();
        meanwhile = () -> postQueued(one);
        postQueued(one);
        postQueued(other);
        inbox.drainTo(handler);
        assertThat(delivered).containsExactly(one, other);
        inbox.drainTo(handler);
        assertThat(delivered).containsExactly(one, other, one);
    }
}
