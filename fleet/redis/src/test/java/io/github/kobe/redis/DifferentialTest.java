package io.github.kobe.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.fleet.FleetPush;
import io.github.kobe.fleet.FleetReply;
import io.github.kobe.fleet.FleetRequest;
import io.github.kobe.fleet.ReferenceShard;
import io.github.kobe.redis.kit.RedisBinary;
import io.github.kobe.redis.kit.RedisServer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Do the scripts give the same answers, send the same pushes, and leave the same state as the specification in the core?
 *
 * <p>{@code -Dfleet.differential.seed=} and {@code -Dfleet.differential.sequences=} run others than those of the build.
 */
class DifferentialTest {

    private static final long FIRST_SEED = Long.getLong("fleet.differential.seed", 1);
    private static final int SEQUENCES = Integer.getInteger("fleet.differential.sequences", 20);
    private static final int CALLS = 250;
    private static final int CALLS_BETWEEN_DUMPS = 10;

    static Stream<RedisBinary> servers() {
        return RedisBinary.all();
    }

    @ParameterizedTest
    @MethodSource("servers")
    void scriptsDoWhatTheSpecificationDoes(RedisBinary binary) throws Exception {
        Map<String, Integer> seen = new HashMap<>();
        try (RedisServer redis = RedisServer.builder().binary(binary).start();
                SettableShard shard = new SettableShard(redis)) {
            for (long seed = FIRST_SEED; seed < FIRST_SEED + SEQUENCES; seed++) {
                compare(seed, shard, seen);
            }
        }
        assertThat(seen.keySet())
                .as("the calls were not all of one kind: %s", seen)
                .contains(
                        "Joined",
                        "Exchanged",
                        "Rejoin",
                        "Old",
                        "Refused",
                        "Reaped",
                        "Configured",
                        "Picture",
                        "push",
                        "learning",
                        "expired",
                        "debt",
                        "target",
                        "paused",
                        "restart",
                        "loss");
    }

    private static void compare(long seed, SettableShard shard, Map<String, Integer> seen) {
        RandomCalls calls = new RandomCalls(seed);
        ReferenceShard reference = new ReferenceShard();
        shard.loseData();
        long time = 1_700_000_000_000L;
        String run = "run-" + seed;
        shard.setRun(run);
        List<String> history = new ArrayList<>();
        for (int i = 0; i < CALLS; i++) {
            time += calls.timeStep();
            shard.setTime(time);
            if (calls.restarts()) {
                run = "run-" + seed + "-" + i;
                shard.setRun(run);
                count("restart", seen);
            }
            if (calls.losesData()) {
                shard.loseData();
                reference = new ReferenceShard();
                count("loss", seen);
            }
            FleetRequest request = calls.next();
            history.add(time + " " + run + " " + request);
            ReferenceShard.Result expected = reference.call(request, time, run);
            FleetReply reply = shard.call(request);
            String about = "seed " + seed + ", call " + i + ":\n"
                    + String.join("\n", history.subList(Math.max(0, history.size() - 20), history.size()));
            assertThat(reply).as(about).isEqualTo(expected.reply());
            assertThat(sorted(shard.takePushes(expected.pushes().size())))
                    .as(about)
                    .isEqualTo(sorted(expected.pushes()));
            if (i % CALLS_BETWEEN_DUMPS == 0 || i == CALLS - 1) {
                assertThat(shard.dump()).as(about).isEqualTo(reference.dump());
            }
            calls.answered(request, reply);
            count(request, reply, expected.pushes(), seen);
        }
    }

    private static List<FleetPush> sorted(List<FleetPush> pushes) {
        return pushes.stream()
                .sorted(Comparator.comparing(FleetPush::session).thenComparing(FleetPush::number))
                .toList();
    }

    private static void count(
            FleetRequest request, FleetReply reply, List<FleetPush> pushes, Map<String, Integer> seen) {
        count(reply.getClass().getSimpleName(), seen);
        pushes.forEach(push -> count("push", seen));
        if (reply instanceof FleetReply.Exchanged exchanged) {
            if (exchanged.learning() > 0) {
                count("learning", seen);
            }
            if (!exchanged.expired().isEmpty()) {
                count("expired", seen);
            }
            exchanged.grants().forEach(grant -> {
                if (grant.paused()) {
                    count("paused", seen);
                } else if (grant.target() >= 0) {
                    count("target", seen);
                }
            });
            ((FleetRequest.Exchange) request)
                    .claims().stream()
                            .filter(claim -> claim.used() > claim.keep())
                            .forEach(claim -> count("debt", seen));
        }
    }

    private static void count(String what, Map<String, Integer> seen) {
        seen.merge(what, 1, Integer::sum);
    }
}
