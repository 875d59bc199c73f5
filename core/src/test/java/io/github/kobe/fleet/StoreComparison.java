package io.github.kobe.fleet;

import io.github.kobe.fleet.FleetReply.Reaped;
import io.github.kobe.fleet.FleetRequest.Bye;
import io.github.kobe.fleet.FleetRequest.Configure;
import io.github.kobe.fleet.FleetRequest.Exchange;
import io.github.kobe.fleet.FleetRequest.Hello;
import io.github.kobe.fleet.FleetRequest.Look;
import io.github.kobe.fleet.FleetRequest.Reap;
import io.github.kobe.fleet.FleetRequest.Setting;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * Compares a store with the specification: the same random calls, and after each of them the same answer, the same pushes and the same data. For the
 * tests of modules that implement {@link FleetStore}; the module {@code group-concurrency} attaches it as a jar with the classifier {@code tests}.
 *
 * <pre>{@code
 * StoreComparison.run(seed, 200, subject);
 * }</pre>
 *
 * <p>The time of a real server cannot be set. So the subject tells which time a call has read, and the specification gets the same. Time passes
 * when the subject makes the last call look older.
 */
public final class StoreComparison {

    /** One shard of the store under test, empty at the beginning. */
    public interface Subject {

        /** Executes a call. */
        Answer call(FleetRequest request) throws Exception;

        /** Returns the pushes that were sent since the last time, in any order. Waits until there are {@code expected}, or for some time. */
        List<FleetPush> pushes(int expected) throws Exception;

        /** Lets time pass: subtracts so many milliseconds from the time of the last call ({@code time} of meta), if there is data. */
        void age(long millis) throws Exception;

        /** Sets {@code run} of meta to this value, as if the data came from another server process, if there is data. */
        void setRun(String run) throws Exception;

        /** Removes all data. */
        void clear() throws Exception;

        /**
         * Returns all data, one line each, in any order. Numbers are decimal, flags are 0 or 1, lists are sorted and separated by commas.
         *
         * <pre>
         *   meta incarnation=r/1 run=r ttl=1000 shards=1 time=5 clock=5 learn=5
         *   session s1 until=1005 seq=7 node=n reclaim=0 dead=0 pushed=2 groups=g1,g2
         *   group g1 limit=10 version=1 turns=4
         *   entry g1 s1 granted=1 debt=0 wanted=2 used=1 seq=7 turn=4 target=-1
         *   config version=3
         *   limit g1 5
         *   paused g1
         * </pre>
         *
         * <p>There is no line for meta without data, and none for config before the first change.
         */
        List<String> dump() throws Exception;
    }

    /**
     * What a call has returned.
     *
     * @param reply the answer
     * @param time the server's time that the call has read, in milliseconds; any, if the call has changed nothing
     * @param run the name of the server process
     */
    public record Answer(FleetReply reply, long time, String run) {}

    private static final int TTL = 1_000;
    private static final String OTHER_RUN = "another server";
    private static final int SESSIONS = 5;
    private static final List<String> GROUPS = List.of("", "a", "b b", "c:d", "ä{}", "e");

    private final SplittableRandom random;
    private final Subject subject;
    private final Map<String, Integer> replies = new TreeMap<>();
    private final List<String> history = new ArrayList<>();
    private ShardState model = new ShardState();
    private long seq;
    private int generation;
    private List<String> toReap = List.of();
    private String reaping = "";

    private StoreComparison(long seed, Subject subject) {
        this.random = new SplittableRandom(seed);
        this.subject = subject;
    }

    /**
     * Makes random calls.
     *
     * @return how often there was each kind of answer
     * @throws AssertionError at the first difference, with the calls before it
     */
    public static Map<String, Integer> run(long seed, int calls, Subject subject) {
        StoreComparison comparison = new StoreComparison(seed, subject);
        try {
            subject.clear();
            for (int i = 0; i < calls; i++) {
                comparison.step();
            }
        } catch (Exception e) {
            throw new AssertionError("seed " + seed + comparison.past(), e);
        } catch (AssertionError e) {
            throw new AssertionError("seed " + seed + ": " + e.getMessage() + comparison.past(), e);
        }
        return comparison.replies;
    }

    private String past() {
        return "\nafter\n" + String.join("\n", history);
    }

