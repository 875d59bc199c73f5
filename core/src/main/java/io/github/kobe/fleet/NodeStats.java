package io.github.kobe.fleet;

/**
 * What a node knows of itself and of its shard at one moment.
 *
 * @param state the state of the node
 * @param session the name of its session
 * @param leased whether its lease is valid
 * @param learning for so many milliseconds the shard grants no permits, as of its last answer
 * @param nodes the number of nodes, as of the last answer
 * @param groups the number of groups that it holds or wants permits of
 * @param held the permits that it holds, of all groups together
 * @param wanted the permits that it waits for
 * @param debt the permits in use that it does not hold
 * @param exchanges the exchanges that it has sent
 * @param lost the calls that were not answered in time, or failed
 * @param pushes the pushes that it has heard
 * @param leaseLosses how often its lease was over without having been renewed
 */
record NodeStats(
        FleetNode.State state,
        String session,
        boolean leased,
        long learning,
        int nodes,
        int groups,
        long held,
        long wanted,
        long debt,
        long exchanges,
        long lost,
        long pushes,
        long leaseLosses) {}
