package io.github.kobe.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.fleet.Claim;
import io.github.kobe.fleet.FleetPush;
import io.github.kobe.fleet.FleetReply;
import io.github.kobe.fleet.FleetReply.Configured;
import io.github.kobe.fleet.FleetReply.Exchanged;
import io.github.kobe.fleet.FleetReply.Joined;
import io.github.kobe.fleet.FleetReply.Old;
import io.github.kobe.fleet.FleetReply.Reaped;
import io.github.kobe.fleet.FleetReply.Refused;
import io.github.kobe.fleet.FleetReply.Rejoin;
import io.github.kobe.fleet.FleetReply.Snapshot;
import io.github.kobe.fleet.FleetRequest;
import io.github.kobe.fleet.FleetRequest.Bye;
import io.github.kobe.fleet.FleetRequest.Configure;
import io.github.kobe.fleet.FleetRequest.Exchange;
import io.github.kobe.fleet.FleetRequest.Hello;
import io.github.kobe.fleet.FleetRequest.Look;
import io.github.kobe.fleet.FleetRequest.Reap;
import io.github.kobe.fleet.FleetRequest.Setting;
import io.github.kobe.fleet.Grant;
import io.github.kobe.redis.kit.RedisServer;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Do the scripts keep the rules of time, loss, sequence numbers and versions? {@link ScriptComparisonTest} compares the rest. */
class ScriptRulesTest {

    private static final long START = 1_700_000_000_000L;
    private static final long TTL = 1000;

    private static RedisServer redis;
    private static ScriptShard shard;

    private long time;

    @BeforeAll
    static void start() throws InterruptedException {
        redis = RedisServer.start();
        shard = ScriptShard.settable(redis);
    }

    @AfterAll
    static void stop() throws InterruptedException {
        shard.close();
        redis.close();
    }

    @BeforeEach
    void begin() {
        shard.loseData();
        shard.setRun("first");
        time = START;
        shard.setTime(time);
        shard.takePushes();
    }

    private void pass(long millis) {
        time += millis;
        shard.setTime(time);
    }

    /** Lets time pass as a fleet sees it: with a call now and then, so that the clock can follow. */
    private void passWithHeartbeats(long millis, String session, long firstSeq, String incarnation) {
        long seq = firstSeq;
        for (long left = millis; left > 0; left -= TTL / 8) {
            pass(Math.min(left, TTL / 8));
            shard.call(new Exchange(session, seq++, incarnation, true, List.of()));
        }
    }

    private static Hello hello(String session, boolean founding) {
        return new Hello(session, 1, "node of " + session, TTL, 0, 1, founding);
    }

    private static String join(String session) {
        return ((Joined) shard.call(hello(session, true))).incarnation();
    }

    private static Exchange claim(String session, long seq, String incarnation, String group, int keep, int wanted) {
        return new Exchange(session, seq, incarnation, true, List.of(new Claim(group, 4, 0, keep, keep, 0, wanted, 0)));
    }

    private static Grant grantOf(FleetReply reply) {
        return ((Exchanged) reply).grants().getFirst();
    }

    private static long expiresIn(String session) {
        Snapshot snapshot = (Snapshot) shard.call(new Look(List.of(), List.of()));
        return snapshot.sessions().stream()
                .filter(s -> s.session().equals(session))
                .findFirst()
                .orElseThrow()
                .expiresIn();
    }

    // ---- time -------------------------------------------------------------------------------------------------

    @Test
    void silentSessionExpiresAfterTheTtl() {
        String incarnation = join("a");
        shard.call(hello("b", true));
        shard.call(claim("b", 2, incarnation, "acme", 0, 4));
        passWithHeartbeats(TTL - 1, "a", 2, incarnation);
        assertThat(shard.call(new Reap(incarnation, "b", List.of()))).isEqualTo(new Reaped(true, List.of()));

        pass(1);
        assertThat(((Exchanged) shard.call(new Exchange("a", 100, incarnation, true, List.of()))).expired())
                .isEqualTo("b");
        assertThat(shard.call(new Reap(incarnation, "b", List.of()))).isEqualTo(new Reaped(false, List.of("acme")));
        assertThat(shard.call(claim("b", 3, incarnation, "acme", 4, 4))).isEqualTo(new Rejoin(incarnation));
        assertThat(shard.call(new Reap(incarnation, "b", List.of("acme")))).isEqualTo(new Reaped(false, List.of()));
        assertThat(shard.keys()).doesNotContain("session:b", "groups:b", "group:acme");
    }

