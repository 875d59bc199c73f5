package io.github.kobe.fleet;

import io.github.kobe.fleet.FleetReply.Configured;
import io.github.kobe.fleet.FleetReply.Exchanged;
import io.github.kobe.fleet.FleetReply.Granted;
import io.github.kobe.fleet.FleetReply.GroupSnapshot;
import io.github.kobe.fleet.FleetReply.Holding;
import io.github.kobe.fleet.FleetReply.Joined;
import io.github.kobe.fleet.FleetReply.Old;
import io.github.kobe.fleet.FleetReply.Reaped;
import io.github.kobe.fleet.FleetReply.Refused;
import io.github.kobe.fleet.FleetReply.Rejoin;
import io.github.kobe.fleet.FleetReply.SessionSnapshot;
import io.github.kobe.fleet.FleetReply.Snapshot;
import io.github.kobe.fleet.FleetRequest.Bye;
import io.github.kobe.fleet.FleetRequest.Configure;
import io.github.kobe.fleet.FleetRequest.Exchange;
import io.github.kobe.fleet.FleetRequest.Hello;
import io.github.kobe.fleet.FleetRequest.Look;
import io.github.kobe.fleet.FleetRequest.Reap;
import io.github.kobe.fleet.FleetRequest.Setting;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * One shard of a store, and the specification of its scripts: {@code docs/design/fleet.md} says the same in words. A call is a function of the state,
 * the request, the time and the run id of the server. Not thread-safe.
 *
 * <p>The clock of a shard is not that of the server. It follows the server's time, but between two calls it goes forward by a quarter of the TTL at
 * most, and never back. So sessions do not expire because the server stood still, or because its time was set.
 */
final class ShardState {

    /** A session. */
    static final class Session {
        final String node;
        final long reclaimAfter;
        long seq;
        long until;
        long pushed;
        boolean dead; // its permits are being taken back, so it cannot be renewed
        final TreeSet<String> groups = new TreeSet<>(); // those in which it has an entry

        Session(String node, long reclaimAfter) {
            this.node = node;
            this.reclaimAfter = reclaimAfter;
        }
    }

    /** What a session holds and wants of a group. */
    static final class Entry {
        final String session;
        int granted;
        int debt; // permits in use that were not granted, or not by this data
        int wanted;
        int used;
        long seq; // of the claim that was executed last
        long turn; // order of those that wait, and of those that were granted a permit
        int target = Grant.NO_TARGET;
        int least; // fewer are of no use to it; 0: one more is
        int limit; // that it has stated for the version in force; 0: it has stated an older version
        private int grantedBefore; // these two only while a call is executed
        private int targetBefore;

        Entry(String session) {
            this.session = session;
        }

        boolean isUnmet() {
            return wanted > granted;
        }

        /** Whether it needs several permits more at once, and could have them. */
        boolean isSaving(int limit) {
            return least > granted && least <= limit && least <= wanted;
        }

        /** Whether it has got permits, or is asked for permits that it was not asked for before. */
        private boolean hasNews() {
            boolean asked = granted > 0
                    && target != Grant.NO_TARGET
                    && (targetBefore == Grant.NO_TARGET || target < targetBefore);
            return granted > grantedBefore || asked;
        }
    }

    /** A group in which at least one session has an entry. */
    static final class Group {
        final String name;
        int limit = Integer.MAX_VALUE;
        long version = -1;
        long turns;
        final TreeMap<String, Entry> entries = new TreeMap<>();

        Group(String name) {
            this.name = name;
        }

        long granted() {
            return entries.values().stream().mapToLong(e -> e.granted).sum();
        }

        long debt() {
            return entries.values().stream().mapToLong(e -> e.debt).sum();
        }

        /** Notes the limit that a node has in its policy. A newer version takes the place of the older ones. */
        private void stateLimit(Entry entry, int stated, long ofVersion) {
            if (ofVersion > version) {
                version = ofVersion;
                limit = stated;
                entries.values().forEach(e -> e.limit = 0);
            }
            entry.limit = ofVersion == version ? stated : 0;
            adoptLimit();
        }

        private void remove(String session) {
            entries.remove(session);
            adoptLimit();
        }

