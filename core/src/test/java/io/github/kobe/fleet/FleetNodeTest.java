package io.github.kobe.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.fleet.FleetReply.Exchanged;
import io.github.kobe.fleet.FleetReply.Granted;
import io.github.kobe.fleet.FleetReply.Joined;
import io.github.kobe.fleet.FleetReply.Old;
import io.github.kobe.fleet.FleetReply.Reaped;
import io.github.kobe.fleet.FleetReply.Refused;
import io.github.kobe.fleet.FleetReply.Rejoin;
import io.github.kobe.fleet.FleetRequest.Bye;
import io.github.kobe.fleet.FleetRequest.Exchange;
import io.github.kobe.fleet.FleetRequest.Hello;
import io.github.kobe.fleet.FleetRequest.Reap;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What does a node do on each event? The store is played by the test. */
class FleetNodeTest {

    private static final long MS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long TTL = 8_000 * MS;
    private static final long HEARTBEAT = TTL / 8;
    private static final long QUANTUM = 100 * MS;
    private static final long LOOK = 30 * MS;
    private static final long LINGER = 5_000 * MS;
    private static final long LEASE = TTL / 4 * 3 / 100 * 99;
    private static final String INCARNATION = "r/1";

    /** An executor as the test wants it, which notes what it is told. */
    private static final class Recorder implements FleetNode.Local {
        final Map<String, Integer> used = new TreeMap<>();
        final Map<String, Integer> queued = new TreeMap<>();
        final Map<String, Integer> bounds = new TreeMap<>();
        final List<FleetRequest> requests = new ArrayList<>();
        final List<Long> calls = new ArrayList<>();
        final List<String> events = new ArrayList<>();
        final Map<String, Boolean> returnsUnused = new TreeMap<>();
        final Map<String, Long> admitted = new TreeMap<>();
        final List<Boolean> returnsUnusedAtReads = new ArrayList<>();
        boolean always;
        long leaseUntil = Long.MIN_VALUE;

        @Override
        public void returnsUnused(String group, boolean atOnce) {
            returnsUnused.put(group, atOnce);
        }

        @Override
        public long admitted(String group) {
            return admitted.getOrDefault(group, 0L);
        }

        @Override
        public FleetNode.Demand demand(String group) {
            returnsUnusedAtReads.add(returnsUnused.getOrDefault(group, false));
            return new FleetNode.Demand(used.getOrDefault(group, 0), queued.getOrDefault(group, 0), 1);
        }

        @Override
        public int bind(String group, int permits) {
            bounds.put(group, permits);
            events.add("bind " + group + " " + permits);
            return used.getOrDefault(group, 0);
        }

        @Override
        public void lease(boolean isAlways, long until) {
            always = isAlways;
            leaseUntil = until;
        }

        @Override
        public void leaseLost() {
            events.add("lease lost");
        }

        @Override
        public void refused(String reason) {
            events.add("refused: " + reason);
        }

        @Override
        public void send(long call, FleetRequest request) {
            calls.add(call);
            requests.add(request);
            events.add("send " + request.getClass().getSimpleName());
        }
    }

    private final Recorder local = new Recorder();
    private long now = -500; // the clock may have any origin
    private int sessions;
    private FleetNode node = node(UnreachableMode.STOP);

    private FleetNode node(UnreachableMode mode) {
        local.events.clear();
        NodeSettings settings = new NodeSettings("node-1", TTL, QUANTUM, LINGER, 3_000 * MS, mode, 1, false, HEARTBEAT);
        return new FleetNode(settings, local, () -> "s" + sessions++, now);
    }

    private FleetRequest last() {
        return local.requests.getLast();
    }

    private Exchange lastExchange() {
        return (Exchange) last();
    }

    private Claim lastClaim() {
        return lastExchange().claims().getLast();
    }

    private void reply(FleetReply reply) {
        node.replied(local.calls.getLast(), reply, now);
    }

    private void pass(long nanos) {
        now += nanos;
        node.tick(now);
    }

    private static Exchanged answer(Grant... grants) {
        return new Exchanged(0, 3, 0, "", List.of(grants));
    }

    /** Answers the last exchange: each claim is granted so much. */
    private void grant(int granted, int target) {
        Exchange exchange = lastExchange();
        Grant[] grants = exchange.claims().stream()
                .map(c -> new Grant(c.group(), exchange.seq(), granted, target, c.limit(), false))
                .toArray(Grant[]::new);
        reply(exchange.renews() ? answer(grants) : new Granted(List.of(grants)));
    }

    private void join() {
        node.tick(now);
        reply(new Joined(INCARNATION, 0, 3));
        if (last() instanceof Exchange) {
            reply(answer());
        }
    }

    /** A member with so many permits of g, all in use. */
    private void hold(int permits) {
        join();
        local.queued.put("g", permits);
        node.open("g", 10, 1, now);
        grant(permits, Grant.NO_TARGET);
        local.used.put("g", permits);
        local.queued.put("g", 0);
    }

    /** A member with one permit of each of so many groups, none in use. */
    private void holdOneOfEach(int groups) {
        join();
        for (int i = 0; i < groups; i++) {
            local.queued.put("g" + i, 1);
            node.open("g" + i, 10, 1, now);
            grant(1, Grant.NO_TARGET);
            local.queued.put("g" + i, 0);
        }
    }

    private void push(long number, Grant... grants) {
        node.pushed(new FleetPush(node.session(), number, List.of(grants)), now);
    }

    private Grant ofLastClaim(int granted, int target) {
        return new Grant("g", lastExchange().seq(), granted, target, 10, false);
    }

