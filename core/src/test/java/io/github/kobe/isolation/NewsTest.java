package io.github.kobe.isolation;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.internal.Group;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Is everything taken in that is told, once and in order? */
class NewsTest {

    private final News news = new News();
    private final List<Object> takenIn = new ArrayList<>();

    /** What happens when a key that got in line is taken in. */
    private Runnable meanwhile = () -> {};

    private final News.Reader reader = new News.Reader() {
        @Override
        public void joined(TenantShare share, Group group, long since) {
            takenIn.add(share);
            Runnable once = meanwhile;
            meanwhile = () -> {};
            once.run();
        }

        @Override
        public void began(TenantShare share, long now) {
            takenIn.add(now);
        }

        @Override
        public void ended(TenantShare share, long start, long now) {
            takenIn.add(start + now);
        }
    };

    private static Joined joined(TenantShare share) {
        return new Joined(share, null, 1);
    }

    @Test
    void inTheOrderInWhichItWasTold() {
        TenantShare one = new TenantShare();
        TenantShare other = new TenantShare();
        news.tell(joined(one));
        news.tell(Turn.begun(one, 5));
        news.tell(joined(other));
        news.tell(Turn.over(one, 5, 7));
        news.takeIn(reader);
        assertThat(takenIn).containsExactly(one, 5L, other, 12L);
        assertThat(news.isEmpty()).isTrue();
    }

    @Test
    void keyThatGetsInLineAgainWhileOthersAreStillTakenInIsTakenInAgain() {
        TenantShare one = new TenantShare();
        TenantShare other = new TenantShare();
        meanwhile = () -> news.tell(joined(one));
        news.tell(joined(one));
        news.tell(joined(other));
        news.takeIn(reader);
        assertThat(takenIn).containsExactly(one, other);
        news.takeIn(reader);
        assertThat(takenIn).containsExactly(one, other, one);
    }
}
