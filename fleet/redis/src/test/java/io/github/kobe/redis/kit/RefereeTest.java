package io.github.kobe.redis.kit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Is the referee exact? {@link ChildJvmTest} asks the same for several processes. */
class RefereeTest {

    @TempDir
    Path directory;

    private Referee referee;

    @BeforeEach
    void open() {
        referee = Referee.open(directory.resolve("referee"), 3);
    }

    @Test
    void keepsTheLargestNumber() {
        assertThat(referee.begin(0, 1)).isEqualTo(1);
        assertThat(referee.begin(3, 1)).isEqualTo(2);
        referee.end(0, 1);
        assertThat(referee.begin(5, 1)).isEqualTo(2);
        assertThat(referee.running(1)).isEqualTo(2);
        assertThat(referee.max(1)).isEqualTo(2);
        assertThat(referee.begun(1)).isEqualTo(3);
    }

    @Test
    void groupsAreSeparate() {
        referee.begin(0, 0);
        referee.begin(0, 2);
        assertThat(referee.running(0)).isEqualTo(1);
        assertThat(referee.running(1)).isZero();
        assertThat(referee.max(2)).isEqualTo(1);
    }

    @Test
    void processesAreSeparateUpToTheLastTask() {
        for (int process = 0; process < Referee.MAX_PROCESSES; process++) {
            for (int task = 0; task < 255; task++) {
                referee.begin(process, 0);
            }
        }
        assertThat(referee.running(0)).isEqualTo(6 * 255);
        assertThat(referee.max(0)).isEqualTo(6 * 255);
        assertThatThrownBy(() -> referee.begin(2, 0)).hasMessageContaining("more than 255");
        referee.forget(2);
        assertThat(referee.running(2, 0)).isZero();
        assertThat(referee.running(3, 0)).isEqualTo(255);
    }

    @Test
    void moreEndsThanBeginsAreReported() {
        referee.begin(0, 0);
        assertThatThrownBy(() -> referee.end(1, 0)).hasMessageContaining("process 1 runs no task of group 0");
    }

    @Test
    void takenMaxLooksAtWhatFollows() {
        referee.begin(0, 0);
        referee.begin(0, 0);
        referee.end(0, 0);
        assertThat(referee.takeMax(0)).isEqualTo(2);
        assertThat(referee.max(0)).isEqualTo(1);
        assertThat(referee.running(0)).isEqualTo(1);
    }

    @Test
    void threadsLoseNoCount() {
        try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
            for (int process = 0; process < 4; process++) {
                int number = process;
                threads.submit(() -> {
                    for (int i = 0; i < 20_000; i++) {
                        referee.begin(number, 0);
                        referee.end(number, 0);
                    }
                });
            }
        }
        assertThat(referee.running(0)).isZero();
        assertThat(referee.begun(0)).isEqualTo(80_000);
        assertThat(referee.max(0)).isBetween(1, 4);
    }
}