    // ---- joining and the lease --------------------------------------------------------------------------------

    @Test
    void helloSaysWhoTheNodeIs() {
        node.tick(now);
        assertThat(last()).isEqualTo(new Hello("s0", 1, "node-1", 8_000, 3_000, 1, false));
    }

    @Test
    void leaseIsCountedFromBeforeTheCallWasSent() {
        node.tick(now);
        long sent = now;
        pass(100 * MS);
        reply(new Joined(INCARNATION, 0, 1));
        assertThat(local.leaseUntil).isEqualTo(sent + LEASE);
    }

    @Test
    void answerThatIsLateStillRenewsTheLease() {
        join();
        pass(HEARTBEAT);
        long call = local.calls.getLast();
        long sent = now;
        pass(HEARTBEAT);
        assertThat(local.calls.getLast()).as("the call counts as lost").isGreaterThan(call);
        node.replied(call, answer(), now);
        assertThat(local.leaseUntil).isEqualTo(sent + LEASE);
        reply(answer());
        assertThat(local.leaseUntil).isEqualTo(now + LEASE);
        node.replied(call, answer(), now);
        assertThat(local.leaseUntil).as("only once").isEqualTo(now + LEASE);
    }

    @Test
    void heartbeatComesAnEighthOfTheTtlAfterTheLastOne() {
        join();
        assertThat(node.nanosToWait(now)).isEqualTo(HEARTBEAT);
        int before = local.requests.size();
        pass(HEARTBEAT - 1);
        assertThat(local.requests).hasSize(before);
        pass(1);
        assertThat(lastExchange().claims()).isEmpty();
        assertThat(lastExchange().renews()).isTrue();
    }

    @Test
    void claimBetweenHeartbeatsRenewsNeitherTheSessionNorTheLease() {
        join();
        long leased = local.leaseUntil;
        pass(HEARTBEAT / 2);
        local.queued.put("g", 1);
        node.open("g", 10, 1, now);
        assertThat(lastExchange().renews()).isFalse();
        grant(1, Grant.NO_TARGET);
        assertThat(local.bounds).containsEntry("g", 1);
        assertThat(local.leaseUntil).isEqualTo(leased);
        assertThat(node.nanosToWait(now)).as("until the next heartbeat").isEqualTo(HEARTBEAT / 2);
        local.used.put("g", 1);
        local.queued.put("g", 0);
        pass(HEARTBEAT / 2);
        assertThat(lastExchange().renews()).isTrue();
        reply(answer());
        assertThat(local.leaseUntil).isEqualTo(now + LEASE);
    }

    @Test
    void claimRenewsTheSessionWhileTheNodeNeedsToKnowMore() {
        join();
        local.queued.put("g", 1);
        node.open("g", 10, 1, now);
        grant(1, Grant.NO_TARGET);
        pass(HEARTBEAT);
        reply(new Exchanged(500, 3, 0, "", List.of()));
        local.queued.put("g", 2);
        node.changed("g", now);
        assertThat(lastExchange().renews()).as("the store learns").isTrue();
    }

    @Test
    void claimsThatSomebodyWaitsForGoFirst() {
        int groups = 2 * FleetNode.MAX_NOT_URGENT;
        holdOneOfEach(groups);
        pass(HEARTBEAT);
        for (int i = 0; i < groups; i++) { // while the heartbeat is in flight
            node.retired("g" + i, now);
        }
        local.queued.put("new", 1);
        node.open("new", 10, 1, now);
        reply(answer());
        assertThat(lastExchange().claims())
                .hasSize(1 + FleetNode.MAX_NOT_URGENT)
                .first()
                .extracting(Claim::group)
                .isEqualTo("new");
        grant(0, Grant.NO_TARGET);
        assertThat(lastExchange().claims()).hasSize(FleetNode.MAX_NOT_URGENT);
        grant(0, Grant.NO_TARGET);
        assertThat(node.leases()).extracting(lease -> lease.group).containsExactly("new");
    }

    @Test
    void claimsThatNobodyWaitsForAreNotStarved() {
        hold(1);
        pass(HEARTBEAT);
        node.retired("g", now); // its task still runs
        local.used.put("g", 0);
        node.changed("g", now);
        for (int i = 0; i < 2 * FleetRequest.MAX_GROUPS; i++) {
            local.queued.put("new" + i, 1);
            node.open("new" + i, 10, 1, now);
        }
        reply(answer());
        assertThat(lastExchange().claims())
                .hasSize(FleetRequest.MAX_GROUPS - FleetNode.MAX_NOT_URGENT + 1)
                .last()
                .extracting(Claim::group)
                .isEqualTo("g");
    }

    @Test
    void permitsThatOthersWaitForAreReturnedBeforeThoseThatAreNotUsed() {
        int groups = 2 * FleetNode.MAX_NOT_URGENT;
        holdOneOfEach(groups);
        Exchange last = lastExchange();
        pass(HEARTBEAT);
        for (int i = 0; i < groups - 1; i++) {
            node.retired("g" + i, now);
        }
        push(1, new Grant(last.claims().getLast().group(), last.seq(), 1, 0, 10, false));
        reply(answer());
        assertThat(lastExchange().claims().getFirst().group()).isEqualTo("g" + (groups - 1));
    }

    private boolean claims(String group) {
        return lastExchange().claims().stream().anyMatch(claim -> claim.group().equals(group));
    }