    private void step() throws Exception {
        switch (random.nextInt(100)) {
            case 0 -> {
                history.add("clear");
                subject.clear();
                model = new ShardState();
            }
            case 1 -> {
                history.add("set run");
                subject.setRun(OTHER_RUN);
                model.run = model.incarnation.isEmpty() ? model.run : OTHER_RUN;
            }
            case 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13 -> {
                long millis = random.nextLong(random.nextBoolean() ? TTL / 8 : TTL);
                history.add("age " + millis);
                subject.age(millis);
                model.time -= model.incarnation.isEmpty() ? 0 : millis;
            }
            default -> call(request());
        }
        compareData();
    }

    private void call(FleetRequest request) throws Exception {
        history.add(request.toString());
        Answer answer = subject.call(request);
        ShardState.Result expected = model.call(request, answer.time(), answer.run());
        replies.merge(expected.reply().getClass().getSimpleName(), 1, Integer::sum);
        compareReplies(request, expected.reply(), answer.reply());
        List<FleetPush> pushes =
                new ArrayList<>(subject.pushes(expected.pushes().size()));
        pushes.sort(Comparator.comparing(FleetPush::session));
        demandEqual("pushes", expected.pushes(), pushes);
        if (answer.reply() instanceof Reaped reaped) {
            toReap = reaped.groups();
            reaping = request instanceof Reap reap ? reap.expired() : ((Bye) request).session();
        }
    }

    private void compareReplies(FleetRequest request, FleetReply expected, FleetReply actual) {
        if (expected instanceof Reaped all
                && actual instanceof Reaped some
                && all.groups().size() == FleetRequest.MAX_GROUPS) {
            String id = request instanceof Reap reap ? reap.expired() : ((Bye) request).session();
            ShardState.Session session = model.sessions.get(id);
            demandEqual("number of groups", all.groups().size(), new HashSet<>(some.groups()).size());
            demandEqual("known groups", true, session != null && session.groups.containsAll(some.groups()));
        } else if (expected instanceof Reaped all && actual instanceof Reaped some) {
            demandEqual("alive", all.alive(), some.alive());
            demandEqual("groups", new TreeSet<>(all.groups()), new TreeSet<>(some.groups()));
        } else {
            demandEqual("answer", expected, actual);
        }
    }

    private void compareData() throws Exception {
        List<String> actual = new ArrayList<>(subject.dump());
        actual.sort(null);
        demandEqual("data", String.join("\n", dump(model)), String.join("\n", actual));
    }

    private static void demandEqual(String what, Object expected, Object actual) {
        if (!expected.equals(actual)) {
            throw new AssertionError(what + " differs\nexpected " + expected + "\nbut was  " + actual);
        }
    }

    // ---- calls ------------------------------------------------------------------------------------------------

    private FleetRequest request() {
        boolean joinable = !model.incarnation.isEmpty() && !model.run.equals(OTHER_RUN);
        return switch (random.nextInt(joinable ? 20 : 3)) {
            case 0, 1 -> hello();
            case 2 -> new Bye(session(), nextSeq(), incarnation());
            case 3, 4, 5 -> reap();
            case 6 -> configure();
            case 7 -> new Look(sample(List.copyOf(model.sessions.keySet())), sample(GROUPS));
            default -> exchange();
        };
    }

    private Hello hello() {
        if (random.nextInt(4) == 0) {
            generation++; // sessions with new names
        }
        return new Hello(
                session(),
                nextSeq(),
                "node " + random.nextInt(3),
                TTL * (random.nextInt(6) == 0 ? 2 : 1),
                random.nextInt(4) == 0 ? 300 : 0,
                random.nextInt(30) == 0 ? 2 : 1,
                random.nextBoolean());
    }

    private String session() {
        int kind = random.nextInt(10);
        List<String> known = model.sessions.keySet().stream()
                .filter(id -> kind == 0 || !model.sessions.get(id).dead)
                .toList();
        return known.isEmpty() || kind == 1
                ? "s" + generation + "." + random.nextInt(SESSIONS)
                : known.get(random.nextInt(known.size()));
    }

    private long nextSeq() {
        return random.nextInt(10) == 0 ? Math.max(1, seq - random.nextInt(5)) : ++seq;
    }

