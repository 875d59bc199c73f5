package io.github.kobe.stress.broken;

import io.github.kobe.stress.rig.Crank;
import io.github.kobe.stress.rig.Guest;
import io.github.kobe.stress.rig.Job;
import io.github.kobe.stress.rig.Subject;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Flaw: a guest that gives up looks whether it has a place, and leaves the line without another look. */
public final class GrantsTheGone implements Subject {

    private final Crank crank = new Crank();
    private final ConcurrentLinkedQueue<Object> queue = new ConcurrentLinkedQueue<>();
    private final Set<Guest> placed = ConcurrentHashMap.newKeySet();
    private boolean taken; // the one place

    @Override
    public Crank crank() {
        return crank;
    }

    @Override
    public boolean submit(String group, Job job) {
        queue.add(job);
        startNext();
        return true;
    }

    @Override
    public boolean ask(String group, Guest guest) {
        queue.add(guest);
        startNext();
        return true;
    }

    private synchronized void startNext() {
        Object next = taken ? null : queue.poll();
        if (next instanceof Job job) {
            taken = true;
            crank.note(() -> run(job));
        } else if (next instanceof Guest guest) {
            taken = true;
            placed.add(guest);
        }
    }

    private void run(Job job) {
        job.work();
        release();
        job.end(true);
    }

    private void release() {
        synchronized (this) {
            taken = false;
        }
        startNext();
    }

    @Override
    public boolean hasPlaceNow(Guest guest) {
        if (placed.contains(guest)) {
            return true;
        }
        Flaw.gap();
        queue.remove(guest);
        return false;
    }

    @Override
    public void giveBack(Guest guest) {
        release();
    }

    @Override
    public synchronized int held() {
        return queue.size() + (taken ? 1 : 0);
    }
}
