package io.github.kobe.fleet;

import io.github.kobe.fleet.FleetRequest.Configure;
import io.github.kobe.fleet.FleetRequest.Exchange;
import io.github.kobe.fleet.FleetRequest.Setting;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Several nodes and a store under one random schedule, in virtual time, on one thread. The nodes are real ({@link FleetNode}), with what kernels read of
 * them ({@link MemberGroup}), and so is the store ({@link ShardState}). Executors, clocks, the network and the server process are models that fail in all ways that the protocol has to survive. The
 * same seed gives the same run.
 */
final class FleetSimulation {

    /** What goes wrong. */
    enum Faults {
        /** Calls and pushes are late, lost, doubled and out of order. Nodes are killed, clocks are set. No node is silent for long. */
        NOBODY_IS_SILENT,
        /** As above; nodes are also frozen and cut off for longer than a lease. */
        ANY
    }

    private static final long MS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long TTL = 400 * MS;
    private static final long QUANTUM = 40 * MS;
    private static final long LINGER = 250 * MS;
    private static final int MAX_TRACE = 400;
    private static final int MAX_NODES = 12;

    private final SplittableRandom random;
    private final Faults faults;
    private final BrokenTwin twin;
    private final boolean tracing;
    private final List<String> trace = new ArrayList<>();
    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private final List<SimNode> nodes = new ArrayList<>(); // that were not killed
    private final TreeMap<String, Group> groups = new TreeMap<>();
    private final SimStore store;
    private final UnreachableMode mode;
    private final boolean allPushesLost;
    private long order;
    private long now;
    private int nodeCount;
    private boolean changed; // since the last check
    private boolean healed;
    private long quietFrom;
    private long version;

