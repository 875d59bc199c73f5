package io.github.kobe.fleet;

import io.github.kobe.internal.time.SystemTimer;
import io.github.kobe.internal.util.Checks;
import io.github.kobe.internal.util.Durations;
import java.time.Duration;
import java.util.Collection;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The part of this JVM in a fleet: several JVMs that share the limits of their groups through a {@link FleetStore}. A policy that names a fleet gives
 * its executor limits that hold over all executors of the fleet, on all JVMs: {@code GroupPolicy.builder().fleet(fleet)}.
 *
 * <p>Groups with the same key are the same group, in whichever executor of the fleet they are. For limits that are apart, use fleets with different
 * names. Each executor has a session of its own in the store, so two executors of one JVM share a limit as those of two JVMs do.
 *
 * <p>A fleet has one daemon thread, and a connection to the store. Close it after the executors that use it.
 *
 * <p>Thread-safe.
 */
public sealed interface Fleet extends AutoCloseable permits FleetRuntime {

    /**
     * Joins a fleet, with the default settings.
     *
     * @param name the name of the fleet: 1 to 100 letters, digits, '.', '-' and '_'
     * @throws IllegalArgumentException if the name is not valid
     */
    static Fleet join(String name, FleetStore store) {
        return builder(name, store).join();
    }

    /**
     * Begins the settings of a fleet.
     *
     * @param name the name of the fleet: 1 to 100 letters, digits, '.', '-' and '_'
     * @throws IllegalArgumentException if the name is not valid
     */
    static Builder builder(String name, FleetStore store) {
        return new Builder(name, store);
    }

    /** Returns the name of the fleet. */
    String name();

    /** Returns the name of this node, for operators. */
    String node();

    /** Returns the settings that can be changed for the whole fleet, while it runs. */
    FleetControl control();

    /** Returns a snapshot of all groups of this JVM together, and of the sessions. */
    FleetStats stats();

    /** Returns a snapshot of each group that this JVM holds or wants permits of. The stream is of the time of the call. */
    Stream<FleetGroupStats> groups();

    /** As {@link #groups}, of one group; empty if this JVM holds and wants no permit of it. */
    Optional<FleetGroupStats> groupStats(String groupKey);

    /**
     * Returns a snapshot of each value of each shared limit of the fleet ({@code SharedLimit.acrossFleet}) that this JVM holds or wants permits of.
     * The stream is of the time of the call.
     */
    Stream<FleetSharedLimitStats> sharedLimits();

    /** As {@link #sharedLimits}, of one value; empty if this JVM holds and wants no permit of it. */
    Optional<FleetSharedLimitStats> sharedLimitStats(String name, String value);

    /**
     * Asks the store for all nodes of the fleet, and for what they hold and want of some groups. One call for each shard; changes nothing.
     *
     * @param groupKeys at most 64 keys; an empty key stands for the limit over all groups
     * @return completes exceptionally if the store does not answer, at the latest after a quarter of the TTL
     * @throws IllegalArgumentException if there are more than 64 keys
     */
    CompletableFuture<FleetView> look(Collection<String> groupKeys);

    /**
     * As {@link #look}, for values of a shared limit of the fleet ({@code SharedLimit.acrossFleet}). In the answer, the key of a group is the value.
     *
     * @param name the name of the shared limit
     * @param values at most 64 values
     * @throws IllegalArgumentException if there are more than 64 values
     */
    CompletableFuture<FleetView> lookAtSharedLimit(String name, Collection<String> values);

    /**
     * Leaves the fleet: returns all permits that are not in use. From now on no task starts in the executors that use this fleet, and no executor
     * can be created with it. Queued tasks stay queued until their executor is shut down. Running tasks go on; each returns its permit to the fleet
     * when it completes, and until then this node stays known to the store.
     *
     * <p>Waits until everything is returned, but not for running tasks, and at most for a quarter of the TTL. If the thread is interrupted, it stops
     * waiting, and its interrupt flag is set. Only the first call has an effect. A JVM that exits without it returns its permits when its sessions
     * have expired.
     */
    @Override
    void close();

    /** Settings of a fleet. Each method documents its default. Not thread-safe. */
    final class Builder {

        private static final Duration MIN_TTL = Duration.ofMillis(80);
        private static final Duration MAX_TTL = Duration.ofDays(1);

        private final String name;
        private final FleetStore store;
        private String node = ProcessName.get();
        private Duration ttl = Duration.ofSeconds(10);
        private @Nullable Duration heartbeat;
        private Duration quantum = Duration.ofMillis(80);
        private Duration linger = Duration.ofSeconds(5);
        private Duration reclaimAfter = Duration.ZERO;
        private UnreachableMode whenUnreachable = UnreachableMode.STOP;
        private LeaseLostAction onLeaseLost = LeaseLostAction.KEEP;
        private long version;
        private @Nullable Integer totalLimit;
        private boolean founding;

        private Builder(String name, FleetStore store) {
            this.name = FleetNames.checkFleet(name);
            this.store = Objects.requireNonNull(store, "store");
        }

        /** Sets the name of this node, for operators; not blank. Default: the name of the host and the number of the process. */
        public Builder node(String name) {
            node = Objects.requireNonNull(name, "node");
            return this;
        }

