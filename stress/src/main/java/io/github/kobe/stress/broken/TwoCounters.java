package io.github.kobe.stress.broken;

import io.github.kobe.stress.rig.Crank;
import io.github.kobe.stress.rig.Guest;
import io.github.kobe.stress.rig.Job;
import io.github.kobe.stress.rig.Subject;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** Flaw: "no place for me" and "I am in line" are two steps, and the last place can come back between them. */
public final class TwoCounters implements Subject {

    private final Crank crank = new Crank();
    private final AtomicInteger free;
    private final ConcurrentLinkedQueue<Runnable> queue = new ConcurrentLinkedQueue<>();
    private final Set<Guest> placed = ConcurrentHashMap.newKeySet();

    /** @param cap how many may run at once */
    public TwoCounters(int cap) {
        free = new AtomicInteger(cap);
    }

    @Override
    public Crank crank() {
        return crank;
    }

    @Override
    public boolean submit(String group, Job job) {
        enter(() -> start(job));
        return true;
    }

    @Override
    public boolean ask(String group, Guest guest) {
        enter(() -> placed.add(guest));
        return true;
    }

    @Override
    public boolean hasPlaceNow(Guest guest) {
        return placed.contains(guest);
    }

    @Override
    public void giveBack(Guest guest) {
        release();
    }

    private void enter(Runnable start) {
        if (takePlace()) {
            start.run();
        } else {
            Flaw.gap();
            queue.add(start);
        }
    }

    private boolean takePlace() {
        return free.getAndUpdate(n -> Math.max(0, n - 1)) > 0;
    }

    private void start(Job job) {
        crank.note(() -> {
            job.work();
            release();
            job.end(true);
        });
    }

    private void release() {
        Runnable next = queue.poll();
        if (next != null) {
            next.run();
        } else {
            free.incrementAndGet();
        }
    }

    @Override
    public int held() {
        return queue.size();
    }
}
