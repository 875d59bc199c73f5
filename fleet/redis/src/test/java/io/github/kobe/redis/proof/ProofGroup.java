package io.github.kobe.redis.proof;

import io.github.kobe.redis.kit.Referee;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** The groups that the JVMs of a proof compete for. The number of one is its place in the referee. */
enum ProofGroup {
    /** One permit, which all nodes want. */
    SINGLE(1, 2, Duration.ofMillis(2)),
    SMALL(4, 3, Duration.ofMillis(5)),
    LARGE(10, 8, Duration.ofMillis(20)),
    /** Its tasks are about as long as a lease: they run on while a node is cut off. */
    SLOW(3, 2, Duration.ofMillis(800)),
    /** The total limit of the fleet: less than the sum of the others. */
    ALL(14, 0, Duration.ZERO);

    final int limit;
    /** So many tasks are queued or run in each JVM. */
    final int load;

    final Duration taskTime;

    ProofGroup(int limit, int load, Duration taskTime) {
        this.limit = limit;
        this.load = load;
        this.taskTime = taskTime;
    }

    /** Those that tasks are submitted to. */
    static List<ProofGroup> ofTasks() {
        return Stream.of(values()).filter(group -> group != ALL).toList();
    }

    /** The name in the store. The total limit has none. */
    String key() {
        return this == ALL ? "" : name().toLowerCase(Locale.ROOT);
    }

    static Referee referee(Path file) {
        return Referee.open(file, values().length);
    }
}
