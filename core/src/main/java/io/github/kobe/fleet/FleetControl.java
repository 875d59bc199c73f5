package io.github.kobe.fleet;

import io.github.kobe.fleet.FleetReply.Configured;
import io.github.kobe.fleet.FleetReply.Snapshot;
import io.github.kobe.fleet.FleetRequest.Configure;
import io.github.kobe.fleet.FleetRequest.Look;
import io.github.kobe.fleet.FleetRequest.Setting;
import io.github.kobe.internal.time.Timer;
import io.github.kobe.internal.time.TimerEntry;
import io.github.kobe.internal.util.Checks;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Settings of groups and of shared limits that are changed for the whole fleet, while it runs. They are kept in the store: they hold for nodes that join later, and override the
 * policies of all nodes until they are reset.
 *
 * <p>The futures complete when the store has applied the change; nodes hear of it a moment later. A change is tried again for as long as the TTL if the store cannot be
 * reached, or has no data yet because no executor has joined. Then the future completes with an {@link IllegalStateException}, and it is not known whether the
 * change was applied.
 *
 * <p>Thread-safe.
 */
public final class FleetControl {

    private final String fleet;
    private final FleetStore.Connection connection;
    private final NodeSettings settings;
    private final Timer timer;

    FleetControl(String fleet, FleetStore.Connection connection, NodeSettings settings, Timer timer) {
        this.fleet = fleet;
        this.connection = connection;
        this.settings = settings;
        this.timer = timer;
    }

    /**
     * Sets how many tasks of a group may run at once in the whole fleet. If it is lowered, running tasks finish.
     *
     * @throws IllegalArgumentException if the limit is less than 1
     */
    public CompletableFuture<Void> setLimit(String groupKey, int limit) {
        return change(FleetNames.ofGroup(groupKey), Setting.LIMIT, Checks.atLeast(1, "limit", limit));
    }

    /** Removes the limit that was set by {@link #setLimit}: the policies of the nodes decide again. */
    public CompletableFuture<Void> resetLimit(String groupKey) {
        return change(FleetNames.ofGroup(groupKey), Setting.LIMIT, FleetRequest.UNSET);
    }

    /** Pauses a group: no node starts a task of it. Running tasks go on. */
    public CompletableFuture<Void> pause(String groupKey) {
        return change(FleetNames.ofGroup(groupKey), Setting.PAUSED, 1);
    }

    /** Ends {@link #pause}. */
    public CompletableFuture<Void> resume(String groupKey) {
        return change(FleetNames.ofGroup(groupKey), Setting.PAUSED, FleetRequest.UNSET);
    }

    /**
     * Sets how many tasks of all groups together may run at once in the whole fleet. Has an effect only on nodes that have a total limit, see
     * {@link Fleet.Builder#totalLimit}.
     *
     * @throws IllegalArgumentException if the limit is less than 1
     */
    public CompletableFuture<Void> setTotalLimit(int limit) {
        return change(FleetNames.TOTAL, Setting.LIMIT, Checks.atLeast(1, "limit", limit));
    }

    /** Removes the limit that was set by {@link #setTotalLimit}: the settings of the nodes decide again. */
    public CompletableFuture<Void> resetTotalLimit() {
        return change(FleetNames.TOTAL, Setting.LIMIT, FleetRequest.UNSET);
    }

    /**
     * Sets how many permits a value of a shared limit of the fleet ({@code SharedLimit.acrossFleet}) may have in use in the whole fleet. If it is lowered, running tasks finish.
     *
     * @param name the name of the shared limit
     * @throws IllegalArgumentException if the limit is less than 1
     */
    public CompletableFuture<Void> setSharedLimit(String name, String value, int limit) {
        return change(shared(name, value), Setting.LIMIT, Checks.atLeast(1, "limit", limit));
    }

    /** Removes the limit that was set by {@link #setSharedLimit}: the policies of the nodes decide again. */
    public CompletableFuture<Void> resetSharedLimit(String name, String value) {
        return change(shared(name, value), Setting.LIMIT, FleetRequest.UNSET);
    }

    /** Pauses a value of a shared limit of the fleet: no node starts a task of the groups that belong to it. Running tasks go on. */
    public CompletableFuture<Void> pauseSharedLimit(String name, String value) {
        return change(shared(name, value), Setting.PAUSED, 1);
    }

    /** Ends {@link #pauseSharedLimit}. */
    public CompletableFuture<Void> resumeSharedLimit(String name, String value) {
        return change(shared(name, value), Setting.PAUSED, FleetRequest.UNSET);
    }

    private static String shared(String name, String value) {
        return FleetNames.ofShared(FleetLook.sharedKey(name, value));
    }

    private CompletableFuture<Void> change(String group, Setting setting, long value) {
        Change change = new Change(group, setting, value);
        change.begin();
        return change.result;
    }

    /** One change, on its way. Each step follows the one before it, so nothing runs at the same time but the timeout. */
    private final class Change extends TimerEntry {
        private final String group;
        private final Setting setting;
        private final long value;
        private final CompletableFuture<Void> result = new CompletableFuture<>();
        private volatile boolean over; // the result is known, and is set by another thread
        private volatile @Nullable Throwable lastFailure;

        Change(String group, Setting setting, long value) {
            this.group = group;
            this.setting = setting;
            this.value = value;
        }

        void begin() {
            timer.start(this, settings.ttl());
            readVersion();
        }

        private void readVersion() {
            call(new Look(List.of(), List.of()));
        }

        private void call(FleetRequest request) {
            if (over || result.isDone()) {
                return; // the caller may have cancelled it
            }
            int shard = FleetNames.shardOf(group, settings.shards());
            StoreCall.send(connection, shard, request).whenComplete((reply, failure) -> {
                if (failure == null) {
                    answered(request, reply);
                } else {
                    tryLater(failure);
                }
            });
        }

        private void answered(FleetRequest request, @Nullable FleetReply reply) {
            if (request instanceof Look && reply instanceof Snapshot snapshot) {
                if (snapshot.incarnation().isEmpty()) {
                    tryLater(null); // no executor has joined
                } else {
                    configure(snapshot.version() + 1);
                }
            } else if (request instanceof Configure && reply instanceof Configured configured) {
                if (configured.applied()) {
                    applied();
                } else {
                    configure(configured.version() + 1); // another change was faster
                }
            } else {
                tryLater(null);
            }
        }

        private void configure(long version) {
            call(new Configure(group, setting, value, version));
        }

        private void tryLater(@Nullable Throwable why) {
            lastFailure = why;
            timer.schedule(this::readVersion, settings.backoff());
        }

        // what depends on the result is user code: not on the thread of the timer or of the store

        private void applied() {
            over = true;
            timer.cancel(this);
            result.completeAsync(() -> null);
        }

        /** The change was not applied in time. */
        @Override
        public void fire() {
            over = true;
            IllegalStateException failure = new IllegalStateException(
                    "fleet '" + fleet + "': " + setting + " = " + value + " was not applied in " + settings.ttlMillis()
                            + " ms",
                    lastFailure);
            Thread.startVirtualThread(() -> result.completeExceptionally(failure));
        }
    }
}
