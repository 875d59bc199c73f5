package io.github.kobe.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.github.kobe.fleet.FleetReply.Configured;
import io.github.kobe.fleet.FleetReply.Exchanged;
import io.github.kobe.fleet.FleetReply.Granted;
import io.github.kobe.fleet.FleetReply.Joined;
import io.github.kobe.fleet.FleetReply.Old;
import io.github.kobe.fleet.FleetReply.Reaped;
import io.github.kobe.fleet.FleetReply.Refused;
import io.github.kobe.fleet.FleetReply.Rejoin;
import io.github.kobe.fleet.FleetReply.Snapshot;
import io.github.kobe.fleet.FleetRequest.Bye;
import io.github.kobe.fleet.FleetRequest.Configure;
import io.github.kobe.fleet.FleetRequest.Exchange;
import io.github.kobe.fleet.FleetRequest.Hello;
import io.github.kobe.fleet.FleetRequest.Look;
import io.github.kobe.fleet.FleetRequest.Reap;
import io.github.kobe.fleet.FleetRequest.Setting;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Does a shard execute calls as {@code docs/design/fleet.md} says? */
class ShardStateTest {

    private static final int ALL = Integer.MAX_VALUE; // the node knows all that it was granted

    private static final long TTL = 1_000;

    private final ShardState shard = new ShardState();
    private final List<FleetPush> pushes = new ArrayList<>();
    private long time = 5_000;
    private String run = "r1";
    private long seq;

    private FleetReply call(FleetRequest request) {
        ShardState.Result result = shard.call(request, time, run);
        pushes.clear();
        pushes.addAll(result.pushes());
        return result.reply();
    }

    private FleetReply hello(String session) {
        return call(new Hello(session, ++seq, "node of " + session, TTL, 0, 1, true));
    }

    private void join(String... sessions) {
        for (String session : sessions) {
            assertThat(hello(session)).isInstanceOf(Joined.class);
        }
    }

    private FleetReply exchange(String session, Claim... claims) {
        return call(new Exchange(session, ++seq, shard.incarnation, true, List.of(claims)));
    }

    private Grant claim(String session, int keep, int wanted) {
        return claim(session, new Claim("g", 10, 1, ALL, keep, keep, wanted, 0));
    }

    private Grant claim(String session, Claim claim) {
        return ((Exchanged) exchange(session, claim)).grants().getFirst();
    }

    private void pass(long millis) {
        for (long left = millis; left > 0; left -= TTL / 8) {
            time += Math.min(left, TTL / 8);
            exchange("observer");
        }
    }

    // ---- sessions and incarnations ----------------------------------------------------------------------------

    @Test
    void emptyStoreLearnsForOneTtl() {
        Joined joined = (Joined) call(new Hello("a", 1, "n", TTL, 0, 1, false));
        assertThat(joined).isEqualTo(new Joined("r1/5000", TTL, 1));
        seq = 1;
        assertThat(claim("a", 0, 5).granted()).isZero();
        time += TTL / 4;
        assertThat(((Exchanged) exchange("a")).learning()).isEqualTo(TTL * 3 / 4);
        for (int i = 0; i < 3; i++) {
            time += TTL / 4;
            exchange("a");
        }
        assertThat(claim("a", 0, 5).granted()).isEqualTo(5);
    }

    @Test
    void foundingNodeNeedNotLearn() {
        assertThat(hello("a")).isEqualTo(new Joined("r1/5000", 0, 1));
    }

    @Test
    void restartedServerBeginsAnIncarnationWithTheNextHello() {
        join("a", "b");
        claim("a", 0, 6);
        run = "r2";
        time += 10;
        assertThat(exchange("a")).isEqualTo(new Rejoin(""));
        assertThat(call(new Hello("c", ++seq, "n", TTL, 0, 1, true))).isEqualTo(new Joined("r2/5010", TTL, 3));
        assertThat(call(new Exchange("a", ++seq, "r1/5000", true, List.of()))).isEqualTo(new Rejoin("r2/5010"));
        assertThat(claim("c", 3, 5).granted()).as("stated while learning").isEqualTo(3);
        assertThat(shard.groups.get("g").granted()).isEqualTo(9);
    }

