package io.github.kobe.internal.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.internal.fair.WeightedRoundRobin;
import io.github.kobe.internal.time.FakeTimer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Queue time raises the priority of a task step by step. */
class PriorityAgeingTest {

    private static final int UNLIMITED = Integer.MAX_VALUE;
    private static final long STEP = 100;

    private final List<String> order = new ArrayList<>();

    private final class NamedTask extends KernelTask<String> {
        private final String name;
        private final AttemptState attemptState;

        NamedTask(String name, int priority) {
            this.name = name;
            this.attemptState = new AttemptState(priority, AttemptLimits.NONE, AttemptLimits.NONE, false);
        }

        @Override
        protected AttemptState attempts() {
            return attemptState;
        }

        @Override
        protected Object execute() {
            order.add(name);
            return name;
        }

        @Override
        protected Object failed(Throwable fault) {
            return "failed";
        }

        @Override
        protected String cancelled(String why) {
            return why;
        }
    }

    /** @param fillers the number of other priorities, submitted first; with many, those of the test share one queue */
    @ParameterizedTest
    @ValueSource(ints = {0, 100})
    void taskIsOvertakenOnlyWithinOneStepPerPriorityLevel(int fillers) {
        FakeTimer timer = new FakeTimer();
        timer.advance(1_000_000);
        List<Runnable> started = new ArrayList<>();
        Dispatcher dispatcher = new Dispatcher(
                key -> new GroupLimits(1, UNLIMITED, UNLIMITED),
                new DispatcherConfig(
                        UNLIMITED,
                        UNLIMITED,
                        Long.MAX_VALUE,
                        false,
                        false,
                        STEP,
                        DispatcherConfig.DEFAULT_SWEEP_CAPACITY),
                new WeightedRoundRobin(),
                started::add,
                timer);
        dispatcher.submit("g", new NamedTask("first", 0));
        for (int i = 0; i < fillers; i++) {
            dispatcher.submit("g", new NamedTask("filler", 1000 + i));
        }
        dispatcher.submit("g", new NamedTask("low, early", -1));
        timer.advance(STEP / 2);
        dispatcher.submit("g", new NamedTask("high, soon", 1));
        timer.advance(STEP * 2);
        dispatcher.submit("g", new NamedTask("high, late", 1));
        dispatcher.submit("g", new NamedTask("higher, late", 9));
        NamedTask withdrawn = new NamedTask("withdrawn", 99);
        dispatcher.submit("g", withdrawn);
        withdrawn.cancel(false, "not wanted");
        while (!started.isEmpty()) {
            started.removeFirst().run();
        }
        order.removeIf("filler"::equals);
        assertThat(order).containsExactly("first", "higher, late", "high, soon", "low, early", "high, late");
    }
}
