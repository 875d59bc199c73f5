package io.github.kobe.redis.proof;

import io.github.kobe.SharedLimit;
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
    /** A shared limit of the fleet, over {@link #SMALL} and {@link #LARGE}: less than the sum of the two. */
    SHARED(9, 0, Duration.ZERO),
    /** The total limit of the fleet: less than the sum of the others. */
    ALL(14, 0, Duration.ZERO);

    /** The name of the shared limit, and of its only value. */
    private static final String SHARED_NAME = "size";

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
        return Stream.of(values()).filter(group -> group.load > 0).toList();
    }

    /** The shared limit, for a policy. */
    static SharedLimit sharedLimit() {
        return SharedLimit.by(
                        SHARED_NAME,
                        key -> valueOf(key.toUpperCase(Locale.ROOT)).isShared() ? SHARED_NAME : null)
                .max(SHARED.limit)
                .acrossFleet();
    }

    /** Whether it is under the shared limit. */
    boolean isShared() {
        return this == SMALL || this == LARGE;
    }

    /** The key of the group; of a limit over several groups, its name in the store. */
    String key() {
        return switch (this) {
            case ALL -> "";
            case SHARED -> "~4:" + SHARED_NAME + ":" + SHARED_NAME;
            default -> name().toLowerCase(Locale.ROOT);
        };
    }

    static Referee referee(Path file) {
        return Referee.open(file, values().length);
    }
}
