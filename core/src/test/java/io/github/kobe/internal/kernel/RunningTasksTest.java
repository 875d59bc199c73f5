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
}