    @Test
    void lostDataMeansRejoin() {
        assertThat(call(new Exchange("a", 1, "r1/1", true, List.of()))).isEqualTo(new Rejoin(""));
        assertThat(call(new Bye("a", 1, "r1/1"))).isEqualTo(new Rejoin(""));
        assertThat(call(new Reap("r1/1", "a", List.of()))).isEqualTo(new Rejoin(""));
        assertThat(call(new Configure("g", Setting.LIMIT, 3, 1))).isEqualTo(new Rejoin(""));
    }

    @Test
    void nodeWithAnotherNumberOfShardsIsRefused() {
        join("a");
        assertThat(call(new Hello("b", 9, "n", TTL, 0, 4, false)))
                .isEqualTo(new Refused("the fleet has 1 shards, but the node has 4"));
    }

    @Test
    void ttlIsThatOfTheMostPatientSession() {
        join("a");
        call(new Hello("b", ++seq, "n", 4 * TTL, 0, 1, false));
        call(new Hello("c", ++seq, "n", TTL, 0, 1, false));
        assertThat(shard.ttl).isEqualTo(4 * TTL);
        for (String session : List.of("a", "b", "c")) {
            call(new Bye(session, ++seq, shard.incarnation));
        }
        join("d");
        assertThat(shard.ttl).isEqualTo(TTL);
    }

    @Test
    void longerTtlProlongsLearning() {
        call(new Hello("a", ++seq, "n", TTL, 0, 1, false));
        Joined joined = (Joined) call(new Hello("b", ++seq, "n", 2 * TTL, 0, 1, false));
        assertThat(joined.learning()).isEqualTo(2 * TTL);
    }

    @Test
    void oldSequenceNumberChangesNothing() {
        join("a");
        claim("a", 0, 5);
        assertThat(call(new Exchange(
                        "a", seq - 1, shard.incarnation, true, List.of(new Claim("g", 10, 1, ALL, 0, 0, 0, 0)))))
                .isEqualTo(new Old(seq));
        assertThat(call(new Exchange(
                        "a", seq, shard.incarnation, true, List.of(new Claim("g", 10, 1, ALL, 0, 0, 0, 0)))))
                .isEqualTo(new Old(seq));
        assertThat(call(new Hello("a", seq, "n", TTL, 0, 1, false))).isEqualTo(new Old(seq));
        assertThat(call(new Bye("a", seq, shard.incarnation))).isEqualTo(new Old(seq));
        assertThat(shard.groups.get("g").granted()).isEqualTo(5);
    }

    // ---- time -------------------------------------------------------------------------------------------------

    @Test
    void clockNeverGoesBackAndGapsCountAsAQuarterOfTheTtl() {
        join("a");
        long start = shard.clock;
        time -= 100_000;
        exchange("a");
        assertThat(shard.clock).isEqualTo(start);
        time += 7;
        exchange("a");
        assertThat(shard.clock).isEqualTo(start + 7);
        time += 100_000;
        exchange("a");
        assertThat(shard.clock).isEqualTo(start + 7 + TTL / 4);
    }

    @Test
    void sessionSurvivesAnyPauseOfTheServer() {
        join("a", "observer");
        claim("a", 0, 5);
        time += 100 * TTL;
        assertThat(((Exchanged) exchange("observer")).expired()).isEmpty();
        assertThat(call(new Reap(shard.incarnation, "a", List.of()))).isEqualTo(new Reaped(true, List.of()));
        assertThat(claim("a", 5, 5).granted()).isEqualTo(5);
    }