    @Test
    void reclaimAfterKeepsThePermitsOfALostNodeLonger() {
        String incarnation = join("a");
        shard.call(new Hello("b", 1, "b", TTL, 500, 1, true));
        passWithHeartbeats(TTL + 499, "a", 2, incarnation);
        assertThat(expiresIn("b")).isEqualTo(1);
        assertThat(shard.call(new Reap(incarnation, "b", List.of()))).isEqualTo(new Reaped(true, List.of()));
    }

    @Test
    void gapCountsAsAQuarterOfTheTtl() {
        String incarnation = join("a");
        pass(TTL * 100);
        Exchanged answer = (Exchanged) shard.call(new Exchange("a", 2, incarnation, true, List.of()));
        assertThat(answer.expired()).isEmpty();
        shard.call(hello("b", true));
        pass(TTL * 100);
        shard.call(new Exchange("a", 3, incarnation, true, List.of()));
        assertThat(expiresIn("b")).isEqualTo(TTL - TTL / 4);
    }

    @Test
    void timeThatIsSetBackDoesNotSetTheClockBack() {
        String incarnation = join("a");
        shard.call(hello("b", true));
        pass(100);
        shard.call(new Exchange("a", 2, incarnation, true, List.of()));
        pass(-5000);
        shard.call(new Exchange("a", 3, incarnation, true, List.of()));
        assertThat(expiresIn("b")).isEqualTo(TTL - 100);
        pass(50);
        shard.call(new Exchange("a", 4, incarnation, true, List.of()));
        assertThat(expiresIn("b")).isEqualTo(TTL - 150);
    }

    @Test
    void ttlIsTheLongestOfAllSessions() {
        join("a");
        shard.call(new Hello("b", 1, "b", 3 * TTL, 0, 1, true));
        assertThat(expiresIn("b")).isEqualTo(3 * TTL);
        shard.call(new Hello("c", 1, "c", TTL, 0, 1, true));
        assertThat(expiresIn("c")).isEqualTo(3 * TTL);
    }

    @Test
    void lookDoesNotMoveTheClock() {
        join("a");
        List<String> before = shard.dump();
        pass(100);
        assertThat(expiresIn("a")).isEqualTo(TTL);
        assertThat(shard.dump()).isEqualTo(before);
    }

    // ---- loss -------------------------------------------------------------------------------------------------

    @Test
    void emptyStoreLearnsForOneTtl() {
        Joined joined = (Joined) shard.call(hello("a", false));
        assertThat(joined.learning()).isEqualTo(TTL);
        assertThat(joined.incarnation()).isEqualTo("first/" + START);
        assertThat(grantOf(shard.call(claim("a", 2, joined.incarnation(), "acme", 0, 4)))
                        .granted())
                .isZero();

        passWithHeartbeats(TTL - 1, "a", 3, joined.incarnation());
        assertThat(grantOf(shard.call(claim("a", 100, joined.incarnation(), "acme", 0, 4)))
                        .granted())
                .isZero();
        pass(1);
        assertThat(grantOf(shard.call(claim("a", 101, joined.incarnation(), "acme", 0, 4)))
                        .granted())
                .isEqualTo(4);
    }

    @Test
    void nobodyIsDeclaredDeadWhileTheStoreLearns() {
        Joined joined = (Joined) shard.call(hello("a", false));
        shard.call(new Hello("c", 1, "c", 2 * TTL, 0, 1, false)); // prolongs learning
        passWithHeartbeats(TTL + TTL / 2, "c", 2, joined.incarnation());
        assertThat(expiresIn("a")).isNegative();
        assertThat(shard.call(new Reap(joined.incarnation(), "a", List.of()))).isEqualTo(new Reaped(true, List.of()));
    }

    @Test
    void newFleetNeedsNotLearn() {
        assertThat(((Joined) shard.call(hello("a", true))).learning()).isZero();
    }