    private String incarnation() {
        return random.nextInt(30) == 0 ? "old/1" : model.incarnation;
    }

    private Reap reap() {
        if (!reaping.isEmpty() && random.nextInt(4) > 0) {
            return new Reap(incarnation(), reaping, toReap);
        }
        return new Reap(incarnation(), session(), random.nextBoolean() ? List.of() : sample(GROUPS));
    }

    private Configure configure() {
        Setting setting = Setting.values()[random.nextInt(2)];
        long value = setting == Setting.LIMIT ? 1 + random.nextInt(6) : random.nextInt(2);
        return new Configure(
                GROUPS.get(random.nextInt(GROUPS.size())),
                setting,
                random.nextInt(3) == 0 ? FleetRequest.UNSET : value,
                Math.max(0, model.configVersion + random.nextInt(4) - 1));
    }

    private Exchange exchange() {
        if (random.nextInt(5) == 0) {
            return firstClaim();
        }
        boolean many = random.nextInt(25) == 0;
        List<String> names = many
                ? IntStream.range(0, FleetRequest.MAX_GROUPS)
                        .mapToObj(i -> "many" + (i + random.nextInt(2) * 64))
                        .distinct()
                        .toList()
                : sample(GROUPS);
        List<Claim> claims = new ArrayList<>();
        for (String name : names) {
            int keep = random.nextInt(3) == 0 ? 0 : random.nextInt(5);
            claims.add(new Claim(
                    name,
                    1 + random.nextInt(8),
                    random.nextInt(4),
                    keep + random.nextInt(4),
                    keep,
                    random.nextInt(7),
                    random.nextInt(4) == 0 ? 0 : random.nextInt(9),
                    random.nextInt(3) == 0 ? random.nextInt(9) : 0));
        }
        return new Exchange(session(), nextSeq(), incarnation(), random.nextBoolean(), claims);
    }

    /** Of a node that has none of the permits, as it is sent when a group is opened. */
    private Exchange firstClaim() {
        Claim claim = new Claim(
                GROUPS.get(random.nextInt(GROUPS.size())),
                1 + random.nextInt(8),
                random.nextInt(4),
                0,
                0,
                random.nextInt(8) == 0 ? 1 : 0,
                random.nextInt(9),
                random.nextInt(8) == 0 ? 2 : 0);
        return new Exchange(session(), nextSeq(), incarnation(), random.nextInt(4) == 0, List.of(claim));
    }

    private List<String> sample(List<String> names) {
        return names.stream().filter(name -> random.nextInt(3) == 0).toList();
    }

    // ---- data -------------------------------------------------------------------------------------------------

    /** Returns the data of the specification, as {@link Subject#dump} does, in order. */
    static List<String> dump(ShardState shard) {
        List<String> lines = new ArrayList<>();
        if (!shard.incarnation.isEmpty()) {
            lines.add("meta incarnation=" + shard.incarnation + " run=" + shard.run + " ttl=" + shard.ttl + " shards="
                    + shard.shards + " time=" + shard.time + " clock=" + shard.clock + " learn=" + shard.learnUntil);
        }
        shard.sessions.forEach((id, s) -> lines.add("session " + id + " until=" + s.until + " seq=" + s.seq + " node="
                + s.node
                + " reclaim=" + s.reclaimAfter + " dead=" + (s.dead ? 1 : 0) + " pushed=" + s.pushed + " groups="
                + String.join(",", s.groups)));
        shard.groups.forEach((name, g) -> {
            lines.add("group " + name + " limit=" + g.limit + " version=" + g.version + " turns=" + g.turns);
            g.entries.forEach((id, e) -> lines.add(
                    "entry " + name + " " + id + " granted=" + e.granted + " debt=" + e.debt + " wanted=" + e.wanted
                            + " used=" + e.used + " seq=" + e.seq + " turn=" + e.turn + " target=" + e.target
                            + " least=" + e.least + " limit=" + e.limit));
        });
        if (shard.configVersion > 0) {
            lines.add("config version=" + shard.configVersion);
        }
        shard.limits.forEach((name, limit) -> lines.add("limit " + name + " " + limit));
        shard.paused.forEach(name -> lines.add("paused " + name));
        lines.sort(null);
        return lines;
    }
}
