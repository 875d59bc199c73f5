package io.github.kobe.isolation;

import io.github.kobe.internal.Group;
import io.github.kobe.internal.Patrol;
import io.github.kobe.internal.ReadyQueue;
import io.github.kobe.internal.Share;
import io.github.kobe.internal.Timer;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Which key is served next, and which places are held back from whom: {@link Lines} and an {@link Allotment} under one lock, which
 * nobody on a task's way ever waits for.
 *
 * <p>Who gets in line or gives a place back leaves {@link News}; who has the lock takes them in first. A server that finds the lock
 * taken is told that there is nobody for now, puts its place back and asks {@link #isEmpty}. If the lock is taken still, it leaves:
 *
 * <pre>
 *   the lock is with      which afterwards
 *   a server in poll      looks for free places once more, and so finds what was put back
 *   a server in isEmpty   looks once more if there is somebody in line or there are news
 *   anybody else          sees that a server was {@code missed}, and has the free places offered again
 * </pre>
 *
 * One start is counted in {@code poll} already; if it comes to nothing, the kernel says that the key leaves without having been served,
 * and it is taken back as a task that never began.
 */
final class Tenants implements ReadyQueue {

    private static final long PATROL_PERIOD = 10 * Demand.TICK;

    /** One start in so many goes to a key that runs nothing and has waited for too long, also while quick keys wait. */
    private static final int STARTS_PER_TURN = 8;

    private final Standards standards;
    private final Timer timer;
    private final Patrol patrol;
    private final ReentrantLock lock = new ReentrantLock();
    private final News news = new News();
    private final Lines lines = new Lines();
    private final Allotment allotment;
    private final Queue<String> done =
            new ConcurrentLinkedQueue<>(); // keys that had nothing more to do while there were too many
    private volatile boolean tooMany;
    private volatile boolean missed;
    private int startsSinceTurn;
    private Runnable serve = () -> {};

    Tenants(Standards standards, int budget, Timer timer, Allotment.Journal journal) {
        this.standards = standards;
        this.timer = timer;
        this.patrol = new Patrol(timer, PATROL_PERIOD, () -> serve.run(), this::holdsBack);
        this.allotment = new Allotment(standards, budget, timer.nanoTime(), journal);
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

    void setBudget(int places) {
        lock.lock();
        try {
            allotment.setBudget(places);
        } finally {
            unlockAndMakeUp();
        }
    }

    void setWhiteList(Set<String> keys) {
        allotment.setWhiteList(keys);
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

    // ---- what is told --------------------------------------------------------------------------------------------

    @Override
    public void add(Group group) {
        news.joined(shareOf(group), timer.nanoTime());
    }

    @Override
    public void ended(Group group, long start, long now) {
        news.ended(shareOf(group), start, now);
    }

    @Override
    public void served(Group group, long now) {
        shareOf(group).polledAt = TenantShare.NOT_POLLED;
    }

    @Override
    public void leaves(Group group, boolean idle) {
        TenantShare share = shareOf(group);
        long polledAt = share.polledAt;
        if (polledAt != TenantShare.NOT_POLLED) {
            share.polledAt = TenantShare.NOT_POLLED;
            news.ended(share, polledAt, polledAt);
        }
    }

    /** With the lock. */
    private void catchUp() {
        for (News.Item item = news.take(); item != null; item = item.next) {
            if (item.ended) {
                end(item.share, item.start, item.at);
            } else {
                item.share.since = item.at;
                enter(item.share, allotment.standing(item.share, item.at), item.at);
            }
        }
    }

    private void enter(TenantShare share, Standing standing, long now) {
        lines.enter(share, standing, allotment.expected(share, now));
        allotment.weigh(share, now);
    }

    private void end(TenantShare share, long start, long now) {
        allotment.ended(share, start, now);
        if (share.line != null) {
            lines.leave(share);
            enter(share, allotment.standing(share, now), now);
        } else if (share.running == 0 && tooMany) {
            done.add(share.key());
        }
    }

    // ---- who is next ---------------------------------------------------------------------------------------------

    @Override
    public @Nullable Group poll() {
        return poll(timer.nanoTime());
    }

    @Override
    public @Nullable Group poll(long now) {
        if (!lock.tryLock()) {
            return null;
        }
        TenantShare next;
        boolean heldBack;
        try {
            catchUp();
            next = pick(now);
            if (next != null) {
                begin(next, now);
            }
            heldBack = next == null && isHeldBack();
        } finally {
            lock.unlock(); // the caller looks again, so nobody is missed
        }
        if (heldBack) {
            patrol.wake();
        }
        return next == null ? null : next.group();
    }

    private void begin(TenantShare share, long now) {
        boolean turn = share.running == 0 && now - share.since > standards.targetNanos();
        startsSinceTurn = turn ? 0 : startsSinceTurn + 1;
        lines.leave(share);
        share.polledAt = now;
        allotment.began(share, now);
    }

    /** Whether there is none for now. */
    @Override
    public boolean isEmpty() {
        if (!lock.tryLock()) {
            missed = true;
            if (!lock.tryLock()) {
                return true;
            }
        }
        boolean none;
        try {
            catchUp();
            none = pick(timer.nanoTime()) == null;
        } finally {
            lock.unlock();
        }
        return none && news.isEmpty();
    }

    private boolean holdsBack() {
        lock.lock();
        try {
            catchUp();
            return isHeldBack();
        } finally {
            unlockAndMakeUp();
        }
    }

    private boolean isHeldBack() {
        return allotment.free() > 0 && lines.hasOthersThanQuick();
    }

    /** For those who do not look for free places themselves. */
    private void unlockAndMakeUp() {
        lock.unlock();
        if (missed) {
            missed = false;
            serve.run();
        }
    }

    private @Nullable TenantShare pick(long now) {
        TenantShare quick = first(Standing.QUICK, now);
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
        TenantShare proven = firstWithRoom(Standing.PROVEN, now);
        TenantShare unproven = firstWithRoom(Standing.UNPROVEN, now);
        if (proven == null || unproven == null) {
            return proven == null ? unproven : proven;
        }
        return unproven.running < proven.running ? unproven : proven;
    }

    private @Nullable TenantShare firstWithRoom(Standing standing, long now) {
        TenantShare first = first(standing, now);
        return first != null && allotment.hasRoom(first, standing, now) ? first : null;
    }

    /** The first of a line that belongs there. */
    private @Nullable TenantShare first(Standing line, long now) {
        for (TenantShare first = lines.first(line); first != null; first = lines.first(line)) {
            Standing right = allotment.standing(first, now);
            if (right == line) {
                return first;
            }
            lines.leave(first);
            enter(first, right, now);
        }
        return null;
    }

    /** A task that comes while the lock is taken goes in line, which takes it to whoever has the lock. */
    @Override
    public boolean startedAtOnce(Group group, long now) {
        if (!lock.tryLock()) {
            return false;
        }
        try {
            catchUp();
            TenantShare share = shareOf(group);
            boolean starts = allotment.hasRoom(share, allotment.standing(share, now), now);
            if (starts) {
                allotment.began(share, now);
            }
            return starts;
        } finally {
            unlockAndMakeUp();
        }
    }

    @Override
    public void prune(Predicate<Group> leaves) {
        List<TenantShare> idle;
        lock.lock();
        try {
            catchUp();
            idle = lines.takeIdle();
        } finally {
            lock.unlock(); // the caller polls next
        }
        for (TenantShare share : idle) {
            if (!leaves.test(share.group())) {
                add(share.group());
            }
        }
    }

    private static TenantShare shareOf(Group group) {
        TenantShare share = (TenantShare) group.share();
        share.belongsTo(group);
        return share;
    }

    // ---- views ---------------------------------------------------------------------------------------------------

    int reserve() {
        lock.lock();
        try {
            catchUp();
            return allotment.reserve();
        } finally {
            unlockAndMakeUp();
        }
    }

    int budget() {
        return allotment.budget();
    }

    boolean isWhiteListed(String key) {
        return allotment.isWhiteListed(key);
    }

    /** Whether keys other than this one are in line; a look from outside, which may be a moment off. */
    boolean othersWait(TenantShare share) {
        return lines.size() > (share.line == null ? 0 : 1);
    }

    KeyStats statsOf(Group group) {
        TenantShare share = shareOf(group);
        lock.lock();
        try {
            catchUp();
            long now = timer.nanoTime();
            boolean slow = allotment.isSlow(share, now);
            Lane lane = isWhiteListed(group.key()) ? Lane.WHITE_LIST : slow ? Lane.SLOW : Lane.FAST;
            Duration typical = Duration.ofNanos((long) share.typical(now));
            return new KeyStats(group.key(), lane, share.running, group.queued(), share.ended, typical);
        } finally {
            unlockAndMakeUp();
        }
    }
}
