package io.github.kobe.internal.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Field;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Does a set stay small whoever enters, and find what is in it? */
class RunningTasksTest {

    private static int slots(RunningTasks set) throws ReflectiveOperationException {
        Field newest = RunningTasks.class.getDeclaredField("newest");
        newest.setAccessible(true);
        return ((Object[]) newest.get(set)).length;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void oneThreadThatEntersTwoThousandTicketsNeedsNoMoreThanAFewTimesAsManySlots(boolean steady) throws Exception {
        RunningTasks set = new RunningTasks(2, steady);
        Set<KernelTask<?>> entered = new HashSet<>();
        int[] places = new int[2000];
        for (int i = 0; i < places.length; i++) {
            KernelTask<?> ticket = new TestTask(() -> {});
            entered.add(ticket);
            places[i] = set.add(ticket);
        }
        assertThat(slots(set)).isLessThan(50_000);
        Set<KernelTask<?>> seen = new HashSet<>();
        set.forEach(seen::add);
        assertThat(seen).isEqualTo(entered);
        for (int place : places) {
            set.remove(place);
        }
        set.forEach(ticket -> assertThat(ticket).as("left behind").isNull());
    }

    /** More than there are rooms for: most are in slots that count together. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void countsWhoBeginsWhereverThatIs(boolean steady) {
        RunningTasks set = new RunningTasks(2, steady);
        int[] places = new int[100];
        for (int i = 0; i < places.length; i++) {
            places[i] = set.add(new TestTask(() -> {}));
            assertThat(set.startedCount()).isEqualTo(i);
            set.countStart(places[i]);
        }
        for (int place : places) {
            set.remove(place);
        }
        assertThat(set.startedCount()).isEqualTo(places.length);
        set.countStart(set.add(new TestTask(() -> {})));
        assertThat(set.startedCount()).isEqualTo(places.length + 1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void threadsThatComeAndGoLoseNoCount(boolean steady) throws Exception {
        RunningTasks set = new RunningTasks(Integer.MAX_VALUE, steady);
        int threadsInAll = 64; // more than there are rooms
        int each = 2_000;
        Set<Thread> threads = new HashSet<>();
        for (int i = 0; i < threadsInAll; i++) {
            threads.add(Thread.ofPlatform().start(() -> {
                for (int n = 0; n < each; n++) {
                    int place = set.add(new TestTask(() -> {}));
                    set.countStart(place);
                    set.remove(place);
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(set.startedCount()).isEqualTo((long) threadsInAll * each);
    }
}
