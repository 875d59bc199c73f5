package io.github.kobe.fleet;

/** What a node knows of one group. Not thread-safe; only {@link FleetNode} uses it. */
final class GroupLease {

    final String group;
    private final boolean overSeveralGroups;

    // ---- policy
    int policyLimit;
    long version;
    boolean retired; // the node will forget it when nothing is left in the store

    // ---- what the store has said
    int limit; // in force
    boolean paused;
    int target = Grant.NO_TARGET;
    long newsNumber; // of the push up to which target, limit and paused are known
    int held; // tasks may start on so many permits, as far as the latest claim goes
    long raisedAt; // when held became larger

    // ---- what the node has done
    int bound; // held, or less
    int heldAtLoss; // when the permits were taken back in this outage; for KEEP_LAST
    long claim; // number of the exchange with the latest claim in this session, 0: none
    long claimedAt;
    int claimedUsed;
    int claimedWanted;
    int claimedLeast;
    boolean claimLost;

    // ---- unused permits
    boolean spare;
    long spareSince;
    int peak; // most that was wanted since then
    long admitted; // tasks, when they were counted last

    GroupLease(String group, int limit, long version) {
        this.group = group;
        this.overSeveralGroups = FleetNames.mayBeOverSeveralGroups(group);
        this.policyLimit = limit;
        this.limit = limit;
        this.version = version;
    }

    /** Whether the store knows that the node waits for permits. */
    boolean isWaiting() {
        return claim != 0 && claimedWanted > held;
    }

    /**
     * Whether the store knows of the group, or permits of it may be used. If neither is so, there is nothing to return, and the kernel
     * gives a hint when tasks are queued. So a heartbeat reviews such groups only, and not at all groups that the kernel knows. Limits
     * over several groups always count: tasks begin to wait for them also when the limit of their group is raised.
     */
    boolean isReviewedByHeartbeat() {
        return claim != 0 || held > 0 || bound > 0 || overSeveralGroups;
    }

    /** The session is lost, and all claims with it. */
    void newSession() {
        claim = 0;
        claimedUsed = 0;
        claimedWanted = 0;
        claimedLeast = 0;
        claimLost = false;
        target = Grant.NO_TARGET;
        newsNumber = 0;
    }

    /** The permits belong to others now. */
    void loseHeld() {
        if (held > 0) {
            heldAtLoss = held;
        }
        held = 0;
    }
}