    @Test
    void otherRunIdAnswersRejoinUntilAHello() {
        String incarnation = join("a");
        shard.call(claim("a", 2, incarnation, "acme", 0, 3));
        shard.setRun("second");
        List<String> before = shard.dump();
        assertThat(shard.call(claim("a", 3, incarnation, "acme", 0, 3))).isEqualTo(new Rejoin(""));
        assertThat(shard.call(new Reap(incarnation, "a", List.of()))).isEqualTo(new Rejoin(""));
        assertThat(shard.call(new Bye("a", 3, incarnation))).isEqualTo(new Rejoin(""));
        assertThat(shard.call(new Configure("acme", Setting.LIMIT, 3, 1))).isEqualTo(new Rejoin(""));
        assertThat(shard.dump()).isEqualTo(before);

        pass(10);
        Joined joined = (Joined) shard.call(hello("b", true));
        assertThat(joined.incarnation()).isEqualTo("second/" + time);
        assertThat(joined.learning()).as("also a fleet that calls itself new").isEqualTo(TTL);
        assertThat(joined.nodes()).isEqualTo(2);
        assertThat(shard.call(claim("a", 4, incarnation, "acme", 0, 3))).isEqualTo(new Rejoin(joined.incarnation()));
        assertThat(shard.dump()).anyMatch(line -> line.startsWith("entry acme a "));
    }

    @Test
    void otherNumberOfShardsIsRefused() {
        join("a");
        assertThat(shard.call(new Hello("b", 1, "b", TTL, 0, 4, true)))
                .isEqualTo(new Refused("the fleet has 1 shards, but the node has 4"));
    }

    @Test
    void callsWithoutDataChangeNothing() {
        assertThat(shard.call(new Exchange("a", 1, "none/1", true, List.of()))).isEqualTo(new Rejoin(""));
        assertThat(shard.call(new Bye("a", 1, "none/1"))).isEqualTo(new Rejoin(""));
        assertThat(shard.call(new Reap("none/1", "a", List.of()))).isEqualTo(new Rejoin(""));
        assertThat(shard.call(new Look(List.of("a"), List.of("acme"))))
                .isEqualTo(new Snapshot("", 0, 0, List.of(), List.of()));
        assertThat(shard.keys()).isEmpty();
    }

    // ---- sequence numbers -------------------------------------------------------------------------------------

    @Test
    void duplicateAndLateCallsChangeNothing() {
        String incarnation = join("a");
        shard.call(claim("a", 7, incarnation, "acme", 0, 3));
        List<String> before = shard.dump();
        for (long late : new long[] {7, 6, 1, 0}) {
            assertThat(shard.call(claim("a", late, incarnation, "acme", 0, 0))).isEqualTo(new Old(7));
        }
        assertThat(shard.call(new Bye("a", 7, incarnation))).isEqualTo(new Old(7));
        assertThat(shard.call(hello("a", true))).isEqualTo(new Old(7));
        assertThat(shard.dump()).isEqualTo(before);
    }

    @Test
    void sequenceNumbersHave64Bits() {
        String incarnation = join("a");
        long large = Long.MAX_VALUE - 2;
        shard.call(claim("a", large, incarnation, "acme", 0, 3));
        assertThat(shard.call(claim("a", large, incarnation, "acme", 0, 0))).isEqualTo(new Old(large));
        assertThat(grantOf(shard.call(claim("a", large + 1, incarnation, "acme", 3, 3)))
                        .granted())
                .isEqualTo(3);
        shard.call(hello("b", true));
        shard.call(claim("b", 2, incarnation, "acme", 0, 4));
        assertThat(shard.takePushes().getFirst().grants())
                .extracting(Grant::seq)
                .containsExactly(large + 1);
    }

    // ---- configuration ----------------------------------------------------------------------------------------

    private static int limitAfter(String session, long seq, String incarnation, int limit, long version) {
        return grantOf(shard.call(new Exchange(
                        session, seq, incarnation, true, List.of(new Claim("acme", limit, version, 0, 0, 0, 1, 0)))))
                .limit();
    }

    @Test
    void newerVersionOfALimitWins() {
        String incarnation = join("a");
        assertThat(limitAfter("a", 2, incarnation, 10, 5)).isEqualTo(10);
        assertThat(limitAfter("a", 3, incarnation, 20, 4)).as("older").isEqualTo(10);
        assertThat(limitAfter("a", 4, incarnation, 8, 5))
                .as("same version, lower")
                .isEqualTo(8);
        assertThat(limitAfter("a", 5, incarnation, 9, 5))
                .as("same version, higher: nobody else has said less")
                .isEqualTo(9);
        assertThat(limitAfter("a", 6, incarnation, 30, 10))
                .as("newer, with more digits")
                .isEqualTo(30);
        assertThat(limitAfter("a", 7, incarnation, 40, Long.MAX_VALUE)).isEqualTo(40);
        assertThat(limitAfter("a", 8, incarnation, 50, Long.MAX_VALUE - 1)).isEqualTo(40);
    }

