package io.github.kobe.isolation;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The keys in line: a line for each {@link KeyClass}, by what the key was when it was last looked at, and who is first in it.
 *
 * <p>Quick ones come by how soon the place would be back, and how long they have waited; others by how many tasks they run, the least
 * first. Both are rounded, so that choosing takes the same time however many there are. Not safe for use by several threads.
 */
final class KeyQueues {

    /** A quick key waits behind quicker ones for so many times as long as its place would be taken. */
    private static final int MAX_STRETCH = 8;

    /** Times are told apart by half octaves, up to a minute or so. */
    private static final int TIME_BITS = 1;

    private static final int TIME_BUCKETS = 72;

    /** Numbers are told apart up to here, and beyond by eighths of octaves. */
    private static final int EXACT_COUNTS = 64;

    private static final int COUNT_BITS = 3;

    private static final int COUNT_BUCKETS = EXACT_COUNTS + (Integer.SIZE << COUNT_BITS);

    private final BucketQueue fast = new BucketQueue(TIME_BUCKETS, bucket -> (long) (MAX_STRETCH * timeOf(bucket)));
    private final BucketQueue established = new BucketQueue(COUNT_BUCKETS, bucket -> 0);
    private final BucketQueue unproven = new BucketQueue(COUNT_BUCKETS, bucket -> 0);

    private BucketQueue of(KeyClass standing) {
        return switch (standing) {
            case FAST -> fast;
            case ESTABLISHED -> established;
            case UNPROVEN -> unproven;
        };
    }

    private BucketQueue of(KeyState share) {
        return share.isQueuedAs(KeyClass.FAST) ? fast : share.isQueuedAs(KeyClass.ESTABLISHED) ? established : unproven;
    }

    /** @param expected for how long each of its tasks is going to have its place */
    void add(KeyState share, KeyClass standing, double expected) {
        of(standing).add(share, standing == KeyClass.FAST ? timeBucket(share, expected) : countBucket(share));
        share.setQueuedAs(standing);
    }

    void remove(KeyState share) {
        if (share.isQueued()) {
            of(share).remove(share);
            share.setQueuedAs(null);
        }
    }

    @Nullable
    KeyState first(KeyClass standing) {
        BucketQueue line = of(standing);
        int bucket = standing == KeyClass.FAST ? line.lowestRanked() : line.nextNonEmpty(0);
        return bucket < 0 ? null : line.first(bucket);
    }

    /** Whether one that is in another line would come before a quick one if it were in that line. */
    boolean isBefore(KeyState share, double expected, KeyState aQuickOne) {
        return fast.rank(share, timeBucket(share, expected)) - fast.rank(aQuickOne, aQuickOne.bucket) < 0;
    }

    /** How many are in line; from outside, a figure that may be a moment off. */
    int size() {
        return fast.size() + established.size() + unproven.size();
    }

    boolean hasOtherThanFast() {
        return established.size() + unproven.size() > 0;
    }

    /** Takes out those whose tasks have all been withdrawn. */
    List<KeyState> removeIdle() {
        List<KeyState> idle = new ArrayList<>();
        for (KeyClass standing : KeyClass.values()) {
            of(standing).forEach(share -> {
                if (share.group().queued() == 0) {
                    idle.add(share);
                }
            });
        }
        idle.forEach(this::remove);
        return idle;
    }

    // ---- rounding: a double's exponent and the first bits of its fraction number the buckets of equal ratio -------

    private static int ratioBucket(double value, int bits) {
        return (int) (Double.doubleToRawLongBits(value) >>> (52 - bits));
    }

    private static int timeBucket(double nanos) {
        return Math.min(TIME_BUCKETS - 1, ratioBucket(Math.max(1, nanos), TIME_BITS) - ratioBucket(1, TIME_BITS));
    }

    private static int timeBucket(KeyState share, double expected) {
        return timeBucket((share.running + 1) * expected);
    }

    private static double timeOf(int bucket) {
        return Double.longBitsToDouble((long) (bucket + ratioBucket(1, TIME_BITS)) << (52 - TIME_BITS));
    }

    private static int countBucket(KeyState share) {
        int number = share.running;
        return number < EXACT_COUNTS ? number : EXACT_COUNTS + ratioBucket(number, COUNT_BITS) - ratioBucket(EXACT_COUNTS, COUNT_BITS);
    }
}
