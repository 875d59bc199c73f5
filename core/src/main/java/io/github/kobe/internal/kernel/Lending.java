package io.github.kobe.internal.kernel;

import io.github.kobe.internal.time.Timer;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * What a dispatcher knows about permits that are shared ({@link PermitShare}) or lent ({@link BlockedWait}). Created when the first permit
 * is: a dispatcher whose tasks neither wait for tasks nor acquire permits does not have it.
 *
 * <p>A task whose permit is shared or borrowed is marked, see {@link KernelTask#markShared}. Only marked tasks look here when they give their
 * permits back, so the others do not pay for it.
 */
final class Lending {

    private final ConcurrentHashMap<KernelTask<?>, PermitSource> sources = new ConcurrentHashMap<>();

    /** The waits for a task that may be queued again. */
    private final ConcurrentHashMap<KernelTask<?>, Set<BlockedWait>> offers = new ConcurrentHashMap<>();

    /** The waits for a queued task whose group, or a shared limit of it, has no free permit, of threads that would lend the other permits. By group or {@link Limit}. */
    private final ConcurrentHashMap<Object, Set<BlockedWait>> waitsByFullGroup = new ConcurrentHashMap<>();

    private final AtomicInteger fullGroupWaits = new AtomicInteger();
    private final Set<BlockedWait> waits = ConcurrentHashMap.newKeySet();

    /** The holders whose wait has ended while a task still runs on the permit that they lent. */
    private final Set<KernelTask<?>> debtors = ConcurrentHashMap.newKeySet();

    private final @Nullable StuckGroupDetector detector;

    /** @param stuckReporter gets the key of a group that is stuck, and a description; {@code null} if no detector is wanted */
    Lending(Timer timer, @Nullable BiConsumer<String, String> stuckReporter) {
        detector = stuckReporter == null ? null : new StuckGroupDetector(timer, waits, stuckReporter);
    }

    // ---- shared and borrowed permits -----------------------------------------------------------------------------

    @Nullable
    PermitSource sourceOf(KernelTask<?> holder) {
        return sources.get(holder);
    }

    void setSource(KernelTask<?> holder, PermitSource source) {
        sources.put(holder, source);
    }

    boolean replaceSource(KernelTask<?> holder, @Nullable PermitSource known, PermitSource source) {
        return known == null ? sources.putIfAbsent(holder, source) == null : sources.replace(holder, known, source);
    }

    void forget(KernelTask<?> holder) {
        sources.remove(holder);
    }

    /** The marked {@code holder} gives its permit back. */
    void giveBack(KernelTask<?> holder, long start, long now, boolean completes) {
        PermitSource source = sources.remove(holder);
        if (source == null) {
            holder.home().release(holder.cost(), start, now);
        } else {
            source.giveBack(holder, start, now, completes);
        }
    }

    /** How many tasks of {@code home} have lent their permits to tasks of {@code home}. */
    int lentByTasksOf(TaskHome home) {
        Set<PermitSource> lent = new HashSet<>(); // several holders may share one
        for (PermitSource source : sources.values()) {
            PermitSource origin = source instanceof PermitShare share ? share.source() : source;
            if (origin != null && BlockedWait.isLentByTaskOf(home, origin)) {
                lent.add(origin);
            }
        }
        return lent.size();
    }

    // ---- debts ---------------------------------------------------------------------------------------------------

    /** {@code holder} takes a permit by force, because its own one is still lent. */
    void addDebtor(KernelTask<?> holder) {
        debtors.add(holder);
    }

    boolean isDebtor(KernelTask<?> holder) {
        return debtors.contains(holder);
    }

    /** The permit that {@code holder} had lent is back. A wait of it that did not lend is registered before it reads the debt, and is told here. */
    void removeDebtor(KernelTask<?> holder) {
        if (debtors.remove(holder)) {
            waits.forEach(BlockedWait::lend);
        }
    }

    // ---- waits ---------------------------------------------------------------------------------------------------

    /** {@code wait} is for {@code task}, which may be queued again. The caller checks afterwards whether the task is queued. */
    void addOffer(KernelTask<?> task, BlockedWait wait) {
        add(offers, task, wait);
    }

    void removeOffer(KernelTask<?> task, BlockedWait wait) {
        remove(offers, task, wait);
    }

    /** {@code task} was queued again: the waits for it may lend it a permit. */
    void queuedAgain(KernelTask<?> task) {
        Set<BlockedWait> waitsFor = offers.get(task);
        if (waitsFor != null) {
            waitsFor.forEach(BlockedWait::lend);
        }
    }

    /** {@code wait} can lend when {@code group}, a group or a limit, has a free permit. The caller checks afterwards whether it has one. */
    void addFullGroup(Object group, BlockedWait wait) {
        if (add(waitsByFullGroup, group, wait)) {
            fullGroupWaits.incrementAndGet();
        }
    }

    void removeFullGroup(Object group, BlockedWait wait) {
        if (remove(waitsByFullGroup, group, wait)) {
            fullGroupWaits.decrementAndGet();
        }
    }

    /** {@code group}, a group or a limit, may have a free permit. */
    void permitFreed(Object group) {
        if (fullGroupWaits.get() != 0) {
            Set<BlockedWait> waitsFor = waitsByFullGroup.get(group);
            if (waitsFor != null) {
                waitsFor.forEach(BlockedWait::lend);
            }
        }
    }

    /** Waits may lend from now on that could not: a global limit was set, or a lease was renewed. */
    void lendAgain() {
        waits.forEach(BlockedWait::lend);
    }

    void addWait(BlockedWait wait) {
        waits.add(wait);
        if (detector != null) {
            detector.schedule();
        }
    }

    /** The dispatcher is terminated. */
    void terminated() {
        if (detector != null) {
            detector.cancel();
        }
    }

    void removeWait(BlockedWait wait) {
        waits.remove(wait);
    }

    private static <K> boolean add(ConcurrentHashMap<K, Set<BlockedWait>> map, K key, BlockedWait wait) {
        boolean[] added = new boolean[1];
        map.compute(key, (k, known) -> {
            Set<BlockedWait> set = known == null ? ConcurrentHashMap.newKeySet() : known;
            added[0] = set.add(wait);
            return set;
        });
        return added[0];
    }

    private static <K> boolean remove(ConcurrentHashMap<K, Set<BlockedWait>> map, K key, BlockedWait wait) {
        boolean[] removed = new boolean[1];
        map.computeIfPresent(key, (k, known) -> {
            removed[0] = known.remove(wait);
            return known.isEmpty() ? null : known;
        });
        return removed[0];
    }
}
