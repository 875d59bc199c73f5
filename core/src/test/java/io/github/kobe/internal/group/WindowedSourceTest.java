package io.github.kobe.internal.group;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupTask;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Which task of a source is next if each group may have only so many outstanding tasks? */
class WindowedSourceTest {

    private final AtomicInteger read = new AtomicInteger();

    /** Each task is named by its group and its number in the group, such as "a1". */
    private WindowedSource<String> source(int window, int windowPerGroup, String... groups) {
        Map<String, Integer> numbers = new HashMap<>();
        Stream<GroupTask<String>> tasks =
                Stream.of(groups).map(group -> task(group, group + numbers.merge(group, 1, Integer::sum)));
        return new WindowedSource<>(tasks, window, windowPerGroup);
    }

    private GroupTask<String> task(String group, String name) {
        read.incrementAndGet();
        return new GroupTask<>(group, name, () -> name);
    }

    /** Takes tasks while there are any now. */
    private static List<String> takeAll(WindowedSource<String> source) {
        List<String> taken = new ArrayList<>();
        for (GroupTask<String> task = source.next(() -> false); task != null; task = source.next(() -> false)) {
            taken.add(task.taskId());
        }
        return taken;
    }

    @Test
    void taskOfAGroupWithoutRoomIsHeldBackAndOthersAreTaken() {
        WindowedSource<String> source = source(10, 2, "a", "a", "a", "a", "b", "c", "a", "b");
        assertThat(takeAll(source)).containsExactly("a1", "a2", "b1", "c1", "b2");
        assertThat(source.heldBack()).isEqualTo(3);
        assertThat(source.isExhausted()).isFalse();
        source.release("a");
        assertThat(takeAll(source)).containsExactly("a3");
        source.release("b");
        assertThat(takeAll(source)).as("b has room, and no task").isEmpty();
        source.release("a");
        source.release("a");
        assertThat(takeAll(source)).containsExactly("a4", "a5");
        assertThat(source.isExhausted()).isTrue();
    }

    @Test
    void windowLimitsAllGroupsTogether() {
        WindowedSource<String> source = source(3, 2, "a", "a", "a", "b", "b", "c");
        assertThat(takeAll(source)).containsExactly("a1", "a2", "b1");
        assertThat(read).as("nothing is read while the window is full").hasValue(4);
        source.release("a");
        assertThat(takeAll(source)).as("the one that was held back first").containsExactly("a3");
        source.release("b");
        assertThat(takeAll(source)).containsExactly("b2");
    }

    @Test
    void withoutALimitPerGroupOnlyTheWindowCounts() {
        WindowedSource<String> source = source(3, WindowedSource.NO_LIMIT, "a", "a", "a", "a");
        assertThat(takeAll(source)).containsExactly("a1", "a2", "a3");
        source.release("a");
        assertThat(takeAll(source)).containsExactly("a4");
        assertThat(takeAll(source)).isEmpty();
    }

    @Test
    void limitPerGroupThatIsNotBelowTheWindowHoldsNothingBack() {
        WindowedSource<String> source = source(2, 2, "a", "a", "a", "b");
        assertThat(takeAll(source)).containsExactly("a1", "a2");
        assertThat(read).hasValue(2);
    }

    @Test
    void readingEndsWhenTheCallerHasEnough() {
        WindowedSource<String> source = source(10, 1, "a", "a", "a", "b");
        assertThat(source.next(() -> true)).as("a1 is not held back").isNotNull();
        assertThat(source.next(() -> true)).isNull();
        assertThat(source.heldBack()).isEqualTo(1);
        assertThat(source.isExhausted()).isFalse();
        assertThat(takeAll(source)).containsExactly("b1");
    }

    @Test
    void numberOfTasksHeldBackIsBounded() {
        Stream<GroupTask<String>> endless = Stream.generate(() -> task("a", "t"));
        WindowedSource<String> source = new WindowedSource<>(endless, 10, 2);
        assertThat(takeAll(source)).hasSize(2);
        assertThat(source.heldBack()).isEqualTo(WindowedSource.MAX_HELD_BACK);
        assertThat(read).hasValue(WindowedSource.MAX_HELD_BACK + 2);
        source.release("a");
        assertThat(takeAll(source)).hasSize(1);
        assertThat(source.heldBack())
                .as("one was taken, and one read")
                .isBetween(WindowedSource.MAX_HELD_BACK - 1, WindowedSource.MAX_HELD_BACK);
    }

    /** Random sources and completions against a model that looks at all tasks. */
    @Test
    void windowsHoldAndNoTaskIsLostOrOvertaken() {
        for (int seed = 0; seed < 300; seed++) {
            Random random = new Random(seed);
            String[] groups = random.ints(120, 0, 6).mapToObj(n -> "g" + n).toArray(String[]::new);
            int window = 1 + random.nextInt(8);
            int perGroup = 1 + random.nextInt(4);
            WindowedSource<String> source = source(window, perGroup, groups);
            Map<String, Integer> outstanding = new HashMap<>();
            Map<String, Integer> last = new HashMap<>();
            Deque<String> open = new ArrayDeque<>();
            int taken = 0;
            while (taken < groups.length) {
                GroupTask<String> task = source.next(random::nextBoolean);
                if (task == null) {
                    if (!open.isEmpty()) { // else the source was not read to its next task
                        String group = random.nextBoolean() ? open.removeFirst() : open.removeLast();
                        outstanding.merge(group, -1, Integer::sum);
                        source.release(group);
                    }
                } else {
                    taken++;
                    String group = task.groupKey();
                    open.add(group);
                    assertThat(outstanding.merge(group, 1, Integer::sum)).isLessThanOrEqualTo(perGroup);
                    assertThat(open).hasSizeLessThanOrEqualTo(window);
                    int number = Integer.parseInt(task.taskId().substring(group.length()));
                    assertThat(number).isEqualTo(last.merge(group, 1, Integer::sum));
                }
            }
            assertThat(source.next(() -> false)).isNull();
            assertThat(source.isExhausted() || open.size() == window).isTrue();
        }
    }
}
