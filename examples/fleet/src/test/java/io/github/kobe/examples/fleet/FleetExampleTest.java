package io.github.kobe.examples.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Does the example do what its README says? */
@Timeout(value = 240, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FleetExampleTest {

    @TempDir
    Path directory;

    @Test
    void limitHoldsAndPermitsOfTheKilledNodeComeBack() throws Exception {
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        boolean ok = FleetExample.run(new PrintStream(printed, true, StandardCharsets.UTF_8));
        String text = printed.toString(StandardCharsets.UTF_8);
        assertThat(text)
                .contains("--- node-2 is killed with SIGKILL")
                .contains("--- the others have all 10 permits again")
                .endsWith("verdict: never more than 10 at once, limit 10" + System.lineSeparator());
        assertThat(ok).as(text).isTrue();
    }

    @Test
    void countIsThatOfAllNodes() throws Exception {
        TaskCount count = TaskCount.open(directory.resolve("count"));
        count.begin(0);
        count.begin(2);
        count.begin(2);
        count.end(0);
        assertThat(count.running()).isEqualTo(2);
        assertThat(TaskCount.open(directory.resolve("count")).most()).isEqualTo(3);
        count.forget(2);
        assertThat(count.running()).isZero();
        assertThat(count.most()).isEqualTo(3);
    }
}
