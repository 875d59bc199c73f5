package io.github.kobe.fleet;

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
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedSet;
import java.util.Set;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A node in one shard: decides what to tell the store, how many permits each group may use, and until when. It has no thread and no clock. Each
 * event comes with the time ({@link System#nanoTime}), and what is to be done goes through {@link Local}. {@code docs/design/fleet.md} has the rules and
 * their reasons. Not thread-safe.
 *
 * <pre>
 *   state         means                                              next
 *   JOINING       a hello is sent, or will be                        REGISTERING on Joined
 *   REGISTERING   claims on all that is held or used are sent        MEMBER when each is answered
 *   MEMBER        each answered heartbeat renews the lease           JOINING with a new session on Rejoin
 *   LEFT          the end, after a bye
 * </pre>
 *
 * <p>A node that leaves starts nothing more. It stays in its state until no permit is in use, so that all it uses is known to the store. The lease is apart from the state: a node may have a valid lease while it joins again after the store lost data, and a member has none after
 * it was cut off.
 *
 * <p>Safety rests on one order. {@link #makeClaim} lowers the bound, then reads the permits in use, and then the claim is sent. {@link #apply} raises
 * the bound only by a grant for the latest claim that was sent on the group.
 */
final class FleetNode {

    /** The rest of the node: the groups of the kernel, and the connection to the store. Calls return at once. */
    interface Local {
        /** Reads what the kernel says of the group. */
        Demand demand(String group);

        /**
         * Sets how many permits of the group may be used. Those in use stay in use.
         *
         * @return the permits in use, read after the bound was set
         */
        int bind(String group, int permits);

        /**
         * Says whether the store knows that the node waits for permits of the group. While it does, {@link FleetNode#changed} need not be called when more
         * tasks are queued: the node reviews the group at short intervals.
         */
        default void awaits(String group, boolean permits) {}

        /**
         * Says whether permits of the group are returned as soon as none is in use, because other nodes wait for them. While they are not, {@link FleetNode#changed} need not
         * be called then: the node reviews the group with each heartbeat.
         */
        default void returnsUnused(String group, boolean atOnce) {}

        /** Returns how many tasks of the group were admitted so far. */
        default long admitted(String group) {
            return 0;
        }

        /**
         * Sets until when tasks may start.
         *
         * @param always whether they may always, because the store cannot be reached and the mode allows it
         * @param until the time until which they may otherwise
         */
        void lease(boolean always, long until);

        /** The lease is over, and was not renewed. */
        void leaseLost();

        /** The fleet does not accept the node. It tries again later. */
        void refused(String reason);

        /** Sends a call. The answer comes by {@link FleetNode#replied} or {@link FleetNode#failed}, with the same number. */
        void send(long call, FleetRequest request);
    }

    /**
     * What the kernel says of a group, at one time.
     *
     * @param used the permits of the group that are in use
     * @param queued how many tasks would start now if the fleet had no limit for the group
     * @param firstCost what the next queued task of the group costs, if it waits for permits of the group, and costs more than there are; otherwise 1
     */
    record Demand(int used, int queued, int firstCost) {}

    enum State {
        JOINING,
        REGISTERING,
        MEMBER,
        LEFT
    }

    /** A call that is not answered. */
    private record Sent(FleetRequest request, long at, List<GroupLease> leases) {}

    /** A permit that cannot be used yet, because a limit that comes later has no room, is kept for so many reviews of the group. */
    private static final int BLOCKED_REVIEWS = 10;

    private static final int MAX_OUTSTANDING = 64;

    /**
     * How many claims that nobody waits for are in one exchange at most, and how many of them are in it at least, if there are so many. An urgent claim goes into the next exchange, and waits until
     * the one before it was executed, so that must not take long.
     */
    static final int MAX_NOT_URGENT = 16;

    private final NodeSettings settings;
    private final Local local;
    private final Supplier<String> sessionNames;
    private final Map<String, GroupLease> leases = new HashMap<>();
    private final Set<GroupLease> reviewedByHeartbeat = new LinkedHashSet<>(); // see isReviewedByHeartbeat

    /** Their claims go into the next exchange: tasks here or elsewhere wait for them. */
    private final SequencedSet<GroupLease> urgent = new LinkedHashSet<>();

    private final Set<GroupLease> due = new LinkedHashSet<>(); // claims that nobody waits for
    private final Set<GroupLease> reviewedOften = new LinkedHashSet<>(); // reviewed at every interval
    private final Set<GroupLease> unregistered = new LinkedHashSet<>();
    private final Map<Long, Sent> outstanding = new LinkedHashMap<>();

    private State state = State.JOINING;
    private boolean leaving;
    private String session;
    private String incarnation = "";
    private long calls; // number of the last call; the sequence number of the session
    private long inFlight; // the exchange, hello or bye that is not answered; 0: none
    private long inFlightAt;
    private long heartbeatAt; // when the last one was sent, or the last hello
    private boolean heartbeatDue = true;
    private boolean backingOff;
    private long retryAt;

    private long leaseUntil;
    private boolean lapsed; // the lease is over
    private boolean hadLease;
    private boolean hasJoined; // once: a store without data is not that of a new fleet any more

    private long pollAt;
    private long nextPush = 1;
    private long awaitedPush; // an answer has told of pushes up to this one; 0: none is missing
    private boolean pushGap; // a later push came before an earlier one
    private long missingSince;
    private boolean resync; // all claims are stated again, so the next answer tells where to count from
    private String reaping = ""; // the session whose permits are being taken back; empty: none
    private long reapSentAt;
    private int nodes = 1;
    private long learning;
    private long exchanges;
    private long lost;

    /**
     * Creates a node that will join.
     *
     * @param sessionNames each call returns a name that no session has or had
     */
    FleetNode(NodeSettings settings, Local local, Supplier<String> sessionNames, long now) {
        this.settings = settings;
        this.local = local;
        this.sessionNames = sessionNames;
        this.session = sessionNames.get();
        this.leaseUntil =
                now + settings.leaseTime(); // nothing is held; but the store counts as unreachable only after this
        this.heartbeatAt = now;
        this.pollAt = now;
    }

    State state() {
        return state;
    }

    String session() {
        return session;
    }

    /** Returns what the node knows of a group; {@code null} if it has forgotten it, or never knew it. */
    @Nullable
    GroupLease leaseOf(String group) {
        return leases.get(group);
    }

    /** Returns the groups that the node knows. */
    Collection<GroupLease> leases() {
        return Collections.unmodifiableCollection(leases.values());
    }

    /** Returns for how many nanoseconds tasks may start, if the lease is not renewed; 0 if it is over, or there was none yet. */
    long leaseLeft(long now) {
        return hadLease ? Math.max(0, leaseUntil - now) : 0;
    }

    /** Returns the number of sessions in the shard, as the store said last. */
    int nodes() {
        return nodes;
    }

    /** Returns for how many milliseconds the store does not grant permits, as it said last. */
    long learning() {
        return learning;
    }

    /** Whether no call is in flight, and none is to be sent before the next heartbeat. */
    boolean isSettled() {
        return inFlight == 0 && isNothingDue() && reaping.isEmpty();
    }

    /** Returns how many exchanges were sent. */
    long exchanges() {
        return exchanges;
    }

    /** Returns how many calls were not answered in time, or failed. */
    long lostCalls() {
        return lost;
    }

    // ---- events -----------------------------------------------------------------------------------------------

    /** A group is used for the first time, or its limit in the policy has changed. */
    void open(String group, int limit, long version, long now) {
        GroupLease lease = leases.get(group);
        if (lease == null) {
            lease = new GroupLease(group, limit, version);
            leases.put(group, lease);
            local.bind(group, 0);
        } else {
            if (lease.limit == lease.policyLimit) {
                lease.limit = limit;
            }
            lease.policyLimit = limit;
            lease.version = version;
            lease.retired = false;
            due.add(lease);
        }
        review(lease, now);
        advance(now);
    }

    /** More tasks are queued than there are permits, or a permit was returned that may not be used again. */
    void changed(String group, long now) {
        GroupLease lease = leases.get(group);
        if (lease != null) {
            review(lease, now);
            advance(now);
        }
    }

    /** The kernel has forgotten the group. */
    void retired(String group, long now) {
        GroupLease lease = leases.get(group);
        if (lease != null) {
            lease.retired = true;
            review(lease, now);
            if (lease.claim == 0 && lease.bound == 0) {
                leases.remove(group);
                reviewedByHeartbeat.remove(lease);
                urgent.remove(lease);
                due.remove(lease);
                heartbeatDue |= unregistered.remove(lease); // otherwise the node would wait for its registration
            }
            advance(now);
        }
    }

    /** Time has passed: at least as much as {@link #nanosToWait} said, or less. */
    void tick(long now) {
        advance(now);
    }

    /** The store can be reached again, or pushes may have been lost. */
    void available(long now) {
        backingOff = false;
        heartbeatDue = true;
        advance(now);
    }

    /** The node takes no more part. It stays until no permit is in use, and then says so. */
    void leave(long now) {
        leaving = true;
        reviewAll(now);
        advance(now);
    }

    private boolean usesNothing() {
        return leases.values().stream().allMatch(lease -> used(lease) == 0);
    }

    private int used(GroupLease lease) {
        return local.demand(lease.group).used();
    }

    /** A call was answered. */
    void replied(long call, FleetReply reply, long now) {
        Sent sent = outstanding.remove(call);
        if (sent == null) {
            return; // of a session that is over
        }
        if (call == inFlight) {
            inFlight = 0;
        }
        switch (reply) {
            case Joined joined -> joined(joined, sent, now);
            case Exchanged exchanged -> exchanged(call, exchanged, sent, now);
            case Granted granted -> granted(call, granted.grants(), 0, sent, now); // any push for these claims is later
            case Rejoin rejoin -> rejoin(rejoin, sent, now);
            case Old old -> {
                calls = Math.max(calls, old.seq());
                lostCall(sent);
            }
            case Reaped reaped -> reaped(reaped, sent, now);
            case Refused refused -> {
                local.refused(refused.reason());
                backOff(now, settings.heartbeat());
            }
            case FleetReply.Configured c -> {} // not asked for by this class
            case FleetReply.Snapshot p -> {}
        }
        advance(now);
    }

    /** It is not known whether a call was executed. */
    void failed(long call, long now) {
        Sent sent = outstanding.remove(call);
        if (sent == null) {
            return;
        }
        if (call == inFlight) {
            inFlight = 0;
        }
        lostCall(sent);
        backOff(now, settings.backoff());
        advance(now);
    }

    /** A push has come. */
    void pushed(FleetPush push, long now) {
        if (!push.session().equals(session) || state == State.JOINING || state == State.LEFT) {
            return;
        }
        countPush(push.number(), now);
        for (Grant grant : push.grants()) {
            GroupLease lease = leases.get(grant.group());
            if (lease != null) {
                apply(lease, grant, push.number(), now);
            }
        }
        advance(now);
    }

    // ---- answers ----------------------------------------------------------------------------------------------

    private void joined(Joined joined, Sent sent, long now) {
        if (state != State.JOINING) {
            return;
        }
        hasJoined = true;
        incarnation = joined.incarnation();
        learning = joined.learning();
        nodes = Math.max(1, joined.nodes());
        state = State.REGISTERING;
        for (GroupLease lease : leases.values()) {
            if (lease.held > 0 || used(lease) > 0) {
                unregistered.add(lease);
                urgent.addFirst(lease); // before those that ask: until all is registered, the lease is not renewed
            }
        }
        becomeMemberIfRegistered(sent.at(), now);
        reviewAll(now);
    }

    private void becomeMemberIfRegistered(long sentAt, long now) {
        if (state == State.REGISTERING && unregistered.isEmpty()) {
            state = State.MEMBER;
            renew(sentAt, now);
        }
    }

    private void exchanged(long call, Exchanged exchanged, Sent sent, long now) {
        learning = exchanged.learning();
        nodes = Math.max(1, exchanged.nodes());
        sent.leases().forEach(unregistered::remove);
        if (state == State.REGISTERING) {
            becomeMemberIfRegistered(sent.at(), now);
        } else {
            renew(sent.at(), now);
        }
        granted(call, exchanged.grants(), exchanged.pushed(), sent, now);
        awaitPushes(exchanged.pushed(), now);
        if (!exchanged.expired().isEmpty() && reaping.isEmpty()) {
            reap(exchanged.expired(), List.of(), now);
        }
    }

    private void granted(long call, List<Grant> grants, long pushed, Sent sent, long now) {
        Iterator<GroupLease> answered = sent.leases().iterator();
        for (Grant grant : grants) {
            GroupLease lease = answered.next();
            apply(lease, grant, pushed, now);
            if (lease.claim == call) {
                lease.claimLost = false;
                forgetIfGone(lease);
            }
        }
    }

    private void renew(long sentAt, long now) {
        long until = sentAt + settings.leaseTime();
        if (hadLease && until - leaseUntil <= 0) {
            return;
        }
        leaseUntil = until;
        hadLease = true;
        if (until - now > 0 && lapsed) {
            lapsed = false;
            leases.values().forEach(lease -> lease.heldAtLoss = 0);
            reviewAll(now); // before tasks may start
        }
        local.lease(lapsed && opensWhenLapsed(), leaseUntil);
    }

    private void rejoin(Rejoin rejoin, Sent sent, long now) {
        if (state == State.LEFT) {
            return;
        }
        if (leaving && usesNothing()) {
            if (isOwnEnd(sent.request()) || state == State.JOINING) {
                state = State.LEFT;
            }
            return; // a bye is on its way, or will be
        }
        boolean dataLost = !rejoin.incarnation().equals(incarnation);
        state = State.JOINING;
        session = sessionNames.get();
        incarnation = "";
        outstanding.clear();
        unregistered.clear();
        urgent.clear();
        due.clear();
        inFlight = 0;
        reaping = "";
        nextPush = 1;
        awaitedPush = 0;
        pushGap = false;
        leases.values().forEach(GroupLease::newSession);
        if (!dataLost || isOver(now)) {
            leases.values().forEach(GroupLease::loseHeld);
            if (lapsed) {
                reviewAll(now);
            } else {
                leaseUntil = now;
                lapse(now);
            }
        }
    }

    private void lostCall(Sent sent) {
        lost++;
        for (GroupLease lease : sent.leases()) {
            if (isCurrent(lease)) {
                lease.claimLost = true;
                if (unregistered.contains(lease)) {
                    urgent.addFirst(lease);
                } else {
                    (lease.isWaiting() || lease.target != Grant.NO_TARGET ? urgent : due).add(lease);
                }
            }
        }
        if (sent.request() instanceof Reap) {
            reaping = "";
        } else {
            heartbeatDue = true;
        }
    }

    /** A group that was forgotten may have been opened again. A claim for what it had before would give up the permits that it has now. */
    @SuppressWarnings("ReferenceEquality") // the same lease, not an equal one
    private boolean isCurrent(GroupLease lease) {
        return leases.get(lease.group) == lease;
    }

    private void reap(String expired, List<String> groups, long now) {
        reaping = expired;
        reapSentAt = now;
        send(++calls, new Reap(incarnation, expired, groups), List.of(), now);
    }

    private void reaped(Reaped reaped, Sent sent, long now) {
        reaping = "";
        if (reaped.groups().isEmpty()) {
            if (isOwnEnd(sent.request())) {
                state = State.LEFT;
            }
        } else {
            String expired = sent.request() instanceof Reap reap ? reap.expired() : session;
            reap(expired, reaped.groups(), now);
        }
    }

    private boolean isOwnEnd(FleetRequest request) {
        return request instanceof Bye
                || (request instanceof Reap reap && reap.expired().equals(session));
    }

    // ---- pushes -----------------------------------------------------------------------------------------------

    /** A push with this number has come. */
    private void countPush(long number, long now) {
        if (number > nextPush) {
            noteMissing(now);
            pushGap = true;
        }
        nextPush = Math.max(nextPush, number + 1);
        if (nextPush > awaitedPush) {
            awaitedPush = 0;
        }
    }

    /** There were so many pushes. The last ones may still be on their way. */
    private void awaitPushes(long pushed, long now) {
        if (resync) {
            resync = false;
            nextPush = Math.max(nextPush, pushed + 1);
        } else if (pushed >= nextPush) {
            noteMissing(now);
            awaitedPush = pushed;
        }
    }

    private void noteMissing(long now) {
        if (!missesPush()) {
            missingSince = now;
        }
    }

    private boolean missesPush() {
        return pushGap || awaitedPush != 0;
    }

    private void apply(GroupLease lease, Grant grant, long number, long now) {
        if (grant.seq() != lease.claim || lease.claim == 0) {
            return; // the node has said something else since
        }
        if (grant.granted() > lease.held) {
            lease.held = grant.granted();
            lease.raisedAt = now;
        }
        if (number >= lease.newsNumber) {
            lease.newsNumber = number;
            lease.target = grant.target();
            lease.limit = grant.limit();
            lease.paused = grant.paused();
        }
        review(lease, now);
    }

    // ---- bounds and claims ------------------------------------------------------------------------------------

    private int wanted(GroupLease lease, Demand demand) {
        return lease.retired || leaving ? 0 : Math.min(demand.used() + demand.queued(), lease.limit);
    }

    /** Returns how many permits are of use at least; 0 if each is. */
    private static int least(GroupLease lease, Demand demand, int used, int wanted) {
        int cost = wanted > used ? demand.firstCost() : 1;
        return cost > 1 && used + cost <= lease.limit ? used + cost : 0;
    }

    /** Returns how many permits the group may use. */
    private int allowed(GroupLease lease, int used, int wanted, long now) {
        if (lease.paused || lease.retired || leaving) {
            return 0;
        }
        if (lapsed) {
            return switch (settings.whenUnreachable()) {
                case STOP -> lease.held;
                case KEEP_LAST -> Math.max(lease.held, lease.heldAtLoss);
                case SHARE -> Math.max(1, lease.limit / nodes);
                case OPEN -> lease.limit;
            };
        }
        return lease.target == Grant.NO_TARGET
                ? boundWithoutTarget(lease, wanted, now)
                : boundWithTarget(lease, used, wanted, now);
    }

    /** Nobody else waits: what has not been wanted for long is returned. */
    private int boundWithoutTarget(GroupLease lease, int wanted, long now) {
        long admitted = local.admitted(lease.group);
        boolean inUse = admitted != lease.admitted && settings.linger() > 0;
        lease.admitted = admitted;
        if (wanted >= lease.held || inUse) { // short tasks come and go between two reviews
            lease.spare = false;
            return lease.held;
        }
        if (!lease.spare) {
            lease.spare = true;
            lease.spareSince = now;
            lease.peak = 0;
        }
        lease.peak = Math.max(lease.peak, wanted);
        if (now - lease.spareSince < settings.linger()) {
            return lease.held;
        }
        return Math.min(lease.held, lease.peak);
    }

    /** Others wait: what is not wanted is returned now, and what is above the target after the quantum. */
    private int boundWithTarget(GroupLease lease, int used, int wanted, long now) {
        lease.spare = false;
        int permits = Math.min(lease.held, wanted);
        if (lease.target < permits) {
            boolean blocked = used < lease.bound && wanted > used;
            long kept = blocked
                    ? Math.max(settings.quantum(), BLOCKED_REVIEWS * settings.reviewInterval())
                    : settings.quantum();
            if (now - lease.raisedAt >= kept) {
                return lease.target;
            }
            pollAt = earlier(pollAt, lease.raisedAt + kept);
        }
        return permits;
    }

    private void reviewAll(long now) {
        List.copyOf(leases.values()).forEach(lease -> review(lease, now));
    }

    /** Looks at a group: sets its bound, and decides whether the store has to know. */
    private void review(GroupLease lease, long now) {
        if (reviewedOften.isEmpty()) {
            pollAt = now + settings.reviewInterval();
        }
        if (!lease.isWaiting()) {
            local.awaits(lease.group, false); // first: a task that is queued after the demand was read is told of
        }
        boolean returnsUnused = lease.target != Grant.NO_TARGET || settings.linger() == 0;
        local.returnsUnused(lease.group, returnsUnused); // first: a permit that is returned later is told of
        Demand demand = local.demand(lease.group);
        int wanted = wanted(lease, demand);
        int used = bind(lease, allowed(lease, demand.used(), wanted, now), demand.used());
        boolean unknown = lease.claim == 0 && (lease.held > 0 || used > 0 || wanted > 0);
        boolean returns = keep(lease, used) < lease.held;
        boolean debtChanged = Math.max(used, lease.claimedUsed) > lease.held && used != lease.claimedUsed;
        boolean asks = wanted > lease.held && !lease.isWaiting();
        boolean corrects = lease.isWaiting()
                && (wanted != lease.claimedWanted || least(lease, demand, used, wanted) != lease.claimedLeast)
                && now - lease.claimedAt >= settings.reviewInterval();
        if (asks || (returns && lease.target != Grant.NO_TARGET)) {
            urgent.add(lease);
        } else if (unknown || returns || debtChanged || corrects || lease.claimLost) {
            due.add(lease);
        }
        if (lease.isWaiting() || wanted > lease.held || (lease.target != Grant.NO_TARGET && lease.held > 0)) {
            reviewedOften.add(lease);
        } else {
            reviewedOften.remove(lease);
        }
        if (lease.isWaiting()) {
            local.awaits(lease.group, true);
        }
        if (lease.isReviewedByHeartbeat()) {
            reviewedByHeartbeat.add(lease);
        } else {
            reviewedByHeartbeat.remove(lease);
        }
    }

    private int bind(GroupLease lease, int permits, int used) {
        if (permits == lease.bound) {
            return used;
        }
        lease.bound = permits;
        return local.bind(lease.group, permits);
    }

    /** Returns the held permits that cannot be returned now: those that may be used, and those in use. */
    private static int keep(GroupLease lease, int used) {
        return Math.min(lease.held, Math.max(lease.bound, used));
    }

    /** Makes the claim of a group. From now on only what it says may be used, until it is answered. */
    private @Nullable Claim makeClaim(GroupLease lease, long call, long now) {
        local.awaits(lease.group, false); // first, as in a review
        Demand demand = local.demand(lease.group);
        int wanted = wanted(lease, demand);
        int used = bind(lease, allowed(lease, demand.used(), wanted, now), demand.used());
        int keep = keep(lease, used);
        int known = lease.held;
        lease.held = keep;
        if (lease.claim == 0 && keep == 0 && used == 0 && wanted == 0) {
            return null; // the store knows nothing of it, and need not
        }
        lease.claim = call;
        reviewedByHeartbeat.add(lease);
        lease.claimedAt = now;
        lease.claimedUsed = used;
        lease.claimedWanted = wanted;
        lease.claimedLeast = least(lease, demand, used, wanted);
        lease.claimLost = false;
        lease.newsNumber = 0;
        lease.spare = false; // measured anew for what is kept
        if (lease.isWaiting()) {
            reviewedOften.add(lease);
            local.awaits(lease.group, true);
        }
        return new Claim(lease.group, lease.policyLimit, lease.version, known, keep, used, wanted, lease.claimedLeast);
    }

    /** The store has removed the entry when a claim that wants and keeps nothing is answered. */
    private void forgetIfGone(GroupLease lease) {
        boolean gone = lease.claimedWanted == 0 && lease.claimedUsed == 0 && lease.held == 0 && !lease.claimLost;
        if (gone && !due.contains(lease) && !urgent.contains(lease)) {
            lease.claim = 0;
            reviewedOften.remove(lease);
            if (lease.retired && used(lease) == 0) {
                leases.remove(lease.group, lease);
                reviewedByHeartbeat.remove(lease);
            }
        }
    }

    // ---- time -------------------------------------------------------------------------------------------------

    private boolean isOver(long now) {
        return now - leaseUntil >= 0;
    }

    private boolean opensWhenLapsed() {
        return settings.whenUnreachable() != UnreachableMode.STOP;
    }

    private void lapse(long now) {
        if (lapsed) {
            return;
        }
        lapsed = true;
        for (GroupLease lease : leases.values()) {
            if (lease.claim == 0 || unregistered.contains(lease)) {
                lease.loseHeld(); // the store has lost its data, and does not know of them
            }
        }
        reviewAll(now);
        local.lease(opensWhenLapsed(), leaseUntil);
        if (hadLease) {
            local.leaseLost();
        }
    }

    private void advance(long now) {
        if (state == State.LEFT) {
            return;
        }
        if (!lapsed && isOver(now)) {
            lapse(now);
        }
        if (inFlight != 0 && now - inFlightAt >= settings.callTimeout()) {
            Sent sent = outstanding.get(inFlight);
            inFlight = 0;
            if (sent != null) {
                lostCall(sent); // but its answer, if it comes, still renews the lease
            }
        }
        if (!reaping.isEmpty() && now - reapSentAt >= settings.callTimeout()) {
            reaping = "";
        }
        if (!reviewedOften.isEmpty() && now - pollAt >= 0) {
            pollAt = now + settings.reviewInterval();
            List.copyOf(reviewedOften).forEach(lease -> review(lease, now));
        }
        if (missesPush() && now - missingSince >= settings.reviewInterval()) {
            pushGap = false;
            awaitedPush = 0;
            resync = true;
            leases.values().stream().filter(lease -> lease.claim != 0).forEach(due::add);
        }
        if (now - heartbeatAt >= settings.heartbeat()) {
            heartbeatDue = true;
        }
        flush(now);
    }

    private void flush(long now) {
        if (inFlight != 0) {
            return; // a hello too: once it is answered, a node that leaves says bye
        }
        boolean leaves = leaving && usesNothing();
        if (leaves && state == State.JOINING) {
            state = State.LEFT; // if the store has executed a lost hello all the same, the session expires
            return;
        }
        if (backingOff && now - retryAt < 0) {
            return;
        }
        backingOff = false;
        if (leaves) {
            bye(now);
        } else if (state == State.JOINING) {
            hello(now);
        } else {
            exchangeIfDue(now);
        }
    }

    private void bye(long now) {
        if (reaping.isEmpty()) {
            sendNext(call -> new Bye(session, call, incarnation), List.of(), now);
        }
    }

    private void sendNext(LongFunction<FleetRequest> request, List<GroupLease> claimed, long now) {
        inFlight = ++calls;
        inFlightAt = now;
        send(inFlight, request.apply(inFlight), claimed, now);
    }

    private void hello(long now) {
        heartbeatSent(now);
        sendNext(
                call -> new Hello(
                        session,
                        call,
                        settings.node(),
                        settings.ttlMillis(),
                        settings.reclaimAfterMillis(),
                        settings.shards(),
                        settings.founding() && !hasJoined),
                List.of(),
                now);
    }

    private void heartbeatSent(long now) {
        heartbeatAt = now;
        heartbeatDue = false;
    }

    private boolean isNothingDue() {
        return urgent.isEmpty() && due.isEmpty();
    }

    private void exchangeIfDue(long now) {
        if (isNothingDue() && !heartbeatDue) {
            return;
        }
        if (heartbeatDue) {
            for (GroupLease lease : List.copyOf(reviewedByHeartbeat)) {
                review(lease, now);
                if (lease.isWaiting()) {
                    due.add(lease);
                }
            }
        }
        List<Claim> claims = new ArrayList<>();
        List<GroupLease> claimed = new ArrayList<>();
        takeClaims(urgent, FleetRequest.MAX_GROUPS - (due.isEmpty() ? 0 : MAX_NOT_URGENT), claims, claimed, now);
        takeClaims(due, MAX_NOT_URGENT, claims, claimed, now);
        if (claims.isEmpty() && !heartbeatDue) {
            return;
        }
        exchanges++;
        boolean renews = heartbeatDue || needsHeartbeat();
        if (renews) {
            heartbeatSent(now);
        }
        sendNext(call -> new Exchange(session, call, incarnation, renews, claims), claimed, now);
    }

    private void takeClaims(Set<GroupLease> from, int most, List<Claim> claims, List<GroupLease> claimed, long now) {
        for (int left = most; left > 0 && !from.isEmpty(); ) {
            GroupLease lease = from.iterator().next();
            urgent.remove(lease);
            due.remove(lease);
            Claim claim = makeClaim(lease, calls + 1, now);
            if (claim != null) {
                claims.add(claim);
                claimed.add(lease);
                left--;
            } else if (unregistered.remove(lease)) {
                heartbeatDue = true; // nothing is left to register
            }
        }
    }

    /** Whether only the answer to a heartbeat says what the node has to know next. */
    private boolean needsHeartbeat() {
        return state != State.MEMBER || lapsed || learning > 0 || resync;
    }

    private void send(long call, FleetRequest request, List<GroupLease> claimed, long now) {
        outstanding.put(call, new Sent(request, now, claimed));
        if (outstanding.size() > MAX_OUTSTANDING) {
            outstanding.remove(outstanding.keySet().iterator().next());
        }
        local.send(call, request);
    }

    private void backOff(long now, long nanos) {
        backingOff = true;
        retryAt = now + nanos;
    }

    private static long earlier(long a, long b) {
        return a - b <= 0 ? a : b;
    }

    /** Returns after how many nanoseconds {@link #tick} is needed, if nothing else happens. */
    long nanosToWait(long now) {
        if (state == State.LEFT) {
            return Long.MAX_VALUE;
        }
        long at = heartbeatDue ? now + settings.heartbeat() : heartbeatAt + settings.heartbeat();
        if (!lapsed) {
            at = earlier(at, leaseUntil);
        }
        if (inFlight != 0) {
            at = earlier(at, inFlightAt + settings.callTimeout());
        }
        if (!reviewedOften.isEmpty()
                && inFlight == 0) { // what a review would find could not be sent before the answer, which reviews too
            at = earlier(at, pollAt);
        }
        if (missesPush()) {
            at = earlier(at, missingSince + settings.reviewInterval());
        }
        if (!reaping.isEmpty()) {
            at = earlier(at, reapSentAt + settings.callTimeout());
        }
        if (backingOff) {
            at = earlier(at, retryAt);
        }
        return Math.max(0, at - now);
    }
}