        /** Of the limits that are stated for the version in force, the lowest decides. If none is, the last one remains. */
        private void adoptLimit() {
            entries.values().stream()
                    .mapToInt(e -> e.limit)
                    .filter(stated -> stated > 0)
                    .min()
                    .ifPresent(lowest -> limit = lowest);
        }
    }

    String incarnation = ""; // empty: there is no data
    long clock;
    long learnUntil;
    long ttl;
    final TreeMap<String, Session> sessions = new TreeMap<>();
    final TreeMap<String, Group> groups = new TreeMap<>();
    final TreeMap<String, Integer> limits = new TreeMap<>(); // live settings
    final TreeSet<String> paused = new TreeSet<>();
    long configVersion;
    String run = "";
    int shards;
    long time; // of the server, at the last call
    private final TreeMap<String, List<Grant>> outbox = new TreeMap<>();

    /** The answer to a call, and what it tells other nodes. */
    record Result(FleetReply reply, List<FleetPush> pushes) {}

    /**
     * Executes a call.
     *
     * @param request the call
     * @param serverTime the time of the server, in milliseconds
     * @param serverRun names the process of the server; another one may have lost data
     */
    Result call(FleetRequest request, long serverTime, String serverRun) {
        FleetReply reply = switch (request) {
            case Hello hello -> hello(hello, serverTime, serverRun);
            case Exchange exchange -> exchange(exchange, serverTime, serverRun);
            case Reap reap -> reap(reap, serverTime, serverRun);
            case Bye bye -> bye(bye, serverTime, serverRun);
            case Configure configure -> configure(configure, serverTime, serverRun);
            case Look look -> look(look);
        };
        return new Result(reply, takePushes());
    }

    // ---- time and incarnation ---------------------------------------------------------------------------------

    private void tick(long serverTime) {
        clock += Math.clamp(serverTime - time, 0, ttl / 4);
        time = serverTime;
    }

    private boolean isLearning() {
        return clock < learnUntil;
    }

    private long learningLeft() {
        return Math.max(0, learnUntil - clock);
    }

    /** Returns the incarnation that callers can join; empty if the next hello begins a new one. */
    private String incarnationOn(String serverRun) {
        return run.equals(serverRun) ? incarnation : "";
    }

    private boolean isCurrent(String joined, String serverRun) {
        return !joined.isEmpty() && joined.equals(incarnationOn(serverRun));
    }

    private FleetReply hello(Hello hello, long serverTime, String serverRun) {
        if (!incarnation.isEmpty() && shards != hello.shards()) {
            return new Refused("the fleet has " + shards + " shards, but the node has " + hello.shards());
        }
        if (incarnation.isEmpty()) {
            clock = serverTime;
            time = serverTime;
            shards = hello.shards();
            ttl = hello.ttl();
            begin(serverTime, serverRun, hello.founding() ? 0 : ttl);
        } else {
            tick(serverTime);
            if (!run.equals(serverRun)) {
                ttl = Math.max(ttl, hello.ttl());
                begin(serverTime, serverRun, ttl);
            } else {
                adoptTtl(hello.ttl());
            }
        }
        return join(hello);
    }

    private void begin(long serverTime, String serverRun, long learning) {
        run = serverRun;
        incarnation = serverRun + "/" + serverTime;
        learnUntil = clock + learning;
    }

    /** The TTL is the longest of all sessions. It becomes shorter only when there is none. */
    private void adoptTtl(long offered) {
        if (sessions.isEmpty() && !isLearning()) {
            ttl = offered;
        } else if (offered > ttl) {
            learnUntil += isLearning() ? offered - ttl : 0;
            ttl = offered;
        }
    }

    private FleetReply join(Hello hello) {
        Session session = sessions.get(hello.session());
        if (session == null) {
            session = new Session(hello.node(), hello.reclaimAfter());
            sessions.put(hello.session(), session);
        } else if (session.dead) {
            return new Rejoin(incarnation);
        } else if (hello.seq() <= session.seq) {
            return new Old(session.seq);
        }
        renew(session, hello.seq());
        return new Joined(incarnation, learningLeft(), sessions.size());
    }

    private void renew(Session session, long seq) {
        session.seq = seq;
        session.until = clock + ttl + session.reclaimAfter;
    }

    // ---- claims -----------------------------------------------------------------------------------------------