    /** For each round trip, as many groups are opened as go into an exchange. Returns after how many round trips {@code group} is claimed. */
    private int exchangesUntilClaimed(String group) {
        int opened = 0;
        int exchanges = 0;
        while (!claims(group) && exchanges < 100) {
            for (int i = 0; i < FleetRequest.MAX_GROUPS; i++) {
                local.queued.put("new" + opened, 1);
                node.open("new" + opened++, 10, 1, now);
            }
            now += MS;
            grant(1, Grant.NO_TARGET);
            exchanges++;
        }
        return exchanges;
    }

    @Test
    void permitThatOthersWaitForIsReturnedAlthoughOtherGroupsAskAllTheTime() {
        hold(1);
        Exchange ofG = lastExchange();
        pass(HEARTBEAT); // in flight
        local.used.put("g", 0);
        push(1, new Grant("g", ofG.seq(), 1, 0, 10, false));
        assertThat(local.bounds).containsEntry("g", 0);
        assertThat(exchangesUntilClaimed("g")).isEqualTo(1);
    }

    @Test
    void lostClaimThatAsksIsNotOvertakenByLaterOnes() {
        join();
        local.queued.put("g", 1);
        node.open("g", 10, 1, now);
        node.failed(local.calls.getLast(), now);
        local.queued.put("first", 1);
        node.open("first", 10, 1, now);
        pass(HEARTBEAT);
        assertThat(lastExchange().claims()).extracting(Claim::group).containsExactly("g", "first");
    }

    /** Holds a permit of each of so many groups, when the store loses its data. */
    private void loseData(int groups) {
        holdOneOfEach(groups);
        IntStream.range(0, groups).forEach(i -> local.used.put("g" + i, 1));
        pass(HEARTBEAT);
        reply(new Rejoin("r/2"));
    }

    @Test
    void whatIsHeldIsRegisteredBeforeOtherGroupsAsk() {
        loseData(FleetRequest.MAX_GROUPS);
        for (int i = 0; i < 100; i++) {
            local.queued.put("new" + i, 1);
            node.open("new" + i, 10, 1, now);
        }
        reply(new Joined("r/2", 8_000, 3));
        assertThat(lastExchange().claims())
                .hasSize(FleetRequest.MAX_GROUPS)
                .allSatisfy(claim -> assertThat(claim.used()).isEqualTo(1));
    }

    @Test
    void nodeBecomesAMemberAlthoughAGroupRetiresBeforeItIsRegistered() {
        loseData(FleetRequest.MAX_GROUPS + 1);
        reply(new Joined("r/2", 8_000, 3));
        String last = node.leases().stream()
                .map(lease -> lease.group)
                .filter(group -> !claims(group))
                .findFirst()
                .orElseThrow();
        local.used.put(last, 0);
        node.retired(last, now);
        grant(1, Grant.NO_TARGET);
        grant(1, Grant.NO_TARGET);
        assertThat(node.state()).isEqualTo(FleetNode.State.MEMBER);
    }

    @Test
    void lookAtAGroupReadsItsDemandOnce() {
        hold(3);
        pass(HEARTBEAT); // in flight
        local.queued.put("g", 4);
        local.returnsUnusedAtReads.clear();
        node.changed("g", now);
        assertThat(local.returnsUnusedAtReads).hasSize(1);
        reply(answer());
        assertThat(lastClaim().wanted()).isEqualTo(7);
        assertThat(local.returnsUnusedAtReads).as("once more for the claim").hasSize(2);
    }

    @Test
    void heartbeatDoesNotLookAtGroupsWithoutPermits() {
        hold(1);
        local.used.put("g", 0);
        do {
            grant(0, Grant.NO_TARGET);
            pass(HEARTBEAT);
        } while (VirtualFleet.heldBy(node, "g") > 0 || !lastExchange().claims().isEmpty());
        local.returnsUnusedAtReads.clear();
        reply(answer());
        pass(HEARTBEAT);
        assertThat(lastExchange().claims()).isEmpty();
        assertThat(local.returnsUnusedAtReads).as("the demand was not read").isEmpty();
        local.queued.put("g", 1);
        reply(answer());
        node.changed("g", now);
        assertThat(lastClaim().wanted()).as("the kernel has told of it").isEqualTo(1);
    }

    // ---- ATTACK ------------------------------------------------------------------------------------------------

    /** Tasks of many groups are queued while a heartbeat is in flight, and cancelled: their groups want nothing any more, and the kernel gives no hint of that. */
    @Test
    void claimIsSentAtOnceAlthoughManyGroupsDoNotAskAnyMore() {
        join();
        pass(HEARTBEAT); // in flight
        for (int i = 0; i < FleetRequest.MAX_GROUPS; i++) {
            local.queued.put("g" + i, 1);
            node.open("g" + i, 10, 1, now);
            local.queued.put("g" + i, 0);
        }
        local.queued.put("new", 1);
        node.open("new", 10, 1, now);
        reply(answer());
        assertThat(claims("new")).isTrue();
    }

    @Test
    void whatIsHeldIsRegisteredBeforeOtherGroupsAskAlsoIfTheFirstCallIsLost() {
        loseData(FleetRequest.MAX_GROUPS);
        for (int i = 0; i < 100; i++) {
            local.queued.put("new" + i, 1);
            node.open("new" + i, 10, 1, now);
        }
        reply(new Joined("r/2", 8_000, 3));
        node.failed(local.calls.getLast(), now);
        pass(HEARTBEAT);
        assertThat(lastExchange().claims())
                .hasSize(FleetRequest.MAX_GROUPS)
                .allSatisfy(claim -> assertThat(claim.used()).isEqualTo(1));
    }

