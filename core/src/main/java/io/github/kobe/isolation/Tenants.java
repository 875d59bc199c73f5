package io.github.kobe.isolation;

import io.github.kobe.internal.Group;
import io.github.kobe.internal.Patrol;
import io.github.kobe.internal.ReadyQueue;
import io.github.kobe.internal.Share;
import io.github.kobe.internal.ShareHeap;
import io.github.kobe.internal.Timer;
import java.time.Duration;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * Which key is served next, and which places are held back from whom; in O(log keys in line), under one short lock.
 *
 * <pre>
 *   QUICK     gives places back soon, compared with the others, and has few; or is white-listed; or is new and runs nothing yet.
 *             May have any free place, and goes first; among them, by how soon the place would come back
 *   PROVEN    the others of which tasks have ended. Not the places that are kept for quick work; least running first
 *   UNPROVEN  nothing of it has ended, or what runs is much too old. May never give back what it gets: keeps off twice as far,
 *             and while it is new has no more than a part of the budget
 * </pre>
 *
 * A key in line is in one of three heaps, by what it was when last looked at; the first of each is looked at again before it is
 * served. How many places are kept is up to {@link AdaptiveLimit}, by what {@link Demand} has seen.
 */
final class Tenants implements ReadyQueue {

    /** What is said of a change. Called under the lock. */
    interface Journal {
        void laneChanged(String key, boolean slow);

        void reserveChanged(int from, int to);
    }

    private static final long PATROL_PERIOD = 10 * Demand.TICK;

    /** How many ticks go by before the reserve is computed again. */
    private static final int TICKS_PER_LOOK = 4;

    /** A quick key waits behind quicker ones for so many times as long as its place would be taken. */
    private static final int STRETCH = 8;

    /** One start in so many goes to a key that runs nothing and has waited for too long, also while quick keys wait. */
    private static final int STARTS_PER_TURN = 8;

    /** A new key's part of the budget grows to all of it in this part of a window. */
    private static final double RAMP = 0.05;

    private static final int LEVELS = 1024;

    private final Standards standards;
    private final Timer timer;
    private final Journal journal;
    private final Patrol patrol;
    private final ShareHeap<TenantShare> quickLine = new ShareHeap<>();
    private final ShareHeap<TenantShare> provenLine = new ShareHeap<>();
    private final ShareHeap<TenantShare> unprovenLine = new ShareHeap<>();
    private final Crowd all = new Crowd();
    private final Crowd firsts = new Crowd(); // the first task of each new key
    private final Demand demand;
    private final Queue<String> done =
            new ConcurrentLinkedQueue<>(); // keys that had nothing more to do while there were too many
    private volatile boolean tooMany;
    private volatile Set<String> whiteList = Set.of();
    private volatile int inLine; // written under the lock
    private int whiteRunning;
    private int quickRunning;
    private int quickWaiting;
    private volatile int budget; // written under the lock
    private int reserve;
    private long reserveLooked;
    private long sequence;
    private int startsSinceTurn;
    private Runnable serve = () -> {};

    Tenants(Standards standards, int budget, Timer timer, Journal journal) {
        this.standards = standards;
        this.budget = budget;
        this.timer = timer;
        this.journal = journal;
        this.patrol = new Patrol(timer, PATROL_PERIOD, () -> serve.run(), this::holdsBack);
        this.demand = new Demand(LEVELS, standards.windowNanos(), timer.nanoTime());
    }

    @Override
    public void connect(Runnable serveAgain) {
        serve = serveAgain;
    }

    @Override
    public Share newShare() {
        return new TenantShare();
    }

    @Override
    public boolean keepsTime() {
        return true;
    }

    synchronized void setBudget(int places) {
        budget = places;
        lookAtReserve();
    }

    void setWhiteList(Set<String> keys) {
        whiteList = keys;
    }

