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
    private static final int STRETCH = 8;

    /** Times are told apart by half octaves, up to a minute or so. */
    private static final int TIME_BITS = 1;

    private static final int TIMES = 72;

    /** Numbers are told apart up to here, and beyond by eighths of octaves. */
    private static final int EXACT = 64;

    private static final int NUMBER_BITS = 3;

    private static final int NUMBERS = EXACT + (Integer.SIZE << NUMBER_BITS);

    private final BucketQueue quick = new BucketQueue(TIMES, bucket -> (long) (STRETCH * timeOf(bucket)));
    private final BucketQueue proven = new BucketQueue(NUMBERS, bucket -> 0);
    private final BucketQueue unproven = new BucketQueue(NUMBERS, bucket -> 0);

    private BucketQueue of(KeyClass standing) {
        return switch (standing) {
            case QUICK -> quick;
            case PROVEN -> proven;
            case UNPROVEN -> unproven;
        };
    }

    private BucketQueue of(KeyState share) {
        return share.isIn(KeyClass.QUICK) ? quick : share.isIn(KeyClass.PROVEN) ? proven : unproven;
    }

    /** @param expected for how long each of its tasks is going to have its place */
    void enter(KeyState share, KeyClass standing, double expected) {
        of(standing).add(share, standing == KeyClass.QUICK ? timeBucket(share, expected) : numberBucket(share));
        share.setLine(standing);
    }

    void leave(KeyState share) {
        if (share.isInLine()) {
            of(share).remove(share);
            share.setLine(null);
        }
    }

    @Nullable
    KeyState first(KeyClass standing) {
        BucketQueue line = of(standing);
        int bucket = standing == KeyClass.QUICK ? line.lowest() : line.filledFrom(0);
        return bucket < 0 ? null : line.first(bucket);
    }

    /** Whether one that is in another line would come before a quick one if it were in that line. */
    boolean isBefore(KeyState share, double expected, KeyState aQuickOne) {
        return quick.rank(share, timeBucket(share, expected)) - quick.rank(aQuickOne, aQuickOne.bucket) < 0;
    }

    /** How many are in line; from outside, a figure that may be a moment off. */
    int size() {
        return quick.size() + proven.size() + unproven.size();
    }

    boolean hasOthersThanQuick() {
        return proven.size() + unproven.size() > 0;
    }

    /** Takes out those whose tasks have all been withdrawn. */
    List<KeyState> takeIdle() {
        List<KeyState> idle = new ArrayList<>();
        for (KeyClass standing : KeyClass.values()) {
            of(standing).forEach(share -> {
                if (share.group().queued() == 0) {
                    idle.add(share);
                }
            });
        }
        idle.forEach(this::leave);
        return idle;
    }

    // ---- rounding: a double's exponent and the first bits of its fraction number the buckets of equal ratio -------

    private static int ratioBucket(double value, int bits) {
        return (int) (Double.doubleToRawLongBits(value) >>> (52 - bits));
    }

    private static int timeBucket(double nanos) {
        return Math.min(TIMES - 1, ratioBucket(Math.max(1, nanos), TIME_BITS) - ratioBucket(1, TIME_BITS));
    }

    private static int timeBucket(KeyState share, double expected) {
        return timeBucket((share.running + 1) * expected);
    }

    private static double timeOf(int bucket) {
        return Double.longBitsToDouble((long) (bucket + ratioBucket(1, TIME_BITS)) << (52 - TIME_BITS));
    }

    private static int numberBucket(KeyState share) {
        int number = share.running;
        return number < EXACT ? number : EXACT + ratioBucket(number, NUMBER_BITS) - ratioBucket(EXACT, NUMBER_BITS);
    }
}