    @Test
    void lostReturnOfAPermitThatOthersWaitForGoesFirstAgain() {
        int groups = 3 * FleetNode.MAX_NOT_URGENT;
        holdOneOfEach(groups);
        Exchange last = lastExchange();
        String waited = last.claims().getLast().group();
        push(1, new Grant(waited, last.seq(), 1, 0, 10, false));
        pass(QUANTUM);
        assertThat(lastExchange().claims()).extracting(Claim::group).containsExactly(waited);
        for (int i = 0; i < groups - 1; i++) {
            node.retired("g" + i, now);
        }
        node.failed(local.calls.getLast(), now);
        pass(HEARTBEAT);
        assertThat(lastExchange().claims()).extracting(Claim::group).contains(waited);
    }

    @Test
    void refusedNodeTriesAgainLater() {
        node.tick(now);
        reply(new Refused("other shards"));
        assertThat(local.events).contains("refused: other shards");
        int before = local.requests.size();
        pass(HEARTBEAT - 1);
        assertThat(local.requests).hasSize(before);
        pass(1);
        assertThat(last()).isInstanceOf(Hello.class);
    }

    @Test
    void failedCallIsRepeatedAfterAShortTimeOrWhenTheStoreIsBack() {
        node.tick(now);
        node.failed(local.calls.getLast(), now);
        assertThat(local.requests).hasSize(1);
        assertThat(node.nanosToWait(now)).isEqualTo(TTL / 32);
        pass(TTL / 32);
        assertThat(local.requests).hasSize(2);
        node.failed(local.calls.getLast(), now);
        node.failed(999, now); // unknown
        node.available(now);
        assertThat(local.requests).hasSize(3).allMatch(r -> r instanceof Hello);
    }

    @Test
    void allThatIsHeldIsRegisteredBeforeTheLeaseIsRenewed() {
        join();
        for (int i = 0; i < 100; i++) {
            local.used.put("g" + i, 1);
            node.open("g" + i, 10, 1, now);
        }
        reply(new Rejoin("other"));
        assertThat(last()).isInstanceOf(Hello.class);
        long before = local.leaseUntil;
        reply(new Joined("other", 8_000, 1));
        assertThat(lastExchange().claims()).hasSize(64);
        pass(10 * MS);
        grant(0, Grant.NO_TARGET);
        assertThat(node.state()).isEqualTo(FleetNode.State.REGISTERING);
        assertThat(local.leaseUntil).isEqualTo(before);
        assertThat(lastExchange().claims()).hasSize(36);
        long sent = now;
        grant(0, Grant.NO_TARGET);
        assertThat(node.state()).isEqualTo(FleetNode.State.MEMBER);
        assertThat(local.leaseUntil).isEqualTo(sent + LEASE);
    }

    // ---- claims -----------------------------------------------------------------------------------------------

    @Test
    void itSaysThatUnusedPermitsAreReturnedBeforeItReadsTheDemand() {
        hold(2);
        assertThat(local.returnsUnused).containsEntry("g", false);
        local.returnsUnusedAtReads.clear();
        push(1, ofLastClaim(2, 1));
        assertThat(local.returnsUnused).containsEntry("g", true);
        assertThat(local.returnsUnusedAtReads)
                .as("a permit that is returned after the read is a hint")
                .isNotEmpty()
                .doesNotContain(false);
        push(2, ofLastClaim(2, Grant.NO_TARGET));
        assertThat(local.returnsUnused).containsEntry("g", false);
    }

    @Test
    void permitsOfAGroupWithShortTasksAreKept() {
        hold(2);
        local.used.put("g", 0);
        for (long reviews = 1; reviews <= 10; reviews++) {
            local.admitted.put("g", reviews); // no heartbeat finds a permit in use
            pass(HEARTBEAT);
            reply(answer());
        }
        assertThat(VirtualFleet.heldBy(node, "g")).isEqualTo(2);
        for (int i = 0; i < 7; i++) {
            pass(HEARTBEAT);
            if (lastExchange().claims().isEmpty()) {
                reply(answer());
            } else {
                grant(0, Grant.NO_TARGET);
            }
        }
        assertThat(VirtualFleet.heldBy(node, "g")).as("after the linger time").isZero();
    }

    @Test
    void itDoesNotWakeUpForALookWhileAnExchangeIsInFlight() {
        join();
        local.queued.put("g", 4);
        node.open("g", 10, 1, now);
        assertThat(node.nanosToWait(now)).as("until the answer").isEqualTo(HEARTBEAT);
        grant(0, Grant.NO_TARGET);
        assertThat(node.nanosToWait(now)).as("it waits for permits").isEqualTo(LOOK);
    }

    @Test
    void queuedTasksAreClaimedAtOnce() {
        join();
        local.queued.put("g", 4);
        node.open("g", 10, 7, now);
        assertThat(lastClaim()).isEqualTo(new Claim("g", 10, 7, 0, 0, 0, 4, 0));
        grant(4, Grant.NO_TARGET);
        assertThat(local.bounds).containsEntry("g", 4);
    }

    @Test
    void nodeWantsNoMoreThanTheLimit() {
        join();
        local.queued.put("g", 4_000);
        node.open("g", 10, 7, now);
        assertThat(lastClaim().wanted()).isEqualTo(10);
    }

    @Test
    void whatChangesWhileAnExchangeIsInFlightGoesIntoTheNext() {
        join();
        local.queued.put("g", 1);
        node.open("g", 10, 1, now);
        int before = local.requests.size();
        local.queued.put("g", 3);
        node.changed("g", now);
        local.queued.put("h", 2);
        node.open("h", 10, 1, now);
        assertThat(local.requests).hasSize(before);
        grant(1, Grant.NO_TARGET);
        assertThat(lastExchange().claims()).extracting(Claim::group).containsExactlyInAnyOrder("g", "h");
    }

