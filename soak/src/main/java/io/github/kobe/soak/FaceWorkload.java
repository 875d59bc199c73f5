package io.github.kobe.soak;

import io.github.kobe.RejectionPolicy;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;

/** The load on one face of the library, and the checks of it. A face is idle if none of its tasks is queued, running or awaiting retry. */
interface FaceWorkload {

    /** Under THROW a rejected task has no handle to verify; apart from that it is the same as ABORT. */
    List<RejectionPolicy> REJECTION_POLICIES = Stream.of(RejectionPolicy.values())
            .filter(policy -> policy != RejectionPolicy.THROW)
            .toList();

    String name();

    /** Operations for several threads at once: submit, cancel, await. */
    List<Operation> operations();

    /** Operations for the one admin thread, which runs at the same time: change settings, pause, evict, restart. */
    List<Operation> adminOperations();

    /** How many tasks are not verified yet. If there are too many, workload threads back off. */
    int outstandingTasks();

    /** Verifies some of the completed tasks. May be called by several threads at once. */
    void verifyCompleted();

    /** Undoes what keeps tasks from completing, such as a paused group. Called after the admin thread has terminated. */
    void unblock();

    boolean isIdle();

    /** Checks everything that holds when the face is idle. */
    void checkIdle();

    /** Runs scenarios with a known outcome, which show whether the load has left the face intact. Called when the face is idle. */
    void runScenarios(RandomSource random);

    /** Shuts the face down in one of the ways it offers. Called while workload threads run. */
    void shutDown(RandomSource random);

    /** Returns whether it is shut down for good. */
    boolean isShutdown();

    /** Describes the state, for the report if the face does not become idle. */
    String diagnostics();

    /** Blocks a task of a scenario until the scenario releases it, or until it is interrupted. */
    static void awaitRelease(CountDownLatch release) {
        try {
            release.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