    @Test
    void liveSettingsOverrideUntilTheyAreUnset() {
        String incarnation = join("a");
        assertThat(shard.call(new Configure("acme", Setting.LIMIT, 2, 9))).isEqualTo(new Configured(true, 9));
        assertThat(shard.call(new Configure("acme", Setting.LIMIT, 3, 9))).isEqualTo(new Configured(false, 9));
        assertThat(shard.call(new Configure("acme", Setting.LIMIT, 3, 8))).isEqualTo(new Configured(false, 9));
        assertThat(grantOf(shard.call(claim("a", 2, incarnation, "acme", 0, 4))).granted())
                .isEqualTo(2);
        assertThat(shard.call(new Configure("acme", Setting.LIMIT, FleetRequest.UNSET, 10)))
                .isEqualTo(new Configured(true, 10));
        FleetPush push = shard.takePushes().getFirst();
        assertThat(push).isEqualTo(new FleetPush("a", 1, List.of(new Grant("acme", 2, 4, -1, 4, false))));
    }

    @Test
    void pauseTellsEveryNode() {
        String incarnation = join("a");
        shard.call(hello("b", true));
        shard.call(claim("a", 2, incarnation, "acme", 0, 2));
        shard.call(claim("b", 2, incarnation, "acme", 0, 2));
        shard.call(new Configure("acme", Setting.PAUSED, 1, 1));
        assertThat(shard.takePushes())
                .extracting(FleetPush::session, p -> p.grants().getFirst().paused())
                .containsExactlyInAnyOrder(
                        org.assertj.core.groups.Tuple.tuple("a", true), org.assertj.core.groups.Tuple.tuple("b", true));
        assertThat(grantOf(shard.call(claim("a", 3, incarnation, "acme", 2, 4))))
                .isEqualTo(new Grant("acme", 3, 2, 0, 4, true));
    }

    // ---- what is left -----------------------------------------------------------------------------------------

    @Test
    void idleGroupsLeaveNothing() {
        String incarnation = join("a");
        int groups = 10_000;
        long seq = 1;
        for (int wanted : new int[] {1, 0}) {
            for (int first = 0; first < groups; first += FleetRequest.MAX_GROUPS) {
                List<Claim> claims = IntStream.range(first, Math.min(groups, first + FleetRequest.MAX_GROUPS))
                        .mapToObj(i -> new Claim("group " + i, 4, 0, 1, 0, 0, wanted, 0))
                        .toList();
                shard.call(new Exchange("a", ++seq, incarnation, true, claims));
            }
            long keys = shard.keys().stream()
                    .filter(key -> key.startsWith("group:"))
                    .count();
            assertThat(keys).isEqualTo(wanted == 1 ? groups : 0);
        }
        assertThat(shard.keys()).containsExactlyInAnyOrder("meta", "sessions", "nodes", "session:a");
    }

    @Test
    void deadSessionWithManyGroupsIsReapedInParts() {
        String incarnation = join("a");
        List<Claim> claims = new ArrayList<>();
        for (int i = 0; i < 150; i++) {
            claims.add(new Claim("group " + i, 4, 0, 0, 0, 0, 1, 0));
        }
        shard.call(new Exchange("a", 2, incarnation, true, claims.subList(0, 64)));
        shard.call(new Exchange("a", 3, incarnation, true, claims.subList(64, 128)));
        shard.call(new Exchange("a", 4, incarnation, true, claims.subList(128, 150)));

        Reaped left = (Reaped) shard.call(new Bye("a", 5, incarnation));
        List<Integer> parts = new ArrayList<>();
        while (!left.groups().isEmpty()) {
            parts.add(left.groups().size());
            left = (Reaped) shard.call(new Reap(incarnation, "a", left.groups()));
        }
        assertThat(parts).containsExactly(64, 64, 22);
        assertThat(shard.keys()).containsExactly("meta");
    }

    @Test
    void onlyMetaAndConfigRemainAfterTheLastBye() {
        String incarnation = join("a");
        shard.call(new Configure("acme", Setting.LIMIT, 2, 1));
        shard.call(claim("a", 2, incarnation, "acme", 0, 1));
        Reaped left = (Reaped) shard.call(new Bye("a", 3, incarnation));
        assertThat(left.groups()).containsExactly("acme");
        shard.call(new Reap(incarnation, "a", left.groups()));
        assertThat(shard.keys()).containsExactly("config", "meta");
    }
}