    @Test
    void unmetClaimIsRepeatedWithEachHeartbeat() {
        join();
        local.queued.put("g", 4);
        node.open("g", 10, 1, now);
        grant(0, Grant.NO_TARGET);
        int before = local.requests.size();
        node.changed("g", now);
        pass(LOOK);
        assertThat(local.requests).as("the store knows").hasSize(before);
        pass(HEARTBEAT);
        assertThat(lastClaim().wanted()).isEqualTo(4);
    }

    @Test
    void wantThatIsNotTrueAnyMoreIsCorrectedAtTheNextLook() {
        join();
        local.queued.put("g", 4);
        node.open("g", 10, 1, now);
        grant(0, Grant.NO_TARGET);
        local.queued.put("g", 0);
        int before = local.requests.size();
        node.changed("g", now);
        assertThat(local.requests).hasSize(before);
        pass(LOOK);
        assertThat(lastClaim().wanted()).isZero();
        grant(0, Grant.NO_TARGET);
        pass(HEARTBEAT);
        assertThat(lastExchange().claims()).as("the store has forgotten it").isEmpty();
    }

    @Test
    void claimsOfALostExchangeAreStatedAgain() {
        hold(3);
        local.queued.put("g", 1);
        node.changed("g", now);
        Claim claim = lastClaim();
        long lost = lastExchange().seq();
        pass(HEARTBEAT);
        assertThat(lastClaim()).isEqualTo(claim);
        assertThat(lastExchange().seq()).isGreaterThan(lost);
        reply(new Old(lastExchange().seq() + 10));
        assertThat(lastClaim()).isEqualTo(claim);
        assertThat(lastExchange().seq())
                .as("larger than the number that the store knows")
                .isGreaterThan(lost + 11);
    }

    @Test
    void changedPolicyIsStated() {
        hold(3);
        local.queued.put("g", 9);
        node.open("g", 12, 2, now);
        assertThat(lastClaim()).isEqualTo(new Claim("g", 12, 2, 3, 3, 3, 12, 0));
    }

    // ---- grants -----------------------------------------------------------------------------------------------

    @Test
    void grantForAnEarlierClaimIsIgnored() {
        hold(3);
        Grant late = ofLastClaim(5, Grant.NO_TARGET);
        local.queued.put("g", 1);
        node.changed("g", now);
        push(1, late);
        assertThat(VirtualFleet.heldBy(node, "g")).isEqualTo(3);
        push(2, ofLastClaim(4, Grant.NO_TARGET));
        assertThat(VirtualFleet.heldBy(node, "g")).as("before the answer").isEqualTo(4);
        grant(3, Grant.NO_TARGET);
        assertThat(VirtualFleet.heldBy(node, "g")).as("the larger one is true").isEqualTo(4);
    }

    @Test
    void pushToAnotherSessionOrForAnUnknownGroupIsIgnored() {
        hold(3);
        node.pushed(new FleetPush("other", 1, List.of(ofLastClaim(9, -1))), now);
        push(1, new Grant("unknown", lastExchange().seq(), 9, -1, 10, false));
        assertThat(VirtualFleet.heldBy(node, "g")).isEqualTo(3);
        node.changed("unknown", now);
        node.retired("unknown", now);
        assertThat(VirtualFleet.heldBy(node, "unknown")).isZero();
    }

    @Test
    void laterNewsOverridesEarlier() {
        hold(3);
        push(2, ofLastClaim(3, 1));
        push(1, ofLastClaim(3, Grant.NO_TARGET));
        pass(QUANTUM);
        assertThat(local.bounds).containsEntry("g", 1);
    }

    @Test
    void missingPushMakesTheNodeStateAllItsClaims() {
        hold(3);
        int before = local.requests.size();
        push(2, ofLastClaim(3, Grant.NO_TARGET));
        pass(LOOK - 1);
        assertThat(local.requests).hasSize(before);
        pass(1);
        assertThat(lastClaim().group()).isEqualTo("g");
        Exchange exchange = lastExchange();
        reply(new Exchanged(0, 1, 2, "", List.of(new Grant("g", exchange.seq(), 3, -1, 10, false))));
        pass(LOOK);
        assertThat(last()).as("once").isSameAs(exchange);
    }

    @Test
    void answerTellsOfPushesThatWereLost() {
        hold(3);
        pass(HEARTBEAT);
        reply(new Exchanged(0, 1, 1, "", List.of()));
        pass(LOOK);
        assertThat(lastExchange().claims()).extracting(Claim::group).containsExactly("g");
    }

    @Test
    void pushThatComesAfterTheAnswerIsNotMissed() {
        hold(3);
        pass(HEARTBEAT);
        reply(new Exchanged(0, 1, 1, "", List.of()));
        push(1, ofLastClaimOn("g", 2));
        FleetRequest before = last();
        pass(LOOK);
        assertThat(last()).isSameAs(before);
    }

    private Grant ofLastClaimOn(String group, long seq) {
        return new Grant(group, seq, 3, Grant.NO_TARGET, 10, false);
    }

    // ---- returning permits ------------------------------------------------------------------------------------

    @Test
    void boundIsLoweredBeforeTheClaimIsSent() {
        hold(3);
        local.used.put("g", 0);
        local.events.clear();
        push(1, ofLastClaim(3, 0));
        assertThat(local.events).containsExactly("bind g 0", "send Exchange");
        assertThat(lastClaim()).isEqualTo(new Claim("g", 10, 1, 3, 0, 0, 0, 0));
    }

