package io.github.kobe.fleet;

import io.github.kobe.fleet.FleetReply.Exchanged;
import io.github.kobe.fleet.FleetReply.Granted;
import io.github.kobe.fleet.FleetReply.Joined;
import io.github.kobe.fleet.FleetRequest.Exchange;
import io.github.kobe.internal.kernel.LeaseControl;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One executor in one shard of the store: drives a {@link FleetNode}, and connects it with the kernel and with the store.
 *
 * <p>Only a thread that holds the lock of the fleet calls it. The kernel reads the lease and {@link #expectsAnswer} on any thread.
 */
final class ShardSession implements FleetNode.Local {

    /** Until when tasks may start. */
    private record Lease(boolean always, long until) {
        boolean isValid(long now) {
            return always || now - until < 0;
        }
    }

    /** For so many reviews of the group the permits that a rejected caller would have used count as wanted. */
    private static final int ASKED_REVIEWS = 10;

    private final FleetMember member;
    private final FleetRuntime fleet;
    private final int shard;
    private final NodeSettings settings;
    private final FleetNode node;
    private final Map<String, MemberGroup> groups = new HashMap<>(); // by their names in the store
    private final Set<MemberGroup> asked = new LinkedHashSet<>(); // those with rejected callers
    private final DemandReader demand = new DemandReader();

    private volatile Lease lease;
    private volatile boolean expectsAnswer = true;
    private long lostCalls; // that have been noticed
    private boolean leaving;
    private long leavingSince;
    private boolean abandoned;

    /** What the kernel says of a group. */
    private static final class DemandReader implements LeaseControl.DemandVisitor {
        private int limit;
        private int used;
        private int wanted;
        private int firstCost;

        @Override
        public void firstCost(int cost) {
            firstCost = cost;
        }

        @Override
        public void visit(String key, int configured, int inUse, int ofUse) {
            limit = configured;
            used = inUse;
            wanted = ofUse;
        }
    }

    ShardSession(FleetMember member, FleetRuntime fleet, int shard, NodeSettings settings, long now) {
        this.member = member;
        this.fleet = fleet;
        this.shard = shard;
        this.settings = settings;
        this.lease = new Lease(false, now);
        this.node = new FleetNode(settings, this, () -> UUID.randomUUID().toString(), now);
    }

    // ---- any thread ------------------------------------------------------------------------------------------------

    boolean mayStart(long now) {
        return lease.isValid(now);
    }

    /** Whether it is worth to wait for the answer about a group that is new. */
    boolean expectsAnswer() {
        return expectsAnswer;
    }

    // ---- events ----------------------------------------------------------------------------------------------------

    /** Says hello to the store. */
    void join() {
        node.tick(fleet.now());
        noticeLostCalls();
    }

    /** The kernel says that it is worth to review the group. */
    void changed(MemberGroup group) {
        group.taken();
        long now = fleet.now();
        boolean open = read(group);
        boolean rejected = group.takeRejected(demand.used, now + settings.reviewInterval() * ASKED_REVIEWS);
        if (rejected) {
            asked.add(group);
            demand.limit = open ? demand.limit : group.rejectedLimit();
        }
        if (open || rejected) {
            open(group, demand.limit, now);
        } else if (!group.isAsked(now)) {
            close(group, now);
        }
        noticeLostCalls();
    }

    private void open(MemberGroup group, int limit, long now) {
        groups.put(group.name, group);
        GroupLease known = node.leaseOf(group.name);
        if (known == null || known.retired || known.policyLimit != limit) {
            node.open(group.name, limit, member.settings().version(), now);
        } else {
            node.changed(group.name, now);
        }
    }

    private void close(MemberGroup group, long now) {
        node.retired(group.name, now);
        group.closed();
        forgetIfUnknown(group);
    }

    /** The node may have forgotten a group that has retired. */
    private void forgetIfUnknown(MemberGroup group) {
        if (node.leaseOf(group.name) == null) {
            groups.remove(group.name);
            asked.remove(group);
            member.forget(group);
        }
    }

    void answered(long call, FleetRequest request, @Nullable FleetReply reply, @Nullable Throwable failure) {
        long now = fleet.now();
        if (reply == null || failure != null) {
            if (!hasLeft()) { // otherwise the call was ended by the close of the connection
                fleet.storeFailed(request, failure);
            }
            node.failed(call, now);
        } else if (fits(request, reply)) {
            node.replied(call, reply, now);
            if (reply instanceof Joined joined) {
                expect(joined.learning() == 0);
                if (joined.learning() > 0) {
                    fleet.learns(member.executor(), joined.learning());
                }
            } else if (reply instanceof Exchanged exchanged) {
                expect(exchanged.learning() == 0);
            }
            if (reply instanceof Exchanged || reply instanceof Granted) {
                ((Exchange) request).claims().forEach(claim -> groupAnswered(claim.group()));
            }
        } else {
            fleet.wrongAnswer(request, reply);
            node.failed(call, now);
        }
        noticeLostCalls();
    }

    /** Whether a store that executes the calls as it should can give this answer. */
    private static boolean fits(FleetRequest request, FleetReply reply) {
        boolean ofSession = reply instanceof FleetReply.Rejoin || reply instanceof FleetReply.Old;
        return switch (request) {
            case FleetRequest.Hello hello ->
                ofSession || reply instanceof Joined || reply instanceof FleetReply.Refused;
            case Exchange exchange ->
                ofSession
                        || (reply instanceof Exchanged exchanged
                                && exchange.renews()
                                && namesOf(exchange).equals(namesOf(exchanged.grants())))
                        || (reply instanceof Granted granted
                                && !exchange.renews()
                                && namesOf(exchange).equals(namesOf(granted.grants())));
            case FleetRequest.Bye bye -> ofSession || reply instanceof FleetReply.Reaped;
            case FleetRequest.Reap reap -> reply instanceof FleetReply.Rejoin || reply instanceof FleetReply.Reaped;
            case FleetRequest.Configure configure -> false; // not a call of a node
            case FleetRequest.Look look -> false;
        };
    }

    private static List<String> namesOf(Exchange exchange) {
        return exchange.claims().stream().map(Claim::group).toList();
    }

    private static List<String> namesOf(List<Grant> grants) {
        return grants.stream().map(Grant::group).toList();
    }

    private void groupAnswered(String name) {
        MemberGroup group = groups.get(name);
        if (group == null) {
            return;
        }
        GroupLease known = node.leaseOf(name);
        if (known == null || known.retired) {
            forgetIfUnknown(group);
        } else {
            if (group.answered()) {
                apply(group);
            }
            applyLimit(group, known);
        }
    }

    void pushed(FleetPush push) {
        node.pushed(push, fleet.now());
        for (Grant grant : push.grants()) {
            MemberGroup group = groups.get(grant.group());
            GroupLease known = node.leaseOf(grant.group());
            if (group != null && known != null) {
                applyLimit(group, known);
            }
        }
    }

    /** If the limit in force has changed, more or fewer permits are of use. */
    private void applyLimit(MemberGroup group, GroupLease known) {
        if (group.setLimit(known.policyLimit, known.limit)) {
            apply(group);
            node.changed(group.name, fleet.now());
        }
    }

    void available() {
        node.available(fleet.now());
    }

    /** Returns every permit, and ends when none is in use. */
    void leave() {
        if (!leaving) {
            leaving = true;
            leavingSince = fleet.now();
            expect(false);
            node.leave(leavingSince);
        }
    }

    boolean hasLeft() {
        return abandoned || node.state() == FleetNode.State.LEFT;
    }

    /** Whether there is nothing to be told to the store now. */
    boolean isSettled() {
        return hasLeft() || node.isSettled();
    }

    /** Does what is due. Returns after how many nanoseconds it has to be called again. */
    long advance(long now) {
        if (node.nanosToWait(now) <= 0) {
            node.tick(now);
            noticeLostCalls();
        }
        long wait = node.nanosToWait(now);
        if (!asked.isEmpty()) {
            wait = Math.min(wait, advanceAsked(now));
        }
        if (leaving && !hasLeft()) {
            abandoned = now - leavingSince > settings.ttl() && usesNothing(); // its session has expired by itself
        }
        return wait;
    }

    private long advanceAsked(long now) {
        long wait = Long.MAX_VALUE;
        for (MemberGroup group : List.copyOf(asked)) {
            if (group.isAsked(now)) {
                wait = Math.min(wait, group.askedUntil() - now);
            } else {
                asked.remove(group);
                changed(group);
            }
        }
        return wait;
    }

    private boolean usesNothing() {
        return groups.keySet().stream().allMatch(name -> demand(name).used() == 0);
    }

    private void noticeLostCalls() {
        if (node.lostCalls() != lostCalls) {
            lostCalls = node.lostCalls();
            expect(false);
        }
    }

    /** If no answer is to be expected soon, callers do not wait for one. */
    private void expect(boolean soon) {
        boolean expected = expectsAnswer;
        expectsAnswer = soon && !leaving;
        if (expected && !expectsAnswer) {
            for (MemberGroup group : List.copyOf(groups.values())) {
                if (group.answered()) {
                    apply(group);
                }
            }
        }
    }

    // ---- what the node asks for ------------------------------------------------------------------------------------

    private boolean read(MemberGroup group) {
        demand.used = 0;
        demand.wanted = 0;
        demand.firstCost = 1;
        if (group == member.total()) {
            demand.limit = member.totalLimitOfPolicy();
            demand.used = member.kernel().totalInUse();
            demand.wanted = member.kernel().totalWanted();
            demand.firstCost = member.kernel().totalFirstCost();
            return true;
        }
        return group.shared == null
                ? member.kernel().visitDemand(group.key, demand)
                : member.kernel().visitDemand(group.shared, demand);
    }

    private int apply(MemberGroup group) {
        LeaseControl kernel = member.kernel();
        if (group == member.total()) {
            return kernel.totalLeasedChanged();
        }
        return group.shared == null ? kernel.leasedChanged(group.key) : kernel.leasedChanged(group.shared);
    }

    private MemberGroup group(String name) {
        return Objects.requireNonNull(groups.get(name), "unknown group");
    }

    @Override
    public FleetNode.Demand demand(String name) {
        MemberGroup group = group(name);
        read(group);
        int queued = Math.max(demand.wanted - demand.used, group.askedBeyond(demand.used, fleet.now()));
        return new FleetNode.Demand(demand.used, queued, demand.firstCost);
    }

    @Override
    public int bind(String name, int permits) {
        MemberGroup group = group(name);
        group.bind(permits);
        return apply(group);
    }

    @Override
    public void awaits(String name, boolean permits) {
        group(name).setAwaits(permits);
    }

    @Override
    public void returnsUnused(String name, boolean atOnce) {
        member.setReturnsUnused(group(name), atOnce);
    }

    @Override
    public long admitted(String name) {
        MemberGroup group = group(name);
        return group == member.total() || group.shared != null
                ? 0
                : member.kernel().admitted(group.key);
    }

    @Override
    public void lease(boolean always, long until) {
        Lease set = new Lease(always, until);
        lease = set;
        if (set.isValid(fleet.now())) {
            member.kernel().renewed();
        } else {
            member.kernel().lapsed();
        }
    }

    @Override
    public void leaseLost() {
        fleet.leaseLost(member.executor());
        if (member.settings().onLeaseLost() == LeaseLostAction.INTERRUPT) {
            List<MemberGroup> lost = List.copyOf(groups.values());
            String reason = "the lease of fleet '" + fleet.name() + "' is over";
            // not on the thread of the fleet: listeners are told of each
            Thread.ofVirtual()
                    .name("fleet-" + fleet.name() + "-interrupt")
                    .start(() -> lost.forEach(group -> cancelRunning(group, reason)));
        }
    }

    private void cancelRunning(MemberGroup group, String reason) {
        if (group == member.total()) {
            member.kernel().cancelRunningOfAllGroups(reason);
        } else if (group.shared == null) {
            member.kernel().cancelRunning(group.key, reason);
        } else {
            member.kernel().cancelRunning(group.shared, reason);
        }
    }

    @Override
    public void refused(String reason) {
        expect(false);
        fleet.refused(reason);
    }

    @Override
    public void send(long call, FleetRequest request) {
        StoreCall.send(fleet.connection(), shard, request)
                .whenComplete((reply, failure) -> fleet.handle(() -> answered(call, request, reply, failure)));
    }

    // ---- snapshots, under the lock of the fleet --------------------------------------------------------------------

    FleetStats.Session stats(long now) {
        return new FleetStats.Session(
                member.executor(),
                shard,
                node.session(),
                SessionState.valueOf(node.state().name()),
                Duration.ofNanos(node.leaseLeft(now)),
                Duration.ofMillis(node.learning()),
                node.nodes());
    }

    long exchanges() {
        return node.exchanges();
    }

    long lostCalls() {
        return node.lostCalls();
    }

    void forEachGroup(Consumer<FleetGroupStats> action) {
        for (GroupLease known : node.leases()) {
            MemberGroup group = groups.get(known.group);
            if (group != null && group.shared == null) {
                action.accept(statsOf(group, known));
            }
        }
    }

    void forEachSharedLimit(Consumer<FleetSharedLimitStats> action) {
        for (GroupLease known : node.leases()) {
            MemberGroup group = groups.get(known.group);
            if (group != null && group.shared != null) {
                action.accept(
                        new FleetSharedLimitStats(group.shared.name(), group.shared.value(), statsOf(group, known)));
            }
        }
    }

    @Nullable
    FleetGroupStats statsOf(String name) {
        GroupLease known = node.leaseOf(name);
        MemberGroup group = groups.get(name);
        return known == null || group == null ? null : statsOf(group, known);
    }

    private FleetGroupStats statsOf(MemberGroup group, GroupLease known) {
        read(group);
        int used = demand.used;
        int wanted = Math.min(known.limit, Math.max(demand.wanted, used + group.askedBeyond(used, fleet.now())));
        return new FleetGroupStats(
                group.key,
                known.limit,
                known.paused,
                known.held,
                Math.max(used, wanted),
                used,
                Math.max(0, used - known.held));
    }
}