    @Test
    void silentSessionExpiresAfterTheTtl() {
        join("a", "observer");
        pass(TTL - 1);
        assertThat(((Exchanged) exchange("observer")).expired()).isEmpty();
        time += 1;
        assertThat(((Exchanged) exchange("observer")).expired()).isEqualTo("a");
    }

    @Test
    void claimThatIsNoHeartbeatIsExecutedButDoesNotRenewTheSession() {
        join("a", "b", "observer");
        pass(TTL - 1);
        Claim two = new Claim("g", 3, 1, ALL, 0, 0, 2, 0);
        FleetReply reply = call(new Exchange("a", ++seq, shard.incarnation, false, List.of(two)));
        assertThat(reply).isEqualTo(new Granted(List.of(new Grant("g", seq, 2, Grant.NO_TARGET, 3, false))));
        exchange("b");
        assertThat(call(new Exchange("a", seq - 1, shard.incarnation, false, List.of())))
                .as("its number counts")
                .isInstanceOf(Old.class);
        time += 1;
        assertThat(((Exchanged) exchange("observer")).expired()).isEqualTo("a");
    }

    @Test
    void permitsOfALostNodeAreKeptLonger() {
        join("observer");
        call(new Hello("a", ++seq, "n", TTL, 500, 1, false));
        pass(TTL + 499);
        assertThat(((Exchanged) exchange("observer")).expired()).isEmpty();
        pass(1);
        assertThat(((Exchanged) exchange("observer")).expired()).isEqualTo("a");
    }

    // ---- claims and grants ------------------------------------------------------------------------------------

    @Test
    void claimsAreAbsolute() {
        join("a");
        assertThat(claim("a", 0, 5).granted()).isEqualTo(5);
        assertThat(claim("a", 5, 5).granted()).isEqualTo(5);
        assertThat(claim("a", 2, 2).granted()).isEqualTo(2);
        assertThat(claim("a", 7, 7).granted())
                .as("the node holds more than the store knew")
                .isEqualTo(7);
    }

    @Test
    void debtBlocksGrantsUntilItIsPaidOff() {
        join("a", "b", "c");
        claim("b", new Claim("g", 10, 1, ALL, 0, 0, 8, 0));
        assertThat(claim("a", new Claim("g", 10, 1, ALL, 0, 4, 4, 0)).granted())
                .as("two of the four permits in use are within the limit")
                .isEqualTo(2);
        assertThat(claim("c", 0, 1).granted()).isZero();
        assertThat(claim("b", new Claim("g", 10, 1, ALL, 7, 7, 7, 0)).granted()).isEqualTo(7);
        assertThat(pushes)
                .as("the debtor first")
                .hasSize(1)
                .allMatch(p -> p.grants().contains(new Grant("g", seq - 2, 3, 3, 10, false)));
        claim("b", new Claim("g", 10, 1, ALL, 6, 6, 6, 0));
        assertThat(pushes).extracting(FleetPush::session).containsExactly("a");
        claim("b", new Claim("g", 10, 1, ALL, 5, 5, 5, 0));
        assertThat(pushes).extracting(FleetPush::session).containsExactly("c");
        assertThat(shard.groups.get("g").granted()).isEqualTo(10);
    }

    @Test
    void debtorIsKnownUntilItHasPaid() {
        join("a", "b");
        claim("b", 0, 10);
        assertThat(claim("a", new Claim("g", 10, 1, ALL, 0, 3, 0, 0)).granted()).isZero();
        assertThat(shard.groups.get("g").debt()).isEqualTo(3);
        claim("a", new Claim("g", 10, 1, ALL, 0, 0, 0, 0));
        assertThat(shard.groups.get("g").entries).containsOnlyKeys("b");
    }

