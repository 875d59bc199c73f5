package io.github.kobe.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.fleet.FleetPush;
import io.github.kobe.fleet.FleetRequest;
import io.github.kobe.fleet.StoreComparison;
import io.github.kobe.redis.kit.RedisBinary;
import io.github.kobe.redis.kit.RedisServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Do the scripts give the same answers, send the same pushes, and leave the same data as the specification in the core? And would a wrong script be found?
 *
 * <p>{@code -Dfleet.comparison.seed=} and {@code -Dfleet.comparison.sequences=} run others than those of the build.
 */
class ScriptComparisonTest {

    private static final long FIRST_SEED = Long.getLong("fleet.comparison.seed", 1);
    private static final int SEQUENCES = Integer.getInteger("fleet.comparison.sequences", 20);
    private static final int CALLS = 250;

    private static RedisServer embedded;

    @BeforeAll
    static void start() {
        embedded = RedisServer.start();
    }

    @AfterAll
    static void stop() {
        embedded.close();
    }

    /** A shard in Redis, with the time and the run id of the server. */
    private record Subject(ScriptShard shard, String run) implements StoreComparison.Subject {

        @Override
        public StoreComparison.Answer call(FleetRequest request) {
            var reply = shard.call(request);
            return new StoreComparison.Answer(reply, Long.parseLong(shard.meta("time", "0")), run);
        }

        @Override
        public List<FleetPush> pushes(int expected) {
            return shard.takePushes();
        }

        @Override
        public void age(long millis) {
            shard.changeMeta("time", time -> Long.toString(Long.parseLong(time) - millis));
        }

        @Override
        public void setRun(String other) {
            shard.changeMeta("run", before -> other);
        }

        @Override
        public void clear() {
            shard.loseData();
        }

        @Override
        public List<String> dump() {
            return shard.dump();
        }
    }

    private static Subject subject(ScriptShard shard, RedisServer redis) {
        return new Subject(shard, redis.runId());
    }

    static Stream<RedisBinary> servers() {
        return RedisBinary.all();
    }

    @ParameterizedTest
    @MethodSource("servers")
    void scriptsDoWhatTheSpecificationDoes(RedisBinary binary) throws Exception {
        Map<String, Integer> replies = new TreeMap<>();
        try (RedisServer redis = RedisServer.builder().binary(binary).start();
                ScriptShard shard = ScriptShard.real(redis, UnaryOperator.identity())) {
            for (long seed = FIRST_SEED; seed < FIRST_SEED + SEQUENCES; seed++) {
                StoreComparison.run(seed, CALLS, subject(shard, redis))
                        .forEach((kind, number) -> replies.merge(kind, number, Integer::sum));
            }
        }
        assertThat(replies)
                .as("every kind of answer")
                .containsOnlyKeys(
                        "Configured",
                        "Exchanged",
                        "Granted",
                        "Joined",
                        "Old",
                        "Snapshot",
                        "Reaped",
                        "Refused",
                        "Rejoin");
    }

    /** Each line breaks a rule: what it is, the right text of a script, and the wrong one. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
                    a gap counts in full             | math.floor(meta.ttl / 4)             | math.floor(meta.ttl * 4)
                    a restart is not noticed         | if meta.run == server_run() then     | if true then
                    no learning after data was lost  | begin(founding and 0 or ttl)         | begin(0)
                    sequence numbers are ignored     | if not larger(seq, session.seq) then | if false then
                    grants go beyond the limit       | local free = limit - sum_of(entries  | local free = limit + 1 - sum_of(entries
                    unheard grants are lost          | if unheard > 0                       | if false
                    debts are not settled            | if group.entries[i].debt > 0 then    | if false then
                    permits do not go round          | math.max(0, starved - free)          | 0
                    a grant does not end the waiting | e.granted + each, next_turn(group)   | e.granted + each, e.turn
                    a lower limit is not adopted     | or limit < lowest                    | or false
                    an older limit counts            | e.limit, e.changed = 0, true         | e.changed = true
                    the limit of a lost node remains | plan(meta, group, '', limit_of(group) ~= limit_before) | plan(meta, group, '', false)
                    a new limit is not told          | limit_of(group) ~= limit_before      | false
                    a dead session goes on           | if not session or session.dead then  | if not session then
                    the living are reaped            | > meta.clock then                    | > meta.clock + 5000 then
                    settings are not told            | plan(meta, group, '', true)          | plan(meta, group, '', false)
                    pushes are not counted           | redis.call('HINCRBY', PUSHED, session, 1) | 1
                    permits are not saved for costs  | if saves_for then                    | if false then
                    a saver never waits again        | if saves_for.granted == saves_for.least then | if false then
                    others keep what is saved        | limit - first.least                  | limit
                    a removed entry stays            | if #group.removed > 0 then           | if false then
                    """)
    void wrongScriptIsFound(String rule, String right, String wrong) throws Exception {
        List<String> edited = new ArrayList<>();
        try (ScriptShard shard = ScriptShard.real(embedded, part -> {
            if (part.contains(right)) {
                edited.add(rule);
            }
            return part.replace(right, wrong);
        })) {
            assertThat(edited).as("the scripts contain: %s", right).isNotEmpty();
            assertThatThrownBy(() -> {
                        for (long seed = 1; seed < 100; seed++) {
                            StoreComparison.run(seed, CALLS, subject(shard, embedded));
                        }
                    })
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("differs");
        }
    }
}
