package io.github.kobe.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Do the scripts give the same answers, send the same pushes, and leave the same state as the specification in the core? And would a wrong script be found?
 *
 * <p>{@code -Dfleet.differential.seed=} and {@code -Dfleet.differential.sequences=} run others than those of the build.
 */
class DifferentialTest {

    private static final long FIRST_SEED = Long.getLong("fleet.differential.seed", 1);
    private static final int SEQUENCES = Integer.getInteger("fleet.differential.sequences", 20);
    private static final int CALLS = 250;
    private static final int CALLS_BETWEEN_DUMPS = 10;

    private static RedisServer embedded;

    @BeforeAll
    static void start() {
        embedded = RedisServer.start();
    }

    @AfterAll
    static void stop() {
        embedded.close();
    }

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

    /** Each line breaks a rule: what it is, the right text of a script, and the wrong one. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
                    a gap counts in full             | math.floor(meta.ttl / 4)               | math.floor(meta.ttl * 4)
                    the clock is set back            | math.max(0, math.min(now - meta.time   | math.max(-9e15, math.min(now - meta.time
                    a restart is not noticed         | if meta.run == server_run() then       | if true then
                    no learning after data was lost  | begin(founding and 0 or ttl)           | begin(0)
                    sequence numbers are ignored     | if not larger(seq, session.seq) then   | if false then
                    numbers of 64 bits are rounded   | if #a ~= #b then                       | do return tonumber(a) > tonumber(b) end if false then
                    grants go beyond the limit       | local free = limit - sum_of(entries    | local free = limit + 1 - sum_of(entries
                    unheard grants are lost          | if unheard > 0                         | if false
                    debts are not settled            | if group.entries[i].debt > 0 then      | if false then
                    permits do not go round          | math.max(0, starved - free)            | 0
                    a grant does not end the waiting | e.granted + each, next_turn(group)     | e.granted + each, e.turn
                    a lower limit is not adopted     | math.min(group.limit, limit)           | group.limit
                    a dead session goes on           | if not session or session.dead then    | if not session then
                    the living are reaped            | > meta.clock then                      | > meta.clock + 50 then
                    settings are not told            | plan(meta, group, '', true)            | plan(meta, group, '', false)
                    pushes are not counted           | redis.call('HINCRBY', PUSHED, session, 1) | 1
                    a removed entry stays            | if #group.removed > 0 then             | if false then
                    """)
    void wrongScriptIsFound(String rule, String right, String wrong) throws Exception {
        List<String> edited = new ArrayList<>();
        try (SettableShard shard = new SettableShard(embedded, part -> {
            if (part.contains(right)) {
                edited.add(rule);
            }
            return part.replace(right, wrong);
        })) {
            assertThat(edited).as("the scripts contain: %s", right).isNotEmpty();
            assertThatThrownBy(() -> {
                        for (long seed = 1; seed < 100; seed++) {
                            compare(seed, shard, new HashMap<>());
                        }
                    })
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("seed ");
        }
    }

    private record Call(long time, String run, FleetRequest request) {}

    private static void compare(long seed, SettableShard shard, Map<String, Integer> seen) {
        RandomCalls calls = new RandomCalls(seed);
        ReferenceShard reference = new ReferenceShard();
        shard.loseData();
        long time = 1_700_000_000_000L;
        String run = "run-" + seed;
        shard.setRun(run);
        List<Call> history = new ArrayList<>();
        Supplier<String> about = () -> "seed " + seed + ", call " + history.size() + ":\n"
                + history.subList(Math.max(0, history.size() - 20), history.size()).stream()
                        .map(Call::toString)
                        .collect(Collectors.joining("\n"));
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
            history.add(new Call(time, run, request));
            ReferenceShard.Result expected = reference.call(request, time, run);
            FleetReply reply = shard.call(request);
            assertThat(reply).as(about).isEqualTo(expected.reply());
            assertThat(sorted(shard.takePushes())).as(about).isEqualTo(sorted(expected.pushes()));
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