    /** Whether there are more keys than are to be remembered: then {@link #pollDone} has those with nothing more to do. */
    void setTooMany(boolean now) {
        if (tooMany != now) {
            tooMany = now;
        }
    }

    @Nullable
    String pollDone() {
        return done.poll();
    }

    // ---- the line ------------------------------------------------------------------------------------------------

    @Override
    public synchronized void add(Group group) {
        long now = timer.nanoTime();
        TenantShare share = shareOf(group);
        share.since = now;
        enter(share, lineOf(share, now), now);
        weigh(share, now);
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // under the lock
    private void enter(TenantShare share, ShareHeap<TenantShare> line, long now) {
        double rank = share.running;
        if (line == quickLine) {
            rank = share.since + STRETCH * (share.running + 1.0) * expected(share, now);
        }
        share.setRank(rank, sequence++);
        share.line = line;
        line.add(share);
        inLine = inLine + 1;
    }

    @Override
    public @Nullable Group poll() {
        Group next;
        boolean heldBack = false;
        synchronized (this) {
            long now = timer.nanoTime();
            TenantShare share = pick(now);
            if (share == null) {
                next = null;
                heldBack = holdsBack();
            } else {
                leaveLine(share);
                weigh(share, now);
                next = Objects.requireNonNull(share.group);
            }
        }
        if (heldBack) {
            patrol.wake();
        }
        return next;
    }

    /** Whether there is none for now. */
    @Override
    public synchronized boolean isEmpty() {
        return pick(timer.nanoTime()) == null;
    }

    private synchronized boolean holdsBack() {
        return free() > 0 && !(provenLine.isEmpty() && unprovenLine.isEmpty());
    }

    private @Nullable TenantShare pick(long now) {
        TenantShare quick = first(quickLine, now);
        TenantShare other = other(now);
        if (quick == null || other == null) {
            return quick == null ? other : quick;
        }
        boolean turn =
                startsSinceTurn >= STARTS_PER_TURN && other.running == 0 && now - other.since > standards.targetNanos();
        return turn ? other : quick;
    }

    /** Of those who may not have what is kept for quick work, the one that runs least, if there is a place for it. */
    private @Nullable TenantShare other(long now) {
        TenantShare proven = first(provenLine, now);
        TenantShare unproven = first(unprovenLine, now);
        if (proven != null && !hasRoom(proven, provenLine, now)) {
            proven = null;
        }
        if (unproven != null && !hasRoom(unproven, unprovenLine, now)) {
            unproven = null;
        }
        if (proven == null || unproven == null) {
            return proven == null ? unproven : proven;
        }
        return unproven.rank() < proven.rank() ? unproven : proven;
    }

    /** The first of a line that belongs there. */
    private @Nullable TenantShare first(ShareHeap<TenantShare> line, long now) {
        for (TenantShare first = line.peek(); first != null; first = line.peek()) {
            ShareHeap<TenantShare> right = lineOf(first, now);
            if (right == line) {
                return first;
            }
            leaveLine(first);
            enter(first, right, now);
            weigh(first, now);
        }
        return null;
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // under the lock
    private void leaveLine(TenantShare share) {
        ShareHeap<TenantShare> line = share.line;
        if (line != null) {
            line.remove(share);
            share.line = null;
            inLine = inLine - 1;
        }
    }

    // ---- who is what ---------------------------------------------------------------------------------------------

    private ShareHeap<TenantShare> lineOf(TenantShare share, long now) {
        if (isEntitled(share, now)) {
            return quickLine;
        }
        return isUnproven(share, now) ? unprovenLine : provenLine;
    }

    private boolean isEntitled(TenantShare share, long now) {
        if (isWhite(share)) {
            return whiteRunning < standards.whiteCapacity(budget);
        }
        return share.isStranger() ? isWelcome(share, now) : share.running < quickPlaces(share, now);
    }

    /** The first task of a new key is, if few keys are new or new ones are quick; more of them only if new ones are. */
    private boolean isWelcome(TenantShare share, long now) {
        int most = standards.lightLimit(budget);
        boolean few = share.running == 0 && firsts.running() < most;
        boolean known = share.running < most && !firsts.isUnknown();
        return few || (known && isQuick(Math.max(firsts.meanTime(now), share.age(now)), false, now));
    }

    /** What runs nothing yet is judged by what other new keys have done. */
    private boolean isUnproven(TenantShare share, long now) {
        if (isWhite(share)) {
            return false;
        }
        if (share.isStranger()) {
            return share.running > 0 || firsts.isUnknown();
        }
        return Tempo.isStuck(share.mean, share.age(now));
    }

    private boolean isWhite(TenantShare share) {
        return !whiteList.isEmpty() && share.group != null && whiteList.contains(share.group.key());
    }

    /** How many places a known key may have as quick work; fewer, if now and then one of its tasks takes long. */
    private int quickPlaces(TenantShare share, long now) {
        if (!share.quick) {
            return 0;
        }
        int most = standards.lightLimit(budget);
        double trusted = most * Tempo.trust(share.holdingTime(), all.holdingTime(now));
        return Math.clamp((long) trusted, Math.min(2, most), most); // so that one long task does not block short ones
    }

    private boolean isQuick(double typical, boolean before, long now) {
        return typical < standards.slowNanos() && Tempo.isQuick(typical, all.holdingTime(now), before);
    }

    private double expected(TenantShare share, long now) {
        if (isWhite(share)) {
            return 0;
        }
        return share.isStranger() ? firsts.meanTime(now) : share.typical(now);
    }

    private boolean hasRoom(TenantShare share, ShareHeap<TenantShare> line, long now) {
        double kept = line == unprovenLine ? keptFromUnproven(share, now) : reserve;
        return free() > Math.max(0, kept - quickRunning)
                && (line == provenLine || share.running < mostAtOnce(share, now));
    }

    /** Twice the reserve; and from a new key some more at first, for quick work that has not been seen yet. */
    private double keptFromUnproven(TenantShare share, long now) {
        int light = standards.lightLimit(budget);
        double unseen =
                Math.max(light / 3.0 < 1 ? 0 : light / 3.0, share.isStranger() ? light * (1 - grown(share, now)) : 0);
        return Math.min(budget - 1.0, 2 * reserve + unseen);
    }

    private int free() {
        return budget - all.running();
    }

    private double mostAtOnce(TenantShare share, long now) {
        if (!share.isStranger() || share.running == 0) {
            return Integer.MAX_VALUE;
        }
        return Math.max(1, budget * (standards.maxShare() + (1 - standards.maxShare()) * grown(share, now)));
    }

    /** From 0 for a key that is new to 1 for one that is not. */
    private double grown(TenantShare share, long now) {
        long known = share.running > 0 ? now - share.firstStart : share.line == null ? 0 : now - share.since;
        return Math.min(1, known / (RAMP * standards.windowNanos()));
    }

    // ---- what happens --------------------------------------------------------------------------------------------

    @Override
    public boolean startedAtOnce(Group group, long now) {
        boolean starts;
        synchronized (this) {
            TenantShare share = shareOf(group);
            ShareHeap<TenantShare> line = lineOf(share, now);
            starts = line == quickLine || hasRoom(share, line, now);
            if (starts) {
                begin(share, now);
            }
        }
        return starts;
    }

    @Override
    public synchronized void served(Group group, long now) {
        TenantShare share = shareOf(group);
        startsSinceTurn = share.running == 0 && now - share.since > standards.targetNanos() ? 0 : startsSinceTurn + 1;
        begin(share, now);
    }

    private void begin(TenantShare share, long now) {
        if (share.isStranger() && share.running == 0) {
            firsts.begin(now);
        }
        if (isWhite(share)) {
            share.whites++;
            whiteRunning++;
        }
        share.begin(now);
        all.begin(now);
        weigh(share, now);
    }

    @Override
    public synchronized void ended(Group group, long start, long now) {
        TenantShare share = shareOf(group);
        if (share.whites > 0) {
            share.whites--;
            whiteRunning--;
        }
        all.leave(start);
        if (now == start) {
            neverBegan(share, start);
        } else {
            learn(share, start, now);
        }
        weigh(share, now);
        if (share.line != null) {
            leaveLine(share);
            enter(share, lineOf(share, now), now);
        } else if (share.running == 0 && tooMany) {
            done.add(group.key());
        }
    }

    /** It got a place and had no use for it: that says nothing about the key. */
    private void neverBegan(TenantShare share, long start) {
        share.leave(start);
        if (share.isStranger() && share.running == 0) {
            firsts.leave(share.firstStart);
        }
    }

    private void learn(TenantShare share, long start, long now) {
        double memory = (double) budget * standards.windowNanos();
        if (share.isStranger()) {
            if (firsts.isUnknown() && isQuick((double) (now - start), false, now)) {
                demand.add(quickRunning + firsts.running(), now - start); // as it turns out, that is what was wanted
            }
            firsts.leave(share.firstStart);
            firsts.ended(start, now, memory);
        }
        share.end(start, now);
        all.ended(start, now, memory);
    }

    /** Judges a key anew, and notes what it wants. */
    private void weigh(TenantShare share, long now) {
        double typical = share.typical(now);
        boolean slow = Tempo.isSlow(typical, (double) standards.slowNanos(), share.slow);
        if (slow != share.slow) {
            share.slow = slow;
            journal.laneChanged(Objects.requireNonNull(share.group).key(), slow);
        }
        share.quick = !share.isStranger() && isQuick(share.foreseen(now), share.quick, now);
        int most = share.whites > 0 ? share.running : quickPlaces(share, now);
        int running = Math.min(share.running, most);
        int waiting = share.line == quickLine && !share.isStranger()
                ? Math.min(Objects.requireNonNull(share.group).queued(), Math.max(0, most - running))
                : 0;
        quickRunning += running - share.quickRunning;
        quickWaiting += waiting - share.quickWaiting;
        share.quickRunning = running;
        share.quickWaiting = waiting;
        demand.set(quickRunning + quickWaiting, now);
        if (demand.tick() - reserveLooked >= TICKS_PER_LOOK) {
            lookAtReserve();
        }
    }

    private void lookAtReserve() {
        reserveLooked = demand.tick();
        int places = AdaptiveLimit.STANDARD.places(demand.ticks(), budget);
        if (places != reserve) {
            journal.reserveChanged(reserve, places);
            reserve = places;
        }
    }

    private static TenantShare shareOf(Group group) {
        TenantShare share = (TenantShare) group.share();
        share.group = group;
        return share;
    }

    // ---- views ---------------------------------------------------------------------------------------------------

    synchronized int reserve() {
        return reserve;
    }

    int budget() {
        return budget;
    }

    boolean isWhiteListed(String key) {
        return whiteList.contains(key);
    }

    /** Whether keys other than this one are in line; a look from outside, which may be a moment off. */
    boolean othersWait(TenantShare share) {
        return inLine > (share.isInHeap() ? 1 : 0);
    }

    KeyStats statsOf(Group group) {
        long now = timer.nanoTime();
        synchronized (this) {
            TenantShare share = shareOf(group);
            double typical = share.typical(now);
            boolean slow = Tempo.isSlow(typical, (double) standards.slowNanos(), share.slow);
            Lane lane = isWhite(share) ? Lane.WHITE_LIST : slow ? Lane.SLOW : Lane.FAST;
            return new KeyStats(
                    group.key(), lane, share.running, group.queued(), share.ended, Duration.ofNanos((long) typical));
        }
    }
}