    @Test
    void returnedPermitGoesToTheLongestWaiting() {
        join("a", "b", "c");
        claim("a", new Claim("g", 1, 1, ALL, 0, 0, 3, 0));
        claim("c", new Claim("g", 1, 1, ALL, 0, 0, 3, 0));
        long claimOfC = seq;
        assertThat(pushes)
                .as("the holder is asked")
                .containsExactly(new FleetPush("a", 1, List.of(new Grant("g", claimOfC - 1, 1, 0, 1, false))));
        claim("b", new Claim("g", 1, 1, ALL, 0, 0, 3, 0));
        assertThat(pushes).as("asked once").isEmpty();
        claim("a", new Claim("g", 1, 1, ALL, 0, 0, 3, 0));
        assertThat(pushes)
                .as("with the next target")
                .containsExactly(new FleetPush("c", 1, List.of(new Grant("g", claimOfC, 1, 0, 1, false))));
        claim("c", new Claim("g", 1, 1, ALL, 0, 0, 3, 0));
        assertThat(pushes).extracting(FleetPush::session).containsExactly("b");
        claim("b", new Claim("g", 1, 1, ALL, 0, 0, 3, 0));
        assertThat(pushes).extracting(FleetPush::session).containsExactly("a");
    }

    @Test
    void stateOfAnIdleGroupIsRemoved() {
        join("a");
        claim("a", 0, 5);
        assertThat(claim("a", 0, 0)).isEqualTo(new Grant("g", seq, 0, Grant.NO_TARGET, 10, false));
        assertThat(shard.groups).isEmpty();
        assertThat(shard.sessions.get("a").groups).isEmpty();
    }

    @Test
    void newerConfigurationWins() {
        join("a", "b");
        claim("a", new Claim("g", 10, 1, ALL, 0, 0, 10, 0));
        assertThat(claim("b", new Claim("g", 4, 2, ALL, 0, 0, 4, 0)).limit()).isEqualTo(4);
        assertThat(pushes).extracting(p -> p.grants().getFirst().target()).containsExactly(2);
        assertThat(claim("a", new Claim("g", 10, 1, ALL, 10, 10, 10, 0)).limit())
                .isEqualTo(4);
        assertThat(claim("a", new Claim("g", 3, 2, ALL, 10, 10, 10, 0)).limit())
                .as("same version: the lower limit")
                .isEqualTo(3);
        assertThat(claim("b", new Claim("g", 4, 2, ALL, 0, 0, 4, 0)).limit()).isEqualTo(3);
        claim("b", new Claim("g", 30, 3, ALL, 0, 0, 4, 0));
        assertThat(pushes)
                .as("also if nobody has to return a permit")
                .singleElement()
                .satisfies(push -> assertThat(push.grants())
                        .containsExactly(new Grant("g", seq - 2, 10, Grant.NO_TARGET, 30, false)));
    }

    @Test
    void lowestLimitOfThoseThatUseTheGroupIsInForce() {
        join("a", "b", "c");
        claim("a", new Claim("g", 10, 1, ALL, 0, 0, 1, 0));
        claim("b", new Claim("g", 4, 1, ALL, 0, 0, 1, 0));
        claim("c", new Claim("g", 2, 0, ALL, 0, 0, 1, 0)); // an older version does not count
        assertThat(claim("a", new Claim("g", 20, 1, ALL, 1, 1, 1, 0)).limit())
                .as("one node alone does not raise it")
                .isEqualTo(4);
        assertThat(claim("b", new Claim("g", 20, 1, ALL, 1, 1, 1, 0)).limit())
                .as("all nodes do")
                .isEqualTo(20);
        assertThat(pushes)
                .flatExtracting(FleetPush::grants)
                .extracting(Grant::limit)
                .containsExactly(20, 20);
        assertThat(claim("b", new Claim("g", 5, 1, ALL, 1, 1, 1, 0)).limit()).isEqualTo(5);
        claim("b", new Claim("g", 5, 1, ALL, 0, 0, 0, 0));
        assertThat(pushes)
                .as("it has left the group")
                .flatExtracting(FleetPush::grants)
                .extracting(Grant::limit)
                .containsExactly(20, 20);
    }