    private FleetReply exchange(Exchange exchange, long serverTime, String serverRun) {
        if (!isCurrent(exchange.incarnation(), serverRun)) {
            return new Rejoin(incarnationOn(serverRun));
        }
        if (exchange.renews()) {
            tick(serverTime);
        }
        Session session = sessions.get(exchange.session());
        if (session == null || session.dead) {
            return new Rejoin(incarnation);
        }
        if (exchange.seq() <= session.seq) {
            return new Old(session.seq);
        }
        if (exchange.renews()) {
            renew(session, exchange.seq());
        } else {
            session.seq = exchange.seq();
        }
        List<Grant> grants = new ArrayList<>();
        for (Claim claim : exchange.claims()) {
            grants.add(execute(exchange.session(), session, exchange.seq(), claim));
        }
        return exchange.renews()
                ? new Exchanged(learningLeft(), sessions.size(), session.pushed, firstExpired(), grants)
                : new Granted(grants);
    }

    private Grant execute(String id, Session session, long seq, Claim claim) {
        Group group = groups.computeIfAbsent(claim.group(), Group::new);
        int limitBefore = limitOf(group);
        Entry entry = group.entries.get(id);
        boolean isNew = entry == null;
        if (entry == null) {
            entry = new Entry(id);
            group.entries.put(id, entry);
            session.groups.add(claim.group());
        }
        group.stateLimit(entry, claim.limit(), claim.version());
        boolean waited = entry.isUnmet();
        int before = entry.granted;
        entry.granted = claim.keep();
        entry.debt = Math.max(0, claim.used() - claim.keep());
        grantAgain(group, entry, Math.min(before - claim.known(), claim.wanted() - claim.keep()));
        entry.wanted = claim.wanted();
        entry.used = claim.used();
        entry.least = claim.least();
        entry.seq = seq;
        if (isNew || (entry.isUnmet() && (!waited || entry.granted < before))) {
            entry.turn = ++group.turns;
        }
        if (entry.granted == 0 && entry.debt == 0 && entry.wanted == 0) {
            entry.target = Grant.NO_TARGET;
            group.remove(id);
            session.groups.remove(claim.group());
        }
        Grant answer = plan(group, id, limitOf(group) != limitBefore);
        return answer != null ? answer : grant(group, entry);
    }

    /** Grants permits, if they are free, that were granted before, but without the node's knowledge. It does not queue again for them. */
    private void grantAgain(Group group, Entry entry, int unheard) {
        if (!isLearning() && !paused.contains(group.name)) {
            long free = limitOf(group) - group.granted() - group.debt();
            entry.granted += (int) Math.max(0, Math.min(unheard, free));
        }
    }

    private String firstExpired() {
        if (isLearning()) {
            return "";
        }
        return sessions.entrySet().stream()
                .filter(s -> s.getValue().until <= clock)
                .min(Comparator.<Map.Entry<String, Session>>comparingLong(s -> s.getValue().until)
                        .thenComparing(Map.Entry.comparingByKey()))
                .map(Map.Entry::getKey)
                .orElse("");
    }

    // ---- the end of sessions ----------------------------------------------------------------------------------

    private FleetReply reap(Reap reap, long serverTime, String serverRun) {
        if (!isCurrent(reap.incarnation(), serverRun)) {
            return new Rejoin(incarnationOn(serverRun));
        }
        tick(serverTime);
        Session session = sessions.get(reap.expired());
        if (session == null) {
            return new Reaped(false, List.of());
        }
        if (!session.dead && (isLearning() || session.until > clock)) {
            return new Reaped(true, List.of());
        }
        session.dead = true;
        for (String name : reap.groups()) {
            Group group = groups.get(name);
            if (session.groups.remove(name) && group != null) {
                int limitBefore = limitOf(group);
                group.remove(reap.expired());
                plan(group, "", limitOf(group) != limitBefore);
            }
        }
        return removeIfEmpty(reap.expired(), session);
    }

    private FleetReply bye(Bye bye, long serverTime, String serverRun) {
        if (!isCurrent(bye.incarnation(), serverRun)) {
            return new Rejoin(incarnationOn(serverRun));
        }
        tick(serverTime);
        Session session = sessions.get(bye.session());
        if (session == null) {
            return new Reaped(false, List.of());
        }
        if (bye.seq() <= session.seq) {
            return new Old(session.seq);
        }
        session.seq = bye.seq();
        session.until = clock;
        session.dead = true;
        return removeIfEmpty(bye.session(), session);
    }

