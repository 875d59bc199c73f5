package io.github.kobe.pool;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How many workers are to be used, by what is seen? */
class UtilizationSizerTest {

    private final UtilizationSizer sizer = new UtilizationSizer(0.8);

    @ParameterizedTest(name = "{5}")
    @CsvSource(textBlock = """
            4, 1.0,   9, 16, 5, 'busy, and tasks wait: a step up, to what would be busy for the wanted part'
            4, 0.8,   1, 16, 5, 'as busy as wanted, and tasks wait: one more'
            4, 0.5,   9, 16, 4, 'tasks wait but workers are not busy: more would not help'
            4, 1.0,   0, 16, 4, 'busy but nothing waits: enough'
            4, 0.8,   0, 16, 4, 'as wanted'
            8, 0.1,   0, 16, 4, 'a lull: half the way down'
            8, 0.0,   0, 16, 4, 'nothing to do: half the way down'
            2, 0.0,   0, 16, 1, 'and in the end to the least'
            1, 0.0,   0, 16, 1, 'never below it'
            16, 1.0,  9, 16, 16, 'never above the most'
            20, 0.9,  9, 16, 16, 'a lowered bound is kept'
            """)
    void decides(int size, double busyShare, int queued, int max, int to, String why) {
        UtilizationSizer.Figures seen =
                new UtilizationSizer.Figures(size, 1, max, busyShare, queued, Duration.ofMillis(7));
        assertThat(sizer.decide(seen)).as(why).isEqualTo(to);
        assertThat(sizer.why(seen))
                .contains("of wanted 80%")
                .contains(queued + " waiting")
                .contains("7 ms");
    }
}