    @Test
    void limitOfALostNodeIsNotInForce() {
        join("a", "b");
        claim("a", new Claim("g", 4, 1, ALL, 0, 0, 1, 0));
        pass(TTL / 2);
        claim("b", new Claim("g", 10, 1, ALL, 0, 0, 1, 0));
        exchange("b");
        pass(TTL / 2);
        call(new Reap(shard.incarnation, "a", List.of()));
        call(new Reap(shard.incarnation, "a", List.of("g")));
        assertThat(pushes)
                .singleElement()
                .satisfies(push ->
                        assertThat(push.grants()).extracting(Grant::limit).containsExactly(10));
    }

    @Test
    void claimsOfOneCallAreOnePushToEachSession() {
        join("a", "b");
        exchange("a", new Claim("x", 1, 1, ALL, 0, 0, 1, 0), new Claim("y", 1, 1, ALL, 0, 0, 1, 0));
        exchange("b", new Claim("x", 1, 1, ALL, 0, 0, 1, 0), new Claim("y", 1, 1, ALL, 0, 0, 1, 0));
        assertThat(pushes).hasSize(1);
        assertThat(pushes.getFirst().grants()).extracting(Grant::group).containsExactly("x", "y");
        assertThat(((Exchanged) exchange("a")).pushed()).isEqualTo(1);
    }

    // ---- the end of sessions ----------------------------------------------------------------------------------

    @Test
    void permitsOfAnExpiredSessionGoToThoseThatWait() {
        join("a", "observer");
        claim("a", 0, 10);
        claim("observer", 0, 4);
        pass(TTL);
        assertThat(call(new Reap(shard.incarnation, "a", List.of()))).isEqualTo(new Reaped(false, List.of("g")));
        assertThat(exchange("a")).as("it is too late").isEqualTo(new Rejoin(shard.incarnation));
        assertThat(hello("a")).isEqualTo(new Rejoin(shard.incarnation));
        assertThat(call(new Reap(shard.incarnation, "a", List.of("g", "other"))))
                .isEqualTo(new Reaped(false, List.of()));
        assertThat(pushes).extracting(p -> p.grants().getFirst().granted()).containsExactly(4);
        assertThat(shard.sessions).containsOnlyKeys("observer");
        assertThat(call(new Reap(shard.incarnation, "a", List.of("g")))).isEqualTo(new Reaped(false, List.of()));
    }

    @Test
    void sessionWithManyGroupsIsReapedInParts() {
        join("a");
        for (int i = 0; i < 100; i++) {
            claim("a", new Claim("g" + i, 1, 1, ALL, 0, 0, 1, 0));
        }
        Reaped reaped = (Reaped) call(new Bye("a", ++seq, shard.incarnation));
        assertThat(reaped.groups()).hasSize(64);
        reaped = (Reaped) call(new Reap(shard.incarnation, "a", reaped.groups()));
        assertThat(reaped.groups()).hasSize(36);
        reaped = (Reaped) call(new Reap(shard.incarnation, "a", reaped.groups()));
        assertThat(reaped).isEqualTo(new Reaped(false, List.of()));
        assertThat(shard.groups).isEmpty();
        assertThat(shard.sessions).isEmpty();
    }

    @Test
    void nobodyIsReapedWhileTheShardLearns() {
        join("a", "observer");
        pass(TTL);
        run = "r2";
        hello("b");
        assertThat(((Exchanged) exchange("b")).expired()).isEmpty();
        assertThat(call(new Reap(shard.incarnation, "a", List.of()))).isEqualTo(new Reaped(true, List.of()));
        assertThat(call(new Bye("a", ++seq, shard.incarnation))).isEqualTo(new Reaped(false, List.of()));
    }

    @Test
    void unknownSessionSaysBye() {
        join("a");
        assertThat(call(new Bye("z", 1, shard.incarnation))).isEqualTo(new Reaped(false, List.of()));
    }