    private FleetReply removeIfEmpty(String id, Session session) {
        if (session.groups.isEmpty()) {
            sessions.remove(id);
        }
        return new Reaped(
                false, session.groups.stream().limit(FleetRequest.MAX_GROUPS).toList());
    }

    // ---- settings ---------------------------------------------------------------------------------------------

    private FleetReply configure(Configure configure, long serverTime, String serverRun) {
        if (incarnationOn(serverRun).isEmpty()) {
            return new Rejoin("");
        }
        tick(serverTime);
        if (configure.version() <= configVersion) {
            return new Configured(false, configVersion);
        }
        configVersion = configure.version();
        set(configure.group(), configure.setting(), configure.value());
        Group group = groups.get(configure.group());
        if (group != null) {
            plan(group, "", true);
        }
        return new Configured(true, configVersion);
    }

    private void set(String group, Setting setting, long value) {
        switch (setting) {
            case LIMIT -> {
                if (value == FleetRequest.UNSET) {
                    limits.remove(group);
                } else {
                    limits.put(group, (int) value);
                }
            }
            case PAUSED -> {
                if (value == 1) {
                    paused.add(group);
                } else {
                    paused.remove(group);
                }
            }
        }
    }

    private int limitOf(Group group) {
        return limits.getOrDefault(group.name, group.limit);
    }

    // ---- grants -----------------------------------------------------------------------------------------------

    /**
     * Grants free permits, asks holders for permits that others should have, and removes the group if nobody uses it.
     *
     * @param caller the session that gets its grant in the answer; the others get a push
     * @param tellAll whether all other sessions get a push, even if nothing has changed for them
     * @return the grant of the caller, if it has an entry
     */
    private @Nullable Grant plan(Group group, String caller, boolean tellAll) {
        if (group.entries.isEmpty()) {
            groups.remove(group.name);
            return null;
        }
        int limit = limitOf(group);
        boolean isPaused = paused.contains(group.name);
        for (Entry e : group.entries.values()) {
            e.grantedBefore = e.granted;
            e.targetBefore = e.target;
        }
        if (!isPaused && !isLearning()) {
            GrantRule.settleDebts(group, limit);
            GrantRule.grantFree(group, limit);
        }
        GrantRule.setTargets(group, limit, isPaused, isLearning());
        Grant answer = null;
        for (Entry e : group.entries.values()) {
            if (e.session.equals(caller)) {
                answer = grant(group, e);
            } else if (tellAll || e.hasNews()) {
                outbox.computeIfAbsent(e.session, s -> new ArrayList<>()).add(grant(group, e));
            }
        }
        return answer;
    }

    private Grant grant(Group group, Entry e) {
        return new Grant(group.name, e.seq, e.granted, e.target, limitOf(group), paused.contains(group.name));
    }

    private List<FleetPush> takePushes() {
        List<FleetPush> pushes = new ArrayList<>();
        outbox.forEach((id, grants) -> {
            Session session = Objects.requireNonNull(sessions.get(id)); // it has an entry, so it is not gone
            pushes.add(new FleetPush(id, ++session.pushed, grants));
        });
        outbox.clear();
        return pushes;
    }

    // ---- reading ----------------------------------------------------------------------------------------------

    private FleetReply look(Look look) {
        List<SessionSnapshot> seen = new ArrayList<>();
        sessions.forEach((id, s) -> seen.add(new SessionSnapshot(
                id, s.node, s.until - clock, look.sessions().contains(id) ? List.copyOf(s.groups) : List.of())));
        List<GroupSnapshot> asked = new ArrayList<>();
        for (String name : look.groups()) {
            Group group = groups.get(name);
            if (group != null) {
                asked.add(new GroupSnapshot(
                        name,
                        limitOf(group),
                        group.version,
                        paused.contains(name),
                        group.entries.values().stream()
                                .map(e -> new Holding(e.session, e.granted, e.used, e.wanted))
                                .toList()));
            }
        }
        return new Snapshot(incarnation, learningLeft(), configVersion, seen, asked);
    }
}
