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
        boolean white,
        boolean whiteFull,
        boolean slow,
        boolean waitedLong,
        boolean othersWait,
        int keyRunning,
        int keyShare,
        boolean laneFull,
        boolean backupFull) {

    Lane lane() {
        if (white) {
            return whiteFull ? Lane.ISOLATION : Lane.WHITE_LIST;
        }
        Lane lane = slow ? Lane.SLOW : Lane.FAST;
        Lane backup = slow ? Lane.SLOW_BACKUP : Lane.FAST_BACKUP;
        if (!othersWait) {
            return waitedLong ? backup : lane;
        }
        if (keyRunning <= keyShare && !waitedLong && !laneFull) {
            return lane;
        }
        return keyRunning > 2 * keyShare || backupFull ? Lane.ISOLATION : backup;
    }
}