    @Test
    void contendedPermitIsKeptForTheQuantumAndThenUntilItsTaskReturns() {
        hold(1);
        local.queued.put("g", 5);
        push(1, ofLastClaim(1, 0));
        pass(QUANTUM - 1);
        assertThat(local.bounds).containsEntry("g", 1);
        pass(1);
        assertThat(local.bounds).containsEntry("g", 0);
        assertThat(lastClaim().keep()).as("it is in use").isEqualTo(1);
        grant(1, 0);
        local.used.put("g", 0);
        node.changed("g", now);
        assertThat(lastClaim()).isEqualTo(new Claim("g", 10, 1, 1, 0, 0, 5, 0));
    }

    @Test
    void contendedPermitThatIsNotWantedAnyMoreIsReturnedWithinTheQuantum() {
        hold(2);
        local.queued.put("g", 5);
        push(1, ofLastClaim(2, 1));
        grant(2, 1);
        local.used.put("g", 1);
        local.queued.put("g", 0);
        pass(LOOK);
        assertThat(lastClaim()).isEqualTo(new Claim("g", 10, 1, 2, 1, 1, 1, 0));
    }

    @Test
    void permitThatWaitsForTheTotalLimitIsKeptLonger() {
        hold(1);
        local.used.put("g", 0);
        local.queued.put("g", 5);
        push(1, ofLastClaim(1, 0));
        pass(9 * LOOK);
        assertThat(local.bounds).containsEntry("g", 1);
        pass(LOOK);
        assertThat(local.bounds).containsEntry("g", 0);
    }

    @Test
    void unusedPermitsLinger() {
        hold(3);
        local.used.put("g", 1);
        long start = now;
        do {
            reply(answer());
            pass(HEARTBEAT);
        } while (lastExchange().claims().isEmpty());
        assertThat(now - start).isBetween(LINGER, LINGER + 2 * HEARTBEAT);
        assertThat(lastClaim()).isEqualTo(new Claim("g", 10, 1, 3, 1, 1, 1, 0));
        assertThat(local.bounds).containsEntry("g", 1);
    }

    @Test
    void permitsThatAreUsedNowAndThenAreKept() {
        hold(3);
        for (int i = 0; i < 20; i++) {
            local.used.put("g", i % 4 == 0 ? 3 : 0);
            pass(HEARTBEAT);
            grant(3, Grant.NO_TARGET);
        }
        assertThat(VirtualFleet.heldBy(node, "g")).isEqualTo(3);
    }

    @Test
    void pausedGroupReturnsEverything() {
        hold(3);
        local.used.put("g", 1);
        local.queued.put("g", 2);
        push(1, new Grant("g", lastExchange().seq(), 3, 0, 10, true));
        assertThat(local.bounds).containsEntry("g", 0);
        assertThat(lastClaim()).isEqualTo(new Claim("g", 10, 1, 3, 1, 1, 3, 0));
        reply(answer(new Grant("g", lastExchange().seq(), 1, 0, 10, true)));
        push(2, new Grant("g", lastExchange().seq(), 3, Grant.NO_TARGET, 10, false));
        assertThat(local.bounds).containsEntry("g", 3);
    }

    /** The claim that was lost said that nothing is kept. Said again, it would give up what the group has got since. */
    @Test
    void claimThatWasLostBeforeAGroupWasOpenedAgainIsNotRepeated() {
        hold(2);
        local.used.put("g", 0);
        node.retired("g", now);
        long late = local.calls.getLast();
        pass(HEARTBEAT); // the call counts as lost
        grant(0, Grant.NO_TARGET);
        assertThat(node.leaseOf("g"))
                .as("the lease that the late call is about")
                .isNull();

        local.queued.put("g", 3);
        node.open("g", 10, 1, now);
        grant(3, Grant.NO_TARGET);
        local.used.put("g", 3);
        local.queued.put("g", 0);
        int sent = local.requests.size();
        node.replied(late, new Old(lastExchange().seq()), now);
        pass(HEARTBEAT);

        assertThat(local.requests.subList(sent, local.requests.size()))
                .allSatisfy(request -> assertThat(((Exchange) request).claims())
                        .filteredOn(claim -> claim.group().equals("g"))
                        .allMatch(claim -> claim.keep() == 3));
        assertThat(local.bounds).containsEntry("g", 3);
    }

    @Test
    void retiredGroupIsForgottenWhenTheStoreHasForgottenIt() {
        hold(3);
        local.used.put("g", 0);
        node.retired("g", now);
        assertThat(lastClaim()).isEqualTo(new Claim("g", 10, 1, 3, 0, 0, 0, 0));
        grant(0, Grant.NO_TARGET);
        int before = local.requests.size();
        node.changed("g", now);
        assertThat(local.requests).hasSize(before);
        assertThat(VirtualFleet.heldBy(node, "g")).isZero();
        node.open("g", 10, 1, now);
        node.retired("g", now); // the store never knew of it
        assertThat(local.requests).hasSize(before);
    }

    // ---- loss -------------------------------------------------------------------------------------------------

    @Test
    void heldPermitsAreKeptIfTheStoreHasLostItsData() {
        hold(3);
        reply(answer());
        pass(HEARTBEAT);
        reply(new Rejoin(""));
        assertThat(((Hello) last()).session()).isEqualTo("s1");
        assertThat(local.bounds).containsEntry("g", 3);
        reply(new Joined("r/2", 8_000, 1));
        assertThat(lastClaim()).isEqualTo(new Claim("g", 10, 1, 3, 3, 3, 3, 0));
    }

