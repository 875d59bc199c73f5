package io.github.kobe.pool;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How many workers should be used for given statistics? */
class UtilizationSizerTest {

    private final UtilizationSizer sizer = new UtilizationSizer(0.8);

    @ParameterizedTest(name = "{5}")
    @CsvSource(textBlock = """
            4, 1.0,   9, 16, 5, 'busy, and tasks are queued: a step up, to the size that would be busy for the target'
            4, 0.8,   1, 16, 5, 'as busy as the target, and tasks are queued: one more'
            4, 0.5,   9, 16, 4, 'tasks are queued but workers are not busy: more would not help'
            4, 1.0,   0, 16, 4, 'busy but nothing is queued: enough'
            4, 0.8,   0, 16, 4, 'on target'
            8, 0.1,   0, 16, 4, 'low load: half of the way down'
            8, 0.0,   0, 16, 4, 'no load: half of the way down'
            2, 0.0,   0, 16, 1, 'finally down to the minimum'
            1, 0.0,   0, 16, 1, 'never below the minimum'
            16, 1.0,  9, 16, 16, 'never above the maximum'
            20, 0.9,  9, 16, 16, 'a lowered maximum is kept'
            """)
    void decides(int size, double busyShare, int queued, int max, int to, String why) {
        UtilizationSizer.Sample sample =
                new UtilizationSizer.Sample(size, 1, max, busyShare, queued, Duration.ofMillis(7));
        assertThat(sizer.decide(sample)).as(why).isEqualTo(to);
        assertThat(sizer.explain(sample))
                .contains("of wanted 80%")
                .contains(queued + " waiting")
                .contains("7 ms");
    }
}
