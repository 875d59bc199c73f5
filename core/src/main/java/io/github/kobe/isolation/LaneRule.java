package io.github.kobe.isolation;

/**
 * Which lane a task that starts now is booked in.
 *
 * @param white whether its key is white-listed
 * @param whiteFull whether white-listed keys have all that is theirs
 * @param slow whether its key is
 * @param waitedLong whether it has waited past the target
 * @param othersWait whether tasks of other keys wait
 * @param keyRunning how many of its key's tasks run, with this one
 * @param keyShare how many are a key's share of a lane
 * @param laneFull whether its lane has as many as it should
 * @param backupFull whether the backup of its lane has
 */
record LaneRule(
        boolean whiteListed,
        boolean whiteListFull,
        boolean slow,
        boolean late,
        boolean othersQueued,
        int keyRunning,
        int keyLaneLimit,
        boolean laneFull,
        boolean backupFull) {

    Lane lane() {
        if (whiteListed) {
            return whiteListFull ? Lane.ISOLATION : Lane.WHITE_LIST;
        }
        Lane lane = slow ? Lane.SLOW : Lane.FAST;
        Lane backup = slow ? Lane.SLOW_BACKUP : Lane.FAST_BACKUP;
        if (!othersQueued) {
            return late ? backup : lane;
        }
        if (keyRunning <= keyLaneLimit && !late && !laneFull) {
            return lane;
        }
        return keyRunning > 2 * keyLaneLimit || backupFull ? Lane.ISOLATION : backup;
    }
}
