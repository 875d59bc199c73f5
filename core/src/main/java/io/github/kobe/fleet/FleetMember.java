package io.github.kobe.fleet;

import io.github.kobe.internal.kernel.GroupLimits;
import io.github.kobe.internal.kernel.LeaseControl;
import io.github.kobe.internal.kernel.PermitLeases;
import io.github.kobe.internal.kernel.SharedKey;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * One executor in a fleet: the port that its kernel calls. Reads are of volatile fields. Hints put the group into the inbox of the fleet,
 * unless it is there already, so there is at most one entry for each open group.
 *
 * <p><b>No group is lost.</b> A group is forgotten by the thread of the fleet when it is not open. If it opens again at the same time, its hint finds
 * the forgotten object or makes a new one. The thread of the fleet removes the object first, and then checks whether the group is open: it sees the
 * group, or the hint comes later and makes a new object.
 */
final class FleetMember implements PermitLeases {

    private final String executor;
    private final FleetRuntime fleet;
    private final MemberSettings settings;
    private final List<ShardSession> sessions;
    private final Map<String, MemberGroup> groups = new ConcurrentHashMap<>(); // by key
    private final Map<SharedKey, MemberGroup> sharedLimits = new ConcurrentHashMap<>();
    private final @Nullable MemberGroup total;

    /** How many groups return permits as soon as none is in use. Changed by the thread of the fleet, before it reads the demand of the group. */
    private final AtomicInteger returning = new AtomicInteger();

    private volatile @Nullable LeaseControl kernel;

    FleetMember(String executor, FleetRuntime fleet, NodeSettings nodeSettings, MemberSettings settings, long now) {
        this.executor = executor;
        this.fleet = fleet;
        this.settings = settings;
        this.sessions = IntStream.range(0, nodeSettings.shards())
                .mapToObj(shard -> new ShardSession(this, fleet, shard, nodeSettings, now))
                .toList();
        this.total = settings.totalLimit() == null ? null : newGroup("", null, FleetNames.TOTAL);
    }

    private MemberGroup newGroup(String key, @Nullable SharedKey shared, String name) {
        return new MemberGroup(key, shared, name, sessionOfName(name));
    }

    private ShardSession sessionOfName(String name) {
        return sessions.get(FleetNames.shardOf(name, sessions.size()));
    }

    String executor() {
        return executor;
    }

    MemberSettings settings() {
        return settings;
    }

    List<ShardSession> sessions() {
        return sessions;
    }

    /** The limit over all groups; {@code null} if there is none. */
    @Nullable
    MemberGroup total() {
        return total;
    }

    int totalLimitOfPolicy() {
        return Objects.requireNonNullElse(settings.totalLimit(), GroupLimits.NOT_LEASED);
    }

    LeaseControl kernel() {
        return Objects.requireNonNull(kernel, "not attached");
    }

    private ShardSession sessionOf(String key) {
        return sessions.size() == 1 ? sessions.getFirst() : sessionOfName(FleetNames.ofGroup(key));
    }

    private ShardSession sessionOf(SharedKey key) {
        return sessions.size() == 1 ? sessions.getFirst() : sessionOfName(FleetNames.ofShared(key));
    }

    // ---- what the kernel reads -------------------------------------------------------------------------------------

    @Override
    public void attached(LeaseControl control) {
        kernel = control;
        fleet.add(this);
        announceTotal();
    }

    @Override
    public int leased(String key) {
        MemberGroup group = groups.get(key);
        return group == null ? leasedBeforeAnswer(sessionOf(key)) : leased(group);
    }

    @Override
    public int leased(SharedKey key) {
        MemberGroup shared = sharedLimits.get(key);
        return shared == null ? leasedBeforeAnswer(sessionOf(key)) : leased(shared);
    }

    private static int leased(MemberGroup group) {
        int leased = group.leased();
        return leased == UNKNOWN ? leasedBeforeAnswer(group.session) : leased;
    }

    /** What a group has that the store has not answered for: unknown while it is worth to wait for the answer, otherwise nothing. */
    private static int leasedBeforeAnswer(ShardSession session) {
        return session.expectsAnswer() ? UNKNOWN : 0;
    }

    @Override
    public int limit(SharedKey key, int configured) {
        MemberGroup shared = sharedLimits.get(key);
        return shared == null ? configured : shared.limitInForce(configured);
    }

    @Override
    public boolean mayStart(SharedKey key, long now) {
        if (sessions.size() == 1) {
            return sessions.getFirst().mayStart(now);
        }
        MemberGroup shared = sharedLimits.get(key);
        return (shared == null ? sessionOf(key) : shared.session).mayStart(now);
    }

    @Override
    public int limit(String key, int configured) {
        MemberGroup group = groups.get(key);
        return group == null ? configured : group.limitInForce(configured);
    }

    @Override
    public int totalLimit() {
        return total == null ? GroupLimits.NOT_LEASED : total.limitInForce(totalLimitOfPolicy());
    }