    @Test
    void permitsThatWereTakenBackAreDebt() {
        hold(3);
        local.queued.put("g", 4);
        pass(HEARTBEAT);
        reply(new Rejoin(INCARNATION));
        assertThat(local.bounds).containsEntry("g", 0);
        assertThat(local.leaseUntil).isEqualTo(now);
        assertThat(local.events).contains("lease lost");
        reply(new Joined(INCARNATION, 0, 1));
        assertThat(lastClaim()).isEqualTo(new Claim("g", 10, 1, 0, 0, 3, 7, 0));
        grant(2, Grant.NO_TARGET);
        assertThat(local.bounds)
                .as("two of the permits in use are granted again")
                .containsEntry("g", 2);
        local.used.put("g", 2);
        node.changed("g", now);
        assertThat(lastClaim().used()).as("one is paid off").isEqualTo(2);
    }

    @Test
    void dataLostAfterTheLeaseMeansDebtToo() {
        hold(3);
        pass(LEASE);
        reply(new Rejoin("r/2"));
        reply(new Joined("r/2", 8_000, 1));
        assertThat(lastClaim()).isEqualTo(new Claim("g", 10, 1, 0, 0, 3, 3, 0));
    }

    @Test
    void whatWasNotRegisteredInTimeIsDebt() {
        hold(3);
        pass(HEARTBEAT);
        reply(new Rejoin(""));
        reply(new Joined("r/2", 8_000, 1));
        assertThat(lastClaim().keep()).isEqualTo(3);
        pass(LEASE);
        assertThat(local.bounds).containsEntry("g", 0);
        assertThat(lastClaim()).isEqualTo(new Claim("g", 10, 1, 0, 0, 3, 3, 0));
    }

    @ParameterizedTest
    @CsvSource({"STOP, false, 3", "KEEP_LAST, true, 3", "SHARE, true, 4", "OPEN, true, 12"})
    void modeDecidesWhatMayStartWithoutTheStore(UnreachableMode mode, boolean always, int bound) {
        node = node(mode);
        hold(3);
        local.queued.put("g", 9);
        node.open("g", 12, 1, now);
        grant(3, Grant.NO_TARGET); // three nodes
        pass(LEASE);
        assertThat(local.always).isEqualTo(always);
        assertThat(local.bounds).containsEntry("g", bound);
        assertThat(local.events).containsOnlyOnce("lease lost");
        reply(new Rejoin(INCARNATION)); // it was too late
        assertThat(local.bounds).containsEntry("g", mode == UnreachableMode.STOP ? 0 : bound);
        reply(new Joined(INCARNATION, 0, 3));
        grant(1, Grant.NO_TARGET);
        assertThat(local.always).isFalse();
        assertThat(local.leaseUntil).isGreaterThan(now);
        assertThat(local.bounds).containsEntry("g", 1);
    }

    @ParameterizedTest
    @CsvSource({"STOP, 1", "KEEP_LAST, 1", "SHARE, 3", "OPEN, 10"})
    void permitsOfAnEarlierOutageAreNotUsedInTheNextOne(UnreachableMode mode, int bound) {
        node = node(mode);
        hold(7);
        pass(LEASE);
        reply(new Rejoin(INCARNATION)); // it was too late
        local.used.put("g", 0);
        local.queued.put("g", 9);
        reply(new Joined(INCARNATION, 0, 3));
        grant(1, Grant.NO_TARGET);
        assertThat(local.bounds).containsEntry("g", 1);
        pass(LEASE);
        assertThat(local.bounds).containsEntry("g", bound);
        reply(new Rejoin(INCARNATION));
        assertThat(local.bounds).containsEntry("g", mode == UnreachableMode.STOP ? 0 : bound);
    }

    @Test
    void modeAppliesIfTheStoreCannotBeReachedFromTheStart() {
        node = node(UnreachableMode.OPEN);
        node.open("g", 5, 1, now);
        assertThat(local.bounds).containsEntry("g", 0);
        pass(LEASE);
        assertThat(local.bounds).containsEntry("g", 5);
        assertThat(local.always).isTrue();
        assertThat(local.events).as("there was none").doesNotContain("lease lost");
    }

    @Test
    void leaseThatLapsedIsValidAgainIfTheSessionIsAlive() {
        hold(3);
        pass(LEASE);
        assertThat(local.events).contains("lease lost");
        reply(answer());
        assertThat(local.leaseUntil).isGreaterThan(now);
        assertThat(local.bounds).containsEntry("g", 3);
    }

    @Test
    void nodeSaysWhatTheStoreHasSaid() {
        hold(3);
        assertThat(VirtualFleet.heldBy(node, "g")).isEqualTo(3);
        assertThat(node.nodes()).isEqualTo(3);
        assertThat(node.leaseLeft(now)).isPositive();
        long exchanges = node.exchanges();
        pass(LEASE);
        assertThat(node.leaseLeft(now)).isZero();
        reply(new Rejoin(INCARNATION));
        reply(new Joined(INCARNATION, 70, 4));
        assertThat(node.state()).isEqualTo(FleetNode.State.REGISTERING);
        assertThat(node.session()).isEqualTo("s1");
        assertThat(VirtualFleet.heldBy(node, "g")).isZero();
        assertThat(node.learning()).isEqualTo(70);
        assertThat(node.nodes()).isEqualTo(4);
        assertThat(node.exchanges()).isGreaterThan(exchanges);
    }

    // ---- other nodes ------------------------------------------------------------------------------------------