    // ---- settings ---------------------------------------------------------------------------------------------

    @Test
    void liveLimitOverridesEveryPolicy() {
        join("a", "b");
        claim("a", 0, 10);
        assertThat(call(new Configure("g", Setting.LIMIT, 6, 1))).isEqualTo(new Configured(true, 1));
        assertThat(pushes).containsExactly(new FleetPush("a", 1, List.of(new Grant("g", seq, 10, 6, 6, false))));
        assertThat(call(new Configure("g", Setting.LIMIT, 9, 1))).isEqualTo(new Configured(false, 1));
        assertThat(claim("b", new Claim("g", 50, 99, ALL, 0, 0, 10, 0)).limit()).isEqualTo(6);
        assertThat(call(new Configure("g", Setting.LIMIT, FleetRequest.UNSET, 5)))
                .isEqualTo(new Configured(true, 5));
        assertThat(pushes).hasSize(2).allMatch(p -> p.grants().getFirst().limit() == 50);
    }

    @Test
    void pausedGroupIsGrantedNothingUntilItResumes() {
        join("a", "b");
        claim("a", 0, 2);
        call(new Configure("g", Setting.PAUSED, 1, 1));
        assertThat(pushes).containsExactly(new FleetPush("a", 1, List.of(new Grant("g", seq, 2, 0, 10, true))));
        assertThat(claim("b", 0, 3)).isEqualTo(new Grant("g", seq, 0, 0, 10, true));
        assertThat(claim("a", 0, 2).granted()).isZero();
        call(new Configure("g", Setting.PAUSED, 0, 2));
        assertThat(pushes).extracting(p -> p.grants().getFirst().granted()).containsExactly(2, 3);
    }

    @Test
    void settingsOutlastTheGroup() {
        join("a");
        call(new Configure("g", Setting.LIMIT, 3, 1));
        call(new Configure("g", Setting.PAUSED, 1, 2));
        assertThat(claim("a", 0, 9)).isEqualTo(new Grant("g", seq, 0, 0, 3, true));
    }

    // ---- reading ----------------------------------------------------------------------------------------------

    @Test
    void lookShowsWhoHoldsWhat() {
        join("a", "b");
        claim("a", new Claim("g", 5, 7, ALL, 2, 1, 5, 0));
        claim("b", new Claim("g", 5, 7, ALL, 0, 0, 2, 0));
        time += 50;
        Snapshot snapshot = (Snapshot) call(new Look(List.of("a"), List.of("g", "none")));
        assertThat(snapshot.sessions())
                .containsExactly(
                        new FleetReply.SessionSnapshot("a", "node of a", TTL, List.of("g")),
                        new FleetReply.SessionSnapshot("b", "node of b", TTL, List.of()));
        assertThat(snapshot.groups())
                .containsExactly(new FleetReply.GroupSnapshot(
                        "g",
                        5,
                        7,
                        false,
                        List.of(new FleetReply.Holding("a", 5, 1, 5), new FleetReply.Holding("b", 0, 0, 2))));
        assertThat(shard.clock).as("not even the clock moves").isEqualTo(5_000);
        assertThat(new ShardState()
                        .call(new Look(List.of(), List.of()), time, run)
                        .reply())
                .isEqualTo(new Snapshot("", 0, 0, List.of(), List.of()));
    }

    @Test
    void callNamesAtMost64DistinctGroups() {
        List<Claim> many = IntStream.range(0, 65)
                .mapToObj(i -> new Claim("g" + i, 1, 0, ALL, 0, 0, 0, 0))
                .toList();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Exchange("a", 1, "i", true, many))
                .withMessage("number of names must be at most 64, but is 65");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Exchange("a", 1, "i", true, List.of(many.get(0), many.get(0))))
                .withMessage("names must be distinct, but is 2");
    }
}