    @Override
    public int leasedInTotal() {
        return total == null ? GroupLimits.NOT_LEASED : leased(total);
    }

    @Override
    public boolean mayStart(String key, long now) {
        if (fleet.isClosing() || (total != null && !total.session.mayStart(now))) {
            return false;
        }
        if (sessions.size() == 1) {
            return sessions.getFirst().mayStart(now);
        }
        MemberGroup group = groups.get(key);
        return (group == null ? sessionOf(key) : group.session).mayStart(now);
    }

    @Override
    public boolean isOwnerThread() {
        return fleet.isOwnThread();
    }

    // ---- hints -----------------------------------------------------------------------------------------------------

    @Override
    public void wanted(String key) {
        MemberGroup group = group(key);
        if (!group.awaits()) {
            announce(group);
        }
    }

    @Override
    public void rejected(String key, int limit, int more) {
        MemberGroup group = group(key);
        group.rejected(limit, more);
        announce(group);
    }

    @Override
    public void released(String key) {
        announce(key);
    }

    /**
     * A hint only while unused permits are to be returned at once, because others wait. Otherwise they are kept for a while, and heartbeats
     * notice. The permit was returned before this reads {@link #returning}, and the thread of the fleet writes that before it reads the
     * demand. So one of the two sees the other.
     */
    @Override
    public void unused(String key) {
        if (returning.get() > 0) {
            MemberGroup group = groups.get(key);
            if (group != null && group.returnsUnused()) {
                announce(group);
            }
        }
    }

    @Override
    public void limitChanged(String key) {
        announce(key);
    }

    @Override
    public void retired(String key) {
        announce(key);
    }

    @Override
    public void wantedInTotal() {
        if (total != null && !total.awaits()) {
            announce(total);
        }
    }

    @Override
    public void rejectedInTotal() {
        if (total != null) {
            total.rejected(totalLimitOfPolicy(), 1);
        }
        announceTotal();
    }

    @Override
    public void releasedInTotal() {
        announceTotal();
    }

    @Override
    public void opened(SharedKey key) {
        announce(shared(key));
    }

    @Override
    public void wanted(SharedKey key) {
        MemberGroup shared = shared(key);
        if (!shared.awaits()) {
            announce(shared);
        }
    }

    @Override
    public void rejected(SharedKey key, int limit) {
        MemberGroup shared = shared(key);
        shared.rejected(limit, 1);
        announce(shared);
    }

    @Override
    public void released(SharedKey key) {
        announce(shared(key));
    }

    @Override
    public void limitChanged(SharedKey key) {
        announce(shared(key));
    }

    @Override
    public void retired(SharedKey key) {
        announce(shared(key));
    }

    private MemberGroup shared(SharedKey key) {
        MemberGroup known = sharedLimits.get(key);
        return known == null ? sharedLimits.computeIfAbsent(key, k -> newGroup("", k, FleetNames.ofShared(k))) : known;
    }

    @Override
    public void terminated() {
        fleet.enqueue(this::leave);
    }

    private MemberGroup group(String key) {
        MemberGroup known = groups.get(key);
        return known == null ? groups.computeIfAbsent(key, k -> newGroup(k, null, FleetNames.ofGroup(k))) : known;
    }

    private void announce(String key) {
        announce(group(key));
    }

    private void announceTotal() {
        if (total != null) {
            announce(total);
        }
    }

    private void announce(MemberGroup group) {
        if (group.announce()) {
            fleet.hint(() -> changed(group));
        }
    }

    // ---- the thread of the fleet -----------------------------------------------------------------------------------

    /** Another object may have taken the place of {@code announced}, because it was forgotten meanwhile. */
    private void changed(MemberGroup announced) {
        MemberGroup known =
                announced == total ? total : announced.shared == null ? group(announced.key) : shared(announced.shared);
        if (known != announced) {
            announced.taken();
            known.takeRejectionOf(announced);
        }
        known.session.changed(known);
    }

    /** Says whether permits of the group are returned as soon as none is in use. */
    void setReturnsUnused(MemberGroup group, boolean atOnce) {
        if (group != total && group.shared == null && group.returnsUnused() != atOnce) {
            group.setReturnsUnused(atOnce);
            returning.addAndGet(atOnce ? 1 : -1);
        }
    }

    void forget(MemberGroup group) {
        if (group == total) {
            return;
        }
        setReturnsUnused(group, false);
        LeaseControl.DemandVisitor none = (key, limit, used, wanted) -> {};
        if (group.shared != null) {
            sharedLimits.remove(group.shared, group);
            if (kernel().visitDemand(group.shared, none)) {
                announce(shared(group.shared));
            }
            return;
        }
        groups.remove(group.key, group);
        if (kernel().visitDemand(group.key, none)) {
            announce(group.key);
        }
    }

    void leave() {
        sessions.forEach(ShardSession::leave);
    }

    boolean hasLeft() {
        return sessions.stream().allMatch(ShardSession::hasLeft);
    }

    boolean isSettled() {
        return sessions.stream().allMatch(ShardSession::isSettled);
    }
}
