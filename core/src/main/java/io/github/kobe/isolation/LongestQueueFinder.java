package io.github.kobe.isolation;

import io.github.kobe.internal.kernel.Dispatcher;
import io.github.kobe.internal.kernel.Group;
import io.github.kobe.internal.time.Timer;
import java.util.Comparator;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Makes room in a full queue at the cost of the key with the longest line, so that one that fills it does not keep others out.
 *
 * <p>Looking for it takes a walk over all keys, so it is remembered, and looked for anew only now and then.
 */
final class LongestQueueFinder {

    private static final long LOOK_PERIOD = TimeUnit.MILLISECONDS.toNanos(10);

    private final Dispatcher kernel;
    private final Timer timer;
    private volatile String known = "";
    private volatile long lookAgain;

    LongestQueueFinder(Dispatcher kernel, Timer timer) {
        this.kernel = kernel;
        this.timer = timer;
        this.lookAgain = timer.nanoTime();
    }

    /**
     * For a task of {@code key}.
     *
     * @return false if no other line is longer than that one would be
     */
    boolean makeRoomFor(String key) {
        int own = queued(kernel.group(key));
        Group longest = kernel.group(known);
        if (queued(longest) <= own + 1) {
            longest = look();
        }
        return longest != null && queued(longest) > own + 1 && kernel.displace(longest.key());
    }

    private @Nullable Group look() {
        long now = timer.nanoTime();
        if (now - lookAgain < 0) {
            return null;
        }
        lookAgain = now + LOOK_PERIOD;
        Group longest = kernel.groups().stream()
                .max(Comparator.comparingInt(Group::queued))
                .orElse(null);
        if (longest != null) {
            known = longest.key();
        }
        return longest;
    }

    private static int queued(@Nullable Group group) {
        return group == null ? 0 : group.queued();
    }
}
