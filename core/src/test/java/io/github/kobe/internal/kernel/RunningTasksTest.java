package io.github.kobe.internal.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Field;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The registry of running tasks stays small and finds all tasks in it. */
class RunningTasksTest {

    private static int slots(RunningTasks set) throws ReflectiveOperationException {
        Field newest = RunningTasks.class.getDeclaredField("newest");
        newest.setAccessible(true);
        return ((Object[]) newest.get(set)).length;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void oneThreadThatAddsManyTasksNeedsFewSlots(boolean steady) throws Exception {
        RunningTasks set = new RunningTasks(2, steady);
        Set<KernelTask<?>> entered = new HashSet<>();
        int[] slots = new int[2000];
        for (int i = 0; i < slots.length; i++) {
            KernelTask<?> task = new TestTask(() -> {});
            entered.add(task);
            slots[i] = set.add(task);
        }
        assertThat(slots(set)).isLessThan(50_000);
        Set<KernelTask<?>> seen = new HashSet<>();
        set.forEach(seen::add);
        assertThat(seen).isEqualTo(entered);
        for (int slot : slots) {
            set.remove(slot);
        }
        set.forEach(task -> assertThat(task).as("not removed").isNull());
    }

    /** With more tasks than counter cells, most slots share a cell. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void startsAreCountedInEverySlot(boolean steady) {
        RunningTasks set = new RunningTasks(2, steady);
        int[] slots = new int[100];
        for (int i = 0; i < slots.length; i++) {
            slots[i] = set.add(new TestTask(() -> {}));
            assertThat(set.startedCount()).isEqualTo(i);
            set.countStart(slots[i]);
        }
        for (int slot : slots) {
            set.remove(slot);
        }
        assertThat(set.startedCount()).isEqualTo(slots.length);
        set.countStart(set.add(new TestTask(() -> {})));
        assertThat(set.startedCount()).isEqualTo(slots.length + 1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void concurrentThreadsLoseNoCount(boolean steady) throws Exception {
        RunningTasks set = new RunningTasks(Integer.MAX_VALUE, steady);
        int threadsInAll = 64; // more than there are counter cells
        int each = 2_000;
        Set<Thread> threads = new HashSet<>();
        for (int i = 0; i < threadsInAll; i++) {
            threads.add(Thread.ofPlatform().start(() -> {
                for (int n = 0; n < each; n++) {
                    int slot = set.add(new TestTask(() -> {}));
                    set.countStart(slot);
                    set.remove(slot);
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(set.startedCount()).isEqualTo((long) threadsInAll * each);
    }
}