    private record Event(long at, long order, Runnable action) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            return at != other.at ? Long.compare(at, other.at) : Long.compare(order, other.order);
        }
    }

    /** A group: its limit, and how many tasks may run while a lowered limit is paid off. */
    private static final class Group {
        final String name;
        int index;
        int policyLimit;
        long ceiling;

        Group(String name, int limit) {
            this.name = name;
            this.policyLimit = limit;
            this.ceiling = limit;
        }
    }

    private static final class Task {
        boolean orphan; // it has been running at a time when its node had no valid lease
    }

    FleetSimulation(long seed, Faults faults, BrokenTwin twin, boolean tracing) {
        this.random = new SplittableRandom(seed);
        this.faults = faults;
        this.twin = twin;
        this.tracing = tracing;
        this.store = new SimStore();
        this.mode = faults == Faults.ANY && random.nextInt(4) == 0
                ? UnreachableMode.values()[random.nextInt(4)]
                : UnreachableMode.STOP;
        this.allPushesLost = twin == BrokenTwin.LOST_PUSHES_UNNOTICED || random.nextInt(8) == 0;
        int count = 1 + random.nextInt(3);
        for (int i = 0; i < count; i++) {
            String name = i == 2 && random.nextBoolean() ? FleetNames.TOTAL : "g" + i;
            groups.put(name, new Group(name, 1 + random.nextInt(name.isEmpty() ? 8 : 5)));
        }
        int index = 0;
        for (Group group : groups.values()) {
            group.index = index++;
        }
    }

    // ---- running ----------------------------------------------------------------------------------------------

    void run() {
        try {
            int count = 1 + random.nextInt(4);
            for (int i = 0; i < count; i++) {
                addNode();
            }
            at(random.nextLong(30 * MS), this::anyAction);
            runFor((2 + random.nextInt(5)) * TTL);
            heal();
            finish();
        } catch (AssertionError e) {
            throw tracing ? new AssertionError(e.getMessage() + "\n" + String.join("\n", trace), e) : e;
        }
    }

    private interface Condition {
        boolean holds();
    }

    private boolean runUntil(Condition condition, long latest) {
        changed = true;
        while (true) {
            if (changed) {
                changed = false;
                check();
                if (condition.holds()) {
                    return true;
                }
            }
            Event next = events.poll();
            if (next == null || next.at > latest) {
                return false;
            }
            now = Math.max(now, next.at);
            next.action.run();
        }
    }

    private void runFor(long nanos) {
        long end = now + nanos;
        at(nanos, () -> changed = true);
        runUntil(() -> now >= end, Long.MAX_VALUE);
    }

    private void at(long delay, Runnable action) {
        events.add(new Event(now + Math.max(0, delay), order++, action));
    }

    private void trace(String format, Object... arguments) {
        if (tracing) {
            if (trace.size() == MAX_TRACE) {
                trace.removeFirst();
            }
            trace.add(String.format("%9.3f ", now / (double) MS) + String.format(format, arguments));
        }
    }

    private boolean oneIn(int n) {
        return random.nextInt(n) == 0;
    }

    private <T> T any(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }

    // ---- what happens -----------------------------------------------------------------------------------------

    private void anyAction() {
        if (healed) {
            return;
        }
        int kind = random.nextInt(100);
        if (kind < 68) {
            submitSome();
        } else if (kind < 72) {
            retireSome();
        } else if (kind < 76) {
            setClock();
        } else if (kind < 80) {
            restartStore();
        } else if (kind < 83) {
            store.pause(random.nextLong(faults == Faults.ANY ? 3 * TTL : TTL / 4));
        } else if (kind < 86) {
            killNode();
        } else if (kind < 88) {
            addNode();
        } else if (kind < 90) {
            leaveNode();
        } else if (kind < 93) {
            configure();
        } else if (kind < 95) {
            changePolicy();
        } else {
            cutOff();
        }
        at(random.nextLong(40 * MS), this::anyAction);
    }

    private void submitSome() {
        SimNode node = any(nodes);
        String group = any(List.copyOf(groups.keySet()));
        if (group.equals(FleetNames.TOTAL)) {
            return;
        }
        int tasks = 1 + random.nextInt(5);
        node.whenAwake(() -> node.submit(group, tasks));
    }

    private void retireSome() {
        SimNode node = any(nodes);
        String group = any(List.copyOf(groups.keySet()));
        node.whenAwake(() -> node.retire(group));
    }

    private void setClock() {
        // the margin of a lease allows for one step in a TTL
        if (now - store.steppedAt > TTL * 3 / 2) {
            store.steppedAt = now;
            store.offset += (random.nextLong(4 * TTL) - 2 * TTL) / MS;
            trace("server time set, offset %d ms", store.offset);
        }
    }

    private void restartStore() {
        int kind = random.nextInt(4);
        if (now - store.steppedAt < TTL * 3 / 2) {
            return; // another server may have another clock: that is a step too
        }
        store.steppedAt = now;
        if (kind == 0) {
            store.loseData(); // FLUSHALL, without a restart
            return;
        }
        if (kind == 1) {
            store.loseData();
        } else if (kind == 2) {
            store.loseWrites(random.nextInt(30));
        }
        store.offset += random.nextInt(3) == 0 ? random.nextLong(2 * TTL) / MS : 0;
        store.run = "r" + (++store.runs);
        store.down(random.nextLong(faults == Faults.ANY ? 2 * TTL : TTL / 8));
        trace("server restarted as %s, down until %.3f", store.run, store.downUntil / (double) MS);
    }

    private void killNode() {
        SimNode node = any(nodes);
        if (!node.leaving && nodeCount < MAX_NODES) { // otherwise no other one would take its part
            trace("%s killed", node.name);
            node.alive = false;
            nodes.remove(node);
            addNode();
        }
    }

    private void leaveNode() {
        SimNode node = any(nodes);
        if (!node.leaving && nodes.stream().filter(n -> !n.leaving).count() > 1) {
            node.leave();
        }
    }

    private void configure() {
        Group group = any(List.copyOf(groups.values()));
        boolean pause = oneIn(3);
        long value = pause ? random.nextInt(2) : 1 + random.nextInt(6);
        store.configure(group, pause ? Setting.PAUSED : Setting.LIMIT, oneIn(4) ? FleetRequest.UNSET : value);
    }

    /** A rolling deployment, or a setting of one executor: some nodes have another limit, of a newer version or of the same. */
    private void changePolicy() {
        Group group = any(List.copyOf(groups.values()));
        SimNode node = any(nodes);
        if (node.alive) {
            int drawn = random.nextInt(12);
            group.policyLimit = 1 + drawn % 6;
            version += drawn / 6;
            long stated = version;
            trace("%s has limit %d of %s, version %d", node.name, group.policyLimit, group.name, stated);
            node.whenAwake(() -> node.setPolicy(group.name, group.policyLimit, stated));
        }
    }

    private void cutOff() {
        SimNode node = any(nodes);
        long duration = random.nextLong(faults == Faults.ANY ? 4 * TTL : TTL / 4);
        long until = now + duration;
        switch (random.nextInt(4)) {
            case 0 -> node.sendsFrom = Math.max(node.sendsFrom, until);
            case 1 -> node.hearsFrom = Math.max(node.hearsFrom, until);
            case 2 -> {
                node.sendsFrom = Math.max(node.sendsFrom, until);
                node.hearsFrom = Math.max(node.hearsFrom, until);
            }
            default -> node.frozenUntil = Math.max(node.frozenUntil, until);
        }
        trace(
                "%s: sends from %.3f, hears from %.3f, frozen until %.3f",
                node.name, node.sendsFrom / (double) MS, node.hearsFrom / (double) MS, node.frozenUntil / (double) MS);
    }

    private void addNode() {
        if (nodeCount < MAX_NODES) {
            nodes.add(new SimNode("n" + nodeCount++));
        }
    }

    private void heal() {
        healed = true;
        trace("healed");
        quietFrom = Math.max(now, store.pausedUntil);
        for (SimNode node : nodes) {
            quietFrom = Math.max(quietFrom, node.frozenUntil); // what was put off comes then
            node.sendsFrom = now;
            node.hearsFrom = now;
            node.frozenUntil = Math.min(node.frozenUntil, now);
        }
        store.downUntil = Math.min(store.downUntil, now);
        store.pausedUntil = Math.min(store.pausedUntil, now);
        groups.values().forEach(this::resume);
        for (int i = 1; i <= 2; i++) {
            at(quietFrom - now + (i + 1) * TTL, this::moveDemand);
        }
        if (nodes.stream().noneMatch(n -> !n.leaving)) {
            nodeCount = 0;
            addNode();
        }
    }

    /** Some nodes want permits one after the other: the next one when the one before has finished, but still keeps its permits. */
    private void moveDemand() {
        String group = groups.firstKey().equals(FleetNames.TOTAL) ? groups.lastKey() : groups.firstKey();
        long delay = 0;
        for (SimNode node : List.copyOf(nodes)) {
            at(delay, () -> node.whenAwake(() -> node.submit(group, 4)));
            delay += 60 * MS;
        }
    }

    private void resume(Group group) {
        if (store.configure(group, Setting.PAUSED, 0) instanceof FleetReply.Rejoin) {
            at(TTL / 8, () -> resume(group)); // no node has joined since the server was restarted
        }
    }

    private void finish() {
        runFor(quietFrom - now + 3 * TTL + 1);
        boolean done = runUntil(this::isIdle, now + 40 * TTL);
        demand(done, "progress", "tasks are left: %s", nodes);
        boolean reaped = runUntil(store::knowsTheMembersOnly, now + 10 * TTL);
        demand(reaped, "progress", "sessions are left: %s", store.shard.sessions.keySet());
        nodes.stream().filter(n -> !n.leaving).forEach(SimNode::leave);
        boolean left = runUntil(() -> nodes.stream().allMatch(SimNode::hasLeft), now + 10 * TTL);
        demand(left, "nothing left", "nodes have not left: %s", nodes);
        // a hello that comes after the bye leaves an empty session, which expires
        demand(
                store.shard.groups.isEmpty()
                        && store.shard.sessions.values().stream().allMatch(session -> session.groups.isEmpty()),
                "nothing left",
                "sessions %s, groups %s",
                store.shard.sessions.keySet(),
                store.shard.groups.keySet());
    }

    private boolean isIdle() {
        for (SimNode node : nodes) {
            if (!node.isIdle()) {
                return false;
            }
        }
        return true;
    }

    // ---- invariants -------------------------------------------------------------------------------------------

    private static void demand(boolean holds, String invariant, String format, Object... arguments) {
        if (!holds) {
            throw new AssertionError(invariant + ": " + String.format(format, arguments));
        }
    }

    private void check() {
        for (SimNode node : nodes) {
            node.markOrphans();
            if (node.changed || store.changed) {
                node.changed = false;
                node.checkBounds();
            }
        }
        store.changed = false;
        for (Group group : groups.values()) {
            int limit = store.limitOf(group);
            if (group.ceiling > limit) {
                boolean dataLost =
                        now - store.lostAt < 2 * TTL; // a live limit may be lost too, and grants be on their way
                group.ceiling = Math.max(limit, dataLost ? group.ceiling : Math.min(group.ceiling, mayUse(group)));
            } else {
                group.ceiling = limit;
            }
            checkMeeting(group);
            long running = 0;
            for (SimNode node : nodes) {
                running += node.regularTasks(group);
            }
            demand(
                    running <= group.ceiling,
                    "limit",
                    "%d tasks of %s run, limit %d",
                    running,
                    group.name,
                    group.ceiling);
        }
    }

    private long mayUse(Group group) {
        long may = 0;
        for (SimNode node : nodes) {
            may += node.mayUse(group.name);
        }
        return may;
    }

    /** Without faults, a free permit and a node that wants it find each other within two heartbeats, even if all pushes are lost. */
    private void checkMeeting(Group group) {
        boolean apart = healed
                && now > quietFrom + TTL
                && !groups.containsKey(FleetNames.TOTAL)
                && store.knowsTheMembersOnly()
                && store.grants(group)
                && (store.freePermits(group) > 0 || isAnyUnused(group));
        for (SimNode node : nodes) {
            LocalGroup local = node.byIndex.get(group.index);
            boolean waits = local.queued > 0 && local.running.size() >= local.bound;
            if (!apart || !waits) {
                local.apartSince = Long.MAX_VALUE;
            } else if (local.apartSince == Long.MAX_VALUE) {
                local.apartSince = now;
            }
            demand(
                    now - local.apartSince < TTL / 4 + 2 * QUANTUM,
                    "meeting",
                    "a permit of %s is not used, but wanted by %s: %s",
                    group.name,
                    node,
                    nodes);
        }
    }

    private boolean isAnyUnused(Group group) {
        boolean unused = false;
        for (SimNode node : nodes) {
            LocalGroup local = node.byIndex.get(group.index);
            unused |= local.bound > local.running.size() + local.queued;
        }
        return unused;
    }

    // ---- the server -------------------------------------------------------------------------------------------

    private record Executed(FleetRequest request, long time, String run) {}

    private final class SimStore {
        ShardState shard = new ShardState();
        List<Executed> log = new ArrayList<>(); // from which a copy that lags behind is made
        String run = "r1";
        int runs = 1;
        long offset = 1_000_000; // milliseconds
        final double rate = 1 + (random.nextDouble() - 0.5) * 0.008;
        long steppedAt = -2 * TTL;
        long lostAt = -2 * TTL;
        long downUntil;
        long pausedUntil;
        boolean changed;
        private long lastTime;

        long time() {
            return offset + (long) (now * rate / MS);
        }

        void down(long nanos) {
            downUntil = Math.max(downUntil, now + nanos);
        }

        void pause(long nanos) {
            pausedUntil = Math.max(pausedUntil, now + nanos);
            trace("server paused until %.3f", pausedUntil / (double) MS);
        }

        void loseData() {
            trace("data lost");
            lostAt = now;
            shard = new ShardState();
            log = new ArrayList<>();
        }

        void loseWrites(int calls) {
            trace("the last %d writes are lost", calls);
            lostAt = now;
            log = new ArrayList<>(log.subList(0, Math.max(0, log.size() - calls)));
            shard = new ShardState();
            for (Executed e : log) {
                shard.call(e.request, e.time, e.run);
            }
        }

        /** A call arrives. */
        void arrive(SimNode from, FleetNode sender, long call, FleetRequest request) {
            if (now < downUntil) {
                if (random.nextBoolean()) {
                    at(delay(), () -> from.whenAwake(() -> from.failed(sender, call)));
                }
                return;
            }
            if (now < pausedUntil) {
                at(pausedUntil - now + 1 + random.nextLong(MS), () -> arrive(from, sender, call, request));
                return;
            }
            FleetReply reply = execute(request);
            if (!from.loses() && now >= from.hearsFrom) {
                at(delay(), () -> from.hear(() -> from.replied(sender, call, reply)));
            }
        }

        FleetReply execute(FleetRequest request) {
            FleetSimulation.this.changed = true;
            changed = true;
            breakBefore(request);
            Map<String, Long> before = sums();
            boolean wasAlive = request instanceof FleetRequest.Reap reap && isAlive(reap.expired());
            FleetRequest asRead = request;
            if (twin == BrokenTwin.DEBT_HIDDEN && request instanceof Exchange e) {
                asRead = withoutDebt(e);
            }
            ShardState.Result result = shard.call(asRead, time(), run);
            log.add(new Executed(asRead, time(), run));
            lastTime = time();
            if (twin == BrokenTwin.NO_LEARNING) {
                shard.learnUntil = 0;
            }
            trace("%s %s -> %s %s", run, request, result.reply(), result.pushes());
            checkShard(asRead, result.reply(), before);
            if (wasAlive && request instanceof FleetRequest.Reap reap && !isAlive(reap.expired())) {
                checkDeath(reap.expired());
            }
            for (FleetPush push : result.pushes()) {
                deliver(push);
            }
            return hidePushes(result.reply());
        }

        private void breakBefore(FleetRequest request) {
            if (twin == BrokenTwin.NO_GRACE && lastTime != 0) {
                shard.clock += Math.max(0, time() - lastTime - shard.ttl / 4);
            }
            if (twin == BrokenTwin.SEQUENCE_NUMBER_IGNORED && request instanceof Exchange e) {
                ShardState.Session session = shard.sessions.get(e.session());
                if (session != null) {
                    session.seq = Math.min(session.seq, e.seq() - 1);
                }
            }
        }

        private FleetRequest withoutDebt(Exchange e) {
            return new Exchange(
                    e.session(),
                    e.seq(),
                    e.incarnation(),
                    e.renews(),
                    e.claims().stream()
                            .map(c -> new Claim(
                                    c.group(),
                                    c.limit(),
                                    c.version(),
                                    c.known(),
                                    c.keep(),
                                    Math.min(c.keep(), c.used()),
                                    c.wanted(),
                                    0))
                            .toList());
        }

        private FleetReply hidePushes(FleetReply reply) {
            if (twin == BrokenTwin.LOST_PUSHES_UNNOTICED && reply instanceof FleetReply.Exchanged e) {
                return new FleetReply.Exchanged(e.learning(), e.nodes(), 0, e.expired(), e.grants());
            }
            if (twin == BrokenTwin.NO_REAPING && reply instanceof FleetReply.Exchanged e) {
                return new FleetReply.Exchanged(e.learning(), e.nodes(), e.pushed(), "", e.grants());
            }
            return reply;
        }

        private void deliver(FleetPush push) {
            for (SimNode node : nodes) {
                if (node.alive && !allPushesLost && !node.loses() && now >= node.hearsFrom) {
                    at(delay(), () -> node.hear(() -> node.pushed(push)));
                    if (!healed && oneIn(20)) {
                        at(delay(), () -> node.hear(() -> node.pushed(push)));
                    }
                }
            }
        }

        FleetReply configure(Group group, Setting setting, long value) {
            FleetReply reply = execute(new Configure(group.name, setting, value, shard.configVersion + 1));
            trace("%s of %s set to %d: %s", setting, group.name, value, reply);
            return reply;
        }

        /** Whether it has been granting permits for at least a heartbeat. */
        boolean grants(Group group) {
            return shard.clock >= shard.learnUntil + TTL / MS / 8 && !shard.paused.contains(group.name);
        }

        long freePermits(Group group) {
            ShardState.Group known = shard.groups.get(group.name);
            return known == null ? 0 : limitOf(group) - known.granted() - known.debt();
        }

        int limitOf(Group group) {
            ShardState.Group known = shard.groups.get(group.name);
            int policy = known == null ? group.policyLimit : known.limit;
            return shard.limits.getOrDefault(group.name, policy);
        }

        private Map<String, Long> sums() {
            Map<String, Long> sums = new HashMap<>();
            shard.groups.forEach((name, g) -> g.entries.forEach((s, e) -> sums.put(s + " " + name, (long) e.granted)));
            return sums;
        }

        /** The checks of a call: grants keep to the limit, nothing is granted while the shard learns, and the index is right. */
        private void checkShard(FleetRequest request, FleetReply reply, Map<String, Long> before) {
            boolean learns = shard.clock < shard.learnUntil;
            shard.groups.forEach((name, g) -> {
                demand(!g.entries.isEmpty(), "index", "%s is empty", name);
                int limit = shard.limits.getOrDefault(name, g.limit);
                for (ShardState.Entry e : g.entries.values()) {
                    demand(
                            shard.sessions.get(e.session) != null
                                    && shard.sessions.get(e.session).groups.contains(name),
                            "index",
                            "%s of %s",
                            name,
                            e.session);
                    long had = kept(request, reply, e.session, name, before);
                    if (e.granted > had) {
                        demand(g.granted() <= limit, "grant", "%s: %d of %d", name, g.granted(), limit);
                        demand(!learns, "learning", "%s was granted %d of %s", e.session, e.granted - had, name);
                    }
                }
            });
            shard.sessions.forEach((id, s) -> s.groups.forEach(name -> demand(
                    shard.groups.containsKey(name)
                            && shard.groups.get(name).entries.containsKey(id),
                    "index",
                    "%s has no entry in %s",
                    id,
                    name)));
        }

        private long kept(
                FleetRequest request, FleetReply reply, String session, String group, Map<String, Long> before) {
            if ((reply instanceof FleetReply.Exchanged || reply instanceof FleetReply.Granted)
                    && request instanceof Exchange e
                    && e.session().equals(session)) {
                for (Claim claim : e.claims()) {
                    if (claim.group().equals(group)) {
                        return claim.keep();
                    }
                }
            }
            return before.getOrDefault(session + " " + group, 0L);
        }

        private boolean isAlive(String id) {
            ShardState.Session session = shard.sessions.get(id);
            return session != null && !session.dead;
        }

        private void checkDeath(String expired) {
            demand(shard.clock >= shard.learnUntil, "learning", "%s is declared dead", expired);
            for (SimNode node : nodes) {
                if (node.node.session().equals(expired)) {
                    demand(!node.hasValidLease(), "lease", "%s is dead, but its lease is valid", expired);
                }
            }
        }

        boolean knowsTheMembersOnly() {
            for (SimNode node : nodes) {
                if (node.leaving ? !node.hasLeft() : !node.isKnownToTheStore()) {
                    return false;
                }
            }
            return shard.sessions.size()
                    == nodes.stream().filter(node -> !node.leaving).count();
        }
    }

    private long delay() {
        int kind = healed ? 99 : random.nextInt(100);
        if (kind < 2) {
            return random.nextLong(faults == Faults.ANY ? 2 * TTL : TTL / 3);
        }
        return kind < 10 ? random.nextLong(20 * MS) : MS / 10 + random.nextLong(MS);
    }

    // ---- a node -----------------------------------------------------------------------------------------------

    /** A group of one executor. What the kernel reads of its permits is real ({@link MemberGroup}); when it reads it, is as in {@link ShardSession}. */
    private static final class LocalGroup {
        final String name;
        int policyLimit;
        long version;
        MemberGroup member;
        boolean open; // the kernel has the group
        int bound; // that the kernel has read
        int queued;
        final List<Task> running = new ArrayList<>();
        long latestClaim;
        int answered; // what the last answer said
        int answers; // since it was opened
        long apartSince = Long.MAX_VALUE; // it waits, although a permit is free or not used

        LocalGroup(String name, int policyLimit, long version) {
            this.name = name;
            this.policyLimit = policyLimit;
            this.version = version;
            this.member = newMember(name);
        }

        @SuppressWarnings("NullAway") // a group alone needs no session
        private static MemberGroup newMember(String name) {
            return new MemberGroup(name, null, name, null);
        }

        /** The thread of the fleet forgets what it knew. */
        void forget() {
            member = newMember(name);
        }

        /** The kernel reads how many permits there are. */
        void apply() {
            bound = open ? Math.max(0, member.leased()) : 0;
        }

        boolean isIdle() {
            return queued == 0 && running.isEmpty();
        }
    }

    private final class SimNode implements FleetNode.Local {

        final String name;
        final double rate = 1 + (random.nextDouble() - 0.5) * 0.008;
        final long clockOffset = random.nextLong();
        final Map<String, LocalGroup> locals = new HashMap<>();
        final List<LocalGroup> byIndex = new ArrayList<>();
        final FleetNode node;
        boolean alive = true;
        boolean leaving;
        boolean changed;
        long sendsFrom;
        long hearsFrom;
        long frozenUntil;
        private int sessions;
        private String incarnation = ""; // that the node has joined last
        private boolean hasLease;
        private boolean always;
        private long leaseUntil;
        private long wakeUp;

        SimNode(String name) {
            this.name = name;
            NodeSettings settings = new NodeSettings(
                    name,
                    TTL,
                    QUANTUM,
                    LINGER,
                    oneIn(4) ? random.nextLong(TTL) : 0,
                    mode,
                    1,
                    oneIn(2) && nodeCount == 0,
                    NodeSettings.maxHeartbeat(TTL));
            trace("%s starts", name);
            node = new FleetNode(settings, this, () -> name + "." + sessions++, time());
            for (Group group : groups.values()) {
                byIndex.add(new LocalGroup(group.name, group.policyLimit, version));
                locals.put(group.name, byIndex.getLast());
            }
            byIndex.forEach(this::open);
            scheduleWakeUp();
        }

        long time() {
            return clockOffset + (long) (now * rate);
        }

        boolean isIdle() {
            for (LocalGroup local : byIndex) {
                if (!local.isIdle()) {
                    return !alive;
                }
            }
            return true;
        }

        boolean hasLeft() {
            return !alive || node.state() == FleetNode.State.LEFT;
        }

        boolean loses() {
            return !healed && oneIn(30);
        }

        /** A frozen process does nothing; afterwards all that has happened meanwhile happens in any order. */
        void whenAwake(Runnable action) {
            if (!alive) {
                return;
            }
            if (now < frozenUntil) {
                at(frozenUntil - now + random.nextLong(MS), () -> whenAwake(action));
            } else {
                FleetSimulation.this.changed = true;
                changed = true;
                action.run();
                scheduleWakeUp();
            }
        }

        void hear(Runnable action) {
            if (now >= hearsFrom) {
                whenAwake(action);
            }
        }

        private void scheduleWakeUp() {
            long wait = node.nanosToWait(time());
            if (wait != Long.MAX_VALUE) {
                long number = ++wakeUp;
                long late = oneIn(50) ? random.nextLong(5 * MS) : 0;
                at((long) (wait / rate) + 1 + late, () -> {
                    if (number == wakeUp) {
                        whenAwake(() -> node.tick(time()));
                    }
                });
            }
        }

        void replied(FleetNode sender, long call, FleetReply reply) {
            List<Grant> grants = switch (reply) {
                case FleetReply.Exchanged e -> e.grants();
                case FleetReply.Granted g -> g.grants();
                default -> List.of();
            };
            grants.forEach(g -> local(g.group()).answered = g.granted());
            boolean joining = sender.state() == FleetNode.State.JOINING;
            boolean renewed = twin == BrokenTwin.LEASE_WITHOUT_SESSION && reply instanceof FleetReply.Granted;
            sender.replied(call, renewed ? new FleetReply.Exchanged(0, 1, 0, "", grants) : reply, time());
            if (reply instanceof FleetReply.Joined joined && joining && sender.state() != FleetNode.State.JOINING) {
                incarnation = joined.incarnation();
            }
            grants.forEach(g -> groupAnswered(local(g.group())));
        }

        private void groupAnswered(LocalGroup local) {
            GroupLease known = node.leaseOf(local.name);
            local.answers++;
            if (known == null || known.retired) {
                forgetIfUnknown(local);
            } else if (local.member.answered()) {
                apply(local);
            }
        }

        void failed(FleetNode sender, long call) {
            sender.failed(call, time());
        }

        void pushed(FleetPush push) {
            FleetPush heard = push;
            if (twin == BrokenTwin.PUSH_FOR_AN_OLD_CLAIM) {
                heard = new FleetPush(
                        push.session(),
                        push.number(),
                        push.grants().stream()
                                .map(g -> new Grant(
                                        g.group(),
                                        local(g.group()).latestClaim,
                                        g.granted(),
                                        g.target(),
                                        g.limit(),
                                        g.paused()))
                                .toList());
            }
            node.pushed(heard, time());
        }

        void leave() {
            trace("%s leaves", name);
            leaving = true;
            locals.values().forEach(l -> l.queued = 0);
            whenAwake(() -> node.leave(time()));
        }

        // ---- its executor

        private LocalGroup local(String group) {
            return locals.get(group);
        }

        private @Nullable LocalGroup total() {
            return locals.get(FleetNames.TOTAL);
        }

        void setPolicy(String group, int limit, long version) {
            LocalGroup local = local(group);
            local.policyLimit = limit;
            local.version = version;
            if (local.open) {
                open(local);
            }
        }

        private void open(LocalGroup local) {
            local.open = true;
            local.apply();
            node.open(local.name, local.policyLimit, local.version, time());
        }

        /** The kernel forgets an idle group. */
        void retire(String group) {
            LocalGroup local = local(group);
            if (local.open && local.isIdle() && !group.equals(FleetNames.TOTAL)) {
                trace("%s: %s retires", name, group);
                local.open = false;
                local.answers = 0;
                local.apply();
                node.retired(group, time());
                local.member.closed();
                forgetIfUnknown(local);
            }
        }

        private void forgetIfUnknown(LocalGroup local) {
            if (node.leaseOf(local.name) == null) {
                local.forget();
            }
        }

        private void apply(LocalGroup local) {
            local.apply();
            if (local.name.equals(FleetNames.TOTAL)) {
                startAll();
            } else {
                start(local.name);
            }
        }

        void submit(String group, int tasks) {
            if (leaving || local(group).queued > 12) {
                return;
            }
            trace("%s: %d tasks of %s", name, tasks, group);
            local(group).queued += tasks;
            if (!local(group).open) {
                open(local(group));
            }
            start(group);
            callBack(group);
        }

        /** The demand callbacks of the kernel: tasks are queued without room. */
        private void callBack(String group) {
            LocalGroup local = local(group);
            if (local.queued > 0 && local.running.size() >= local.bound && !local.member.awaits()) {
                node.changed(group, time());
            }
            LocalGroup total = total();
            if (total != null && total.running.size() >= total.bound && !total.member.awaits()) {
                node.changed(FleetNames.TOTAL, time());
            }
        }

        boolean mayStart() {
            return always || hasValidLease();
        }

        boolean hasValidLease() {
            return hasLease && time() - leaseUntil < 0;
        }

        private void start(String group) {
            LocalGroup local = local(group);
            LocalGroup total = total();
            while (local.queued > 0
                    && local.running.size() < local.bound
                    && (total == null || total.running.size() < total.bound)
                    && (mayStart() || twin == BrokenTwin.LEASE_NOT_CHECKED)) {
                FleetSimulation.demand(mayStart(), "start", "%s starts a task of %s after its lease", name, group);
                local.queued--;
                Task task = new Task();
                task.orphan = always && time() - leaseUntil >= 0;
                local.running.add(task);
                if (total != null) {
                    total.running.add(task);
                }
                long duration = oneIn(20) ? random.nextLong(TTL) : 1 + random.nextLong(30 * MS);
                at(duration, () -> whenAwake(() -> complete(group, task)));
            }
        }

        private void startAll() {
            groups.keySet().stream().filter(g -> !g.equals(FleetNames.TOTAL)).forEach(this::start);
        }

        private void complete(String group, Task task) {
            LocalGroup local = local(group);
            local.running.remove(task);
            LocalGroup total = total();
            if (total != null) {
                total.running.remove(task);
            }
            start(group);
            startAll();
            if (local.running.size() >= local.bound) {
                node.changed(group, time()); // a permit was returned while the group shrinks
            }
            callBack(group);
        }

        // ---- the port

        @Override
        public FleetNode.Demand demand(String group) {
            return new FleetNode.Demand(local(group).running.size(), queued(group), 1);
        }

        private int queued(String group) {
            if (!group.equals(FleetNames.TOTAL)) {
                return local(group).queued;
            }
            int ready = 0;
            for (Map.Entry<String, LocalGroup> e : locals.entrySet()) {
                if (!e.getKey().equals(FleetNames.TOTAL)) {
                    LocalGroup l = e.getValue();
                    ready += Math.max(0, Math.min(l.queued, l.bound - l.running.size()));
                }
            }
            return ready;
        }

        @Override
        public int bind(String group, int permits) {
            LocalGroup local = local(group);
            if (twin == BrokenTwin.LOWERED_AFTER_SENDING && permits < local.bound) {
                int used = local.running.size();
                at(delay(), () -> local.bound = Math.min(local.bound, permits));
                return used;
            }
            if (twin != BrokenTwin.PUSH_BEFORE_THE_FIRST_ANSWER || permits > 0 || local.answers > 0) {
                local.member.bind(permits);
            }
            apply(local);
            return local.running.size();
        }

        @Override
        public void awaits(String group, boolean permits) {
            local(group).member.setAwaits(permits);
        }

        @Override
        public void lease(boolean isAlways, long until) {
            hasLease = true;
            always = isAlways;
            leaseUntil = switch (twin) {
                case LEASE_FROM_THE_ANSWER -> time() + TTL / 4 * 3 / 100 * 99;
                case NO_MARGIN -> until - TTL / 4 * 3 / 100 * 99 + TTL;
                default -> until;
            };
            startAll();
        }

        @Override
        public void leaseLost() {
            trace("%s: lease lost", name);
        }

        @Override
        public void refused(String reason) {
            throw new AssertionError("refused: " + reason);
        }

        @Override
        public void send(long call, FleetRequest request) {
            FleetRequest sent = request;
            if (request instanceof Exchange e) {
                e.claims().forEach(c -> local(c.group()).latestClaim = e.seq());
            }
            if (now < sendsFrom || loses()) {
                if (oneIn(2)) {
                    at(delay(), () -> whenAwake(() -> failed(node, call)));
                }
                return;
            }
            Map<String, Integer> returned = new HashMap<>();
            if (twin == BrokenTwin.COUNTERS && request instanceof Exchange e) {
                e.claims().forEach(c -> returned.put(c.group(), local(c.group()).answered - c.keep()));
            }
            int copies = !healed && oneIn(20) ? 2 : 1;
            for (int i = 0; i < copies; i++) {
                at(delay(), () -> store.arrive(this, node, call, counted(sent, returned)));
            }
        }

        private FleetRequest counted(FleetRequest request, Map<String, Integer> returned) {
            if (twin != BrokenTwin.COUNTERS || !(request instanceof Exchange e)) {
                return request;
            }
            List<Claim> claims = new ArrayList<>();
            for (Claim c : e.claims()) {
                ShardState.Group group = store.shard.groups.get(c.group());
                ShardState.Entry entry = group == null ? null : group.entries.get(e.session());
                int keep = entry == null ? c.keep() : Math.max(0, entry.granted - Math.max(0, returned.get(c.group())));
                claims.add(new Claim(
                        c.group(),
                        c.limit(),
                        c.version(),
                        Integer.MAX_VALUE,
                        keep,
                        Math.min(keep, c.used()),
                        c.wanted(),
                        0));
            }
            return new Exchange(e.session(), e.seq(), e.incarnation(), e.renews(), claims);
        }

        // ---- its invariants

        void markOrphans() {
            if (alive && hasLease && time() - leaseUntil >= 0) {
                for (LocalGroup local : locals.values()) {
                    for (Task task : local.running) {
                        task.orphan = true;
                    }
                }
            }
        }

        long regularTasks(Group group) {
            long regular = 0;
            for (Task task : byIndex.get(group.index).running) {
                regular += task.orphan ? 0 : 1;
            }
            return regular;
        }

        long mayUse(String group) {
            LocalGroup local = local(group);
            ShardState.Group known = store.shard.groups.get(group);
            ShardState.Entry entry = known == null ? null : known.entries.get(node.session());
            int granted = entry == null ? 0 : entry.granted; // it may not have heard of it yet
            return Math.max(
                    Math.max(VirtualFleet.heldBy(node, group), granted), Math.max(local.bound, local.running.size()));
        }

        boolean isKnownToTheStore() {
            return node.state() == FleetNode.State.MEMBER
                    && store.shard.incarnation.equals(incarnation)
                    && store.shard.run.equals(store.run)
                    && store.shard.sessions.containsKey(node.session());
        }

        /** What the node may use is what the store has granted, as long as its lease is valid and the store has its data. */
        void checkBounds() {
            if (!alive || always || !hasValidLease() || !isKnownToTheStore()) {
                return;
            }
            for (Group own : groups.values()) {
                String name = own.name;
                ShardState.Group group = store.shard.groups.get(name);
                ShardState.Entry entry = group == null ? null : group.entries.get(node.session());
                int granted = entry == null ? 0 : entry.granted;
                int debt = entry == null ? 0 : entry.debt;
                LocalGroup local = byIndex.get(own.index);
                FleetSimulation.demand(
                        local.bound <= granted,
                        "bound",
                        "%s may use %d of %s, but was granted %d",
                        node.session(),
                        local.bound,
                        name,
                        granted);
                // in another mode tasks are started without the store, which hears of them later
                FleetSimulation.demand(
                        mode != UnreachableMode.STOP || local.running.size() <= granted + debt,
                        "bound",
                        "%s uses %d of %s, but was granted %d, debt %d",
                        node.session(),
                        local.running.size(),
                        name,
                        granted,
                        debt);
            }
        }

        @Override
        public String toString() {
            StringBuilder text = new StringBuilder(name + " " + (alive ? node.state() : "killed"));
            locals.forEach((g, l) ->
                    text.append(" " + g + ": bound " + l.bound + " used " + l.running.size() + " queued " + l.queued));
            return text.toString();
        }
    }
}
