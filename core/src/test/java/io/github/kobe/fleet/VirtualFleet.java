package io.github.kobe.fleet;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** Nodes and a store in virtual time, without faults: a message takes as long as it always does. Shows what the protocol makes of a load. */
final class VirtualFleet {

    static final long MS = TimeUnit.MILLISECONDS.toNanos(1);

    private final PriorityQueue<Event> events =
            new PriorityQueue<>(Comparator.<Event>comparingLong(e -> e.at).thenComparingLong(e -> e.order));
    private final Map<String, Node> bySession = new HashMap<>();
    private final long latency; // of a message, one way
    final ShardState shard = new ShardState();
    final List<FleetRequest> calls = new ArrayList<>();
    boolean pushesAreLost;
    long now;
    private long order;
    private int nodes;

    private record Event(long at, long order, Runnable action) {}

    VirtualFleet(long latency) {
        this.latency = latency;
    }

    static NodeSettings settings(String name, long ttl) {
        return new NodeSettings(
                name, ttl, 20 * MS, 5_000 * MS, 0, UnreachableMode.STOP, 1, true, NodeSettings.maxHeartbeat(ttl));
    }

    /** Returns the permits of the group that the node holds. */
    static int heldBy(FleetNode node, String group) {
        GroupLease lease = node.leaseOf(group);
        return lease == null ? 0 : lease.held;
    }

    void at(long delay, Runnable action) {
        events.add(new Event(now + delay, order++, action));
    }

    void run(long nanos) {
        long end = now + nanos;
        while (!events.isEmpty() && events.peek().at <= end) {
            Event next = events.poll();
            now = next.at;
            next.action.run();
        }
        now = end;
    }

    Node join(long ttl) {
        return new Node("n" + nodes++, ttl);
    }

    private FleetReply execute(FleetRequest request) {
        calls.add(request);
        ShardState.Result result = shard.call(request, now / MS, "run");
        for (FleetPush push : result.pushes()) {
            Node node = bySession.get(push.session());
            if (!pushesAreLost) {
                at(latency, () -> node.act(() -> node.node.pushed(push, now)));
            }
        }
        return result.reply();
    }

    private static final class LocalGroup {
        int bound;
        int used;
        int queued;
        long taskTime;
        boolean endless; // there is always another task
        long completed;
        long busy; // permits times time
    }

    final class Node implements FleetNode.Local {

        final String name;
        final FleetNode node;
        private final Map<String, LocalGroup> groups = new TreeMap<>();
        private boolean alive = true;
        private long wakeUp;
        private long leaseUntil = Long.MIN_VALUE;
        private int sessions;

        Node(String name, long ttl) {
            this.name = name;
            this.node = new FleetNode(settings(name, ttl), this, () -> name + "." + sessions++, now);
            act(() -> node.tick(now));
        }

        void kill() {
            alive = false;
        }

        void leave() {
            act(() -> node.leave(now));
        }

        /** Submits tasks that take so long. */
        void submit(String group, int limit, int tasks, long taskTime) {
            LocalGroup local = groups.get(group);
            if (local == null) {
                local = new LocalGroup();
                groups.put(group, local);
                act(() -> node.open(group, limit, 0, now));
            }
            local.taskTime = taskTime;
            local.queued += tasks;
            start(group);
            if (local.queued > 0) {
                act(() -> node.changed(group, now));
            }
        }

        /** From now on there is always another task. */
        void load(String group, int limit, long taskTime) {
            submit(group, limit, limit, taskTime);
            groups.get(group).endless = true;
        }

        /** No more tasks come, and those that are queued are cancelled. */
        void unload(String group) {
            groups.get(group).endless = false;
            groups.get(group).queued = 0;
        }

        void retire(String group) {
            act(() -> node.retired(group, now));
        }

        long completed(String group) {
            return groups.containsKey(group) ? groups.get(group).completed : 0;
        }

        long busy(String group) {
            return groups.containsKey(group) ? groups.get(group).busy : 0;
        }

        private void act(Runnable action) {
            if (alive) {
                action.run();
                long wait = node.nanosToWait(now);
                if (wait != Long.MAX_VALUE) {
                    long number = ++wakeUp;
                    at(wait, () -> {
                        if (number == wakeUp) {
                            act(() -> node.tick(now));
                        }
                    });
                }
            }
        }

        private void start(String group) {
            LocalGroup local = groups.get(group);
            while (local.queued > 0 && local.used < local.bound && now < leaseUntil) {
                local.queued -= local.endless ? 0 : 1;
                local.used++;
                at(local.taskTime, () -> complete(group));
            }
        }

        private void complete(String group) {
            if (!alive) {
                return;
            }
            LocalGroup local = groups.get(group);
            local.used--;
            local.completed++;
            local.busy += local.taskTime;
            start(group);
            if (local.used >= local.bound) {
                act(() -> node.changed(group, now));
            }
        }

        @Override
        public FleetNode.Demand demand(String group) {
            LocalGroup local = groups.get(group);
            return new FleetNode.Demand(local.used, local.queued, 1);
        }

        @Override
        public int bind(String group, int permits) {
            groups.get(group).bound = permits;
            start(group);
            return groups.get(group).used;
        }

        @Override
        public void lease(boolean always, long until) {
            leaseUntil = until;
            groups.keySet().forEach(this::start);
        }

        @Override
        public void leaseLost() {
            throw new AssertionError(name + " has lost its lease");
        }

        @Override
        public void refused(String reason) {
            throw new AssertionError(name + " was refused: " + reason);
        }

        @Override
        public void send(long call, FleetRequest request) {
            if (request instanceof FleetRequest.Hello hello) {
                bySession.put(hello.session(), this);
            }
            at(latency, () -> {
                FleetReply reply = execute(request);
                at(latency, () -> act(() -> node.replied(call, reply, now)));
            });
        }
    }
}