        /**
         * Sets after which time without a sign of life the permits of a node can be taken back; between 80 ms and one day. A node starts no
         * task if it has had no answer for three quarters of it. The same on all nodes. Default 10 seconds.
         */
        public Builder ttl(Duration time) {
            ttl = Objects.requireNonNull(time, "ttl");
            return this;
        }

        /**
         * Sets how often the node renews its lease, positive, and at most an eighth of the TTL. If pushes of the store are lost,
         * permits move with the heartbeats. Default an eighth of the TTL.
         */
        public Builder heartbeat(Duration time) {
            heartbeat = Objects.requireNonNull(time, "heartbeat");
            return this;
        }

        /**
         * Sets the least time for which a node keeps a permit that other nodes wait for, if it has tasks for it; positive, and at most the
         * TTL. A permit is unused while it moves, for about one call of the store, so with a quantum of 40 calls a fortieth is lost. A
         * longer one makes other nodes wait longer. Default 80 ms.
         */
        public Builder quantum(Duration time) {
            quantum = Objects.requireNonNull(time, "quantum");
            return this;
        }

        /** Sets how long a permit is kept that is not used, and that no other node wants; not negative. Default 5 seconds. */
        public Builder linger(Duration time) {
            linger = Objects.requireNonNull(time, "linger");
            return this;
        }

        /**
         * Sets for how long the permits of this node are kept after its session has expired, not negative. A node that was cut off for no longer
         * than that finds its permits unused by others. Default zero.
         */
        public Builder reclaimAfter(Duration time) {
            reclaimAfter = Objects.requireNonNull(time, "reclaimAfter");
            return this;
        }

        /** Sets what to do when the store cannot be reached and the lease is over. Default {@link UnreachableMode#STOP}. */
        public Builder whenUnreachable(UnreachableMode mode) {
            whenUnreachable = Objects.requireNonNull(mode, "whenUnreachable");
            return this;
        }

        /** Sets what happens to running tasks when the lease is over. Default {@link LeaseLostAction#KEEP}. */
        public Builder onLeaseLost(LeaseLostAction action) {
            onLeaseLost = Objects.requireNonNull(action, "onLeaseLost");
            return this;
        }

        /**
         * Sets the version of the limits in the policies of this node, at least 0. If nodes disagree about the limit of a group or of a shared limit,
         * the highest version decides; of the nodes that use the group and have that version, the one with the lowest limit. Increase it with each deployment
         * that changes limits, also with a rollback. Default 0.
         */
        public Builder configurationVersion(long number) {
            version = number;
            return this;
        }

        /** Sets how many tasks of all groups of the fleet together may run at once, at least 1. Default unlimited. */
        public Builder totalLimit(int limit) {
            totalLimit = limit;
            return this;
        }

        /**
         * Sets whether an empty store is known to be that of a new fleet. If not, it may have lost its data, and grants no permit for the
         * first TTL, in which nodes say what they hold. When this node has joined once, the setting has no effect any more. Do not set it
         * in production, where a node may be started when the store has just lost its data: it is for tests and examples that begin with an
         * empty store. Default {@code false}.
         */
        public Builder founding(boolean isNew) {
            founding = isNew;
            return this;
        }

        /**
         * Joins the fleet.
         *
         * @throws IllegalArgumentException if a setting is out of range; the message contains its name and its value
         */
        public Fleet join() {
            Checks.notBlank("node", node);
            Checks.check(
                    ttl.compareTo(MIN_TTL) >= 0 && ttl.compareTo(MAX_TTL) <= 0,
                    "ttl",
                    "between " + MIN_TTL + " and " + MAX_TTL,
                    ttl);
            Duration longest = Duration.ofNanos(NodeSettings.maxHeartbeat(ttl.toNanos()));
            if (heartbeat != null) {
                Checks.positive("heartbeat", heartbeat);
                Checks.check(heartbeat.compareTo(longest) <= 0, "heartbeat", "at most " + longest, heartbeat);
            }
            Checks.positive("quantum", quantum);
            Checks.check(quantum.compareTo(ttl) <= 0, "quantum", "at most " + ttl, quantum);
            Checks.notNegative("linger", linger);
            Checks.notNegative("reclaimAfter", reclaimAfter);
            Checks.check(version >= 0, "configurationVersion", "at least 0", version);
            if (totalLimit != null) {
                Checks.atLeast(1, "totalLimit", totalLimit);
            }
            return FleetRuntime.join(name, store, this::nodeSettings, memberSettings(), SystemTimer.shared());
        }

        private NodeSettings nodeSettings(int shards) {
            return new NodeSettings(
                    node,
                    ttl.toNanos(),
                    quantum.toNanos(),
                    Durations.saturatedNanos(linger),
                    Durations.saturatedNanos(reclaimAfter),
                    whenUnreachable,
                    shards,
                    founding,
                    heartbeat == null ? NodeSettings.maxHeartbeat(ttl.toNanos()) : heartbeat.toNanos());
        }

        private MemberSettings memberSettings() {
            return new MemberSettings(version, totalLimit, onLeaseLost);
        }
    }
}