    @Test
    void permitsOfAnExpiredSessionAreTakenBackInParts() {
        join();
        pass(HEARTBEAT);
        reply(new Exchanged(0, 3, 0, "dead", List.of()));
        assertThat(last()).isEqualTo(new Reap(INCARNATION, "dead", List.of()));
        List<String> groups = IntStream.range(0, 64).mapToObj(i -> "g" + i).toList();
        reply(new Reaped(false, groups));
        assertThat(last()).isEqualTo(new Reap(INCARNATION, "dead", groups));
        reply(new Reaped(false, List.of()));
        pass(HEARTBEAT);
        reply(new Exchanged(0, 3, 0, "dead", List.of()));
        pass(HEARTBEAT); // no answer
        reply(new Exchanged(0, 3, 0, "dead", List.of()));
        assertThat(local.requests.stream().filter(r -> r instanceof Reap)).hasSize(4);
        node.failed(local.calls.getLast(), now);
        pass(HEARTBEAT);
        reply(new Exchanged(0, 3, 0, "dead", List.of()));
        assertThat(last()).isInstanceOf(Reap.class);
    }

    // ---- leaving ----------------------------------------------------------------------------------------------

    @Test
    void nodeThatLeavesWaitsForItsTasks() {
        hold(2);
        node.leave(now);
        assertThat(local.bounds).containsEntry("g", 0);
        assertThat(local.requests).noneMatch(r -> r instanceof Bye);
        local.used.put("g", 1);
        node.changed("g", now);
        assertThat(lastClaim()).isEqualTo(new Claim("g", 10, 1, 2, 1, 1, 0, 0));
        grant(1, Grant.NO_TARGET);
        local.used.put("g", 0);
        node.changed("g", now);
        assertThat(last()).isInstanceOf(Bye.class);
        reply(new Reaped(false, List.of("g")));
        assertThat(last()).isEqualTo(new Reap(INCARNATION, "s0", List.of("g")));
        reply(new Reaped(false, List.of()));
        assertThat(node.state()).isEqualTo(FleetNode.State.LEFT);
        assertThat(node.nanosToWait(now)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void nodeThatLeavesRegistersWhatItUsesIfDataIsLost() {
        hold(2);
        node.leave(now);
        pass(HEARTBEAT);
        reply(new Rejoin(""));
        reply(new Joined("r/2", 8_000, 1));
        assertThat(lastClaim()).isEqualTo(new Claim("g", 10, 1, 2, 2, 2, 0, 0));
        local.used.put("g", 0);
        grant(2, Grant.NO_TARGET);
        assertThat(last()).isInstanceOf(Bye.class);
        reply(new Rejoin(""));
        assertThat(node.state()).isEqualTo(FleetNode.State.LEFT);
    }

    @Test
    void nodeThatHasSaidNothingLeavesAtOnce() {
        node.leave(now);
        assertThat(node.state()).isEqualTo(FleetNode.State.LEFT);
        pass(TTL);
        assertThat(local.requests).isEmpty();
    }

    /** Otherwise its session would stay in the store until it has expired and another node comes. */
    @Test
    void nodeThatLeavesBeforeItsHelloIsAnsweredSaysByeThen() {
        node.tick(now);
        node.leave(now);
        assertThat(node.state()).isEqualTo(FleetNode.State.JOINING);
        reply(new Joined(INCARNATION, 0, 1));
        assertThat(last()).isInstanceOf(Bye.class);
        reply(new Reaped(false, List.of()));
        assertThat(node.state()).isEqualTo(FleetNode.State.LEFT);
    }

    @Test
    void nodeThatLeavesDoesNotRepeatALostHello() {
        node.tick(now);
        node.leave(now);
        node.failed(local.calls.getLast(), now);
        assertThat(node.state()).isEqualTo(FleetNode.State.LEFT);
        reply(new Joined(INCARNATION, 0, 1));
        reply(new Rejoin(""));
        pass(TTL);
        assertThat(local.requests).hasSize(1);
    }

    @Test
    void byeIsRepeatedUntilItIsAnswered() {
        join();
        node.leave(now);
        assertThat(last()).isInstanceOf(Bye.class);
        pass(HEARTBEAT);
        assertThat(local.requests.stream().filter(r -> r instanceof Bye)).hasSize(2);
        reply(new Reaped(false, List.of()));
        assertThat(node.state()).isEqualTo(FleetNode.State.LEFT);
    }

    @Test
    void onlyTheFirstHelloOfANodeMayFoundTheFleet() {
        NodeSettings settings =
                new NodeSettings("node-1", TTL, QUANTUM, LINGER, 0, UnreachableMode.STOP, 1, true, HEARTBEAT);
        node = new FleetNode(settings, local, () -> "s" + sessions++, now);
        node.tick(now);
        assertThat(((Hello) last()).founding()).isTrue();
        reply(new Joined(INCARNATION, 0, 1));
        pass(HEARTBEAT);
        reply(new Rejoin("")); // the data is lost, and others may hold permits
        assertThat(((Hello) last()).founding()).isFalse();
    }

    /** The store may have been learning when it was asked: then it grants nothing until it is asked again. */
    @Test
    void unmetClaimIsStatedAgainWhileOtherGroupsKeepTheStoreBusy() {
        join();
        local.queued.put("waits", 1);
        node.open("waits", 1, 1, now);
        grant(0, Grant.NO_TARGET);
        local.queued.put("busy", 1);
        node.open("busy", 10, 1, now);
        grant(1, Grant.NO_TARGET);
        List<String> stated = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            pass(HEARTBEAT / 2);
            local.queued.merge("busy", 1, Integer::sum);
            node.changed("busy", now);
            lastExchange().claims().forEach(claim -> stated.add(claim.group()));
            grant(local.queued.get("busy"), Grant.NO_TARGET);
        }
        assertThat(stated).contains("waits");
    }
}
