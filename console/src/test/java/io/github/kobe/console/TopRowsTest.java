package io.github.kobe.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Are the kept rows those that a sort would put first? */
class TopRowsTest {

    @Test
    void keptRowsAreTheFirstOfASort() {
        SplittableRandom random = new SplittableRandom(3);
        for (int run = 0; run < 500; run++) {
            List<Integer> rows = random.ints(random.nextInt(60), 0, 40).boxed().toList();
            int skipped = random.nextInt(20);
            int limit = skipped + 1 + random.nextInt(20);
            TopRows<Integer> top = new TopRows<>(limit, Comparator.<Integer>naturalOrder());
            rows.forEach(top::offer);
            assertThat(top.from(skipped))
                    .isEqualTo(rows.stream().sorted().limit(limit).skip(skipped).toList());
            assertThat(top.offered()).isEqualTo(rows.size());
        }
    }
}
