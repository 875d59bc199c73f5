package io.github.kobe.redis.proof;

import io.github.kobe.redis.kit.ChildJvm;
import io.github.kobe.redis.kit.RedisBinary;
import io.github.kobe.redis.kit.RedisServer;
import io.github.kobe.redis.kit.Referee;
import io.github.kobe.redis.kit.TcpProxy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import redis.clients.jedis.Jedis;

/** A real server and several JVMs that share limits through it, each behind a proxy of its own. A referee counts what they run. Not thread-safe. */
final class ProofFleet implements AutoCloseable {

    static final String NAME = "proof";

    /** The longest wait; only a bug takes longer. */
    static final Duration PATIENCE = Duration.ofSeconds(60);

    private static final String PREFIX = "kobe:v1:{" + NAME + "#0}:";

    /** One JVM. Another one takes its place when it is started again. */
    final class Member {
        final int number;
        final TcpProxy proxy = TcpProxy.to(redis.port());
        private ChildJvm jvm;

        Member(int number) {
            this.number = number;
            this.jvm = launch(settings);
        }

        private ChildJvm launch(ProofSettings ownSettings) {
            return ChildJvm.start(
                    program,
                    redis.uriAt(proxy.port()),
                    ownSettings.toString(),
                    Integer.toString(number),
                    refereeFile().toString());
        }

        ChildJvm jvm() {
            return jvm;
        }

        /** Waits until something has happened that it was asked to wait for. */
        private void awaitAnswer(String command) {
            String answer = jvm.await("");
            if (!answer.startsWith(command)) {
                throw new AssertionError("node " + number + ": " + answer + "\n" + snapshot());
            }
        }

        boolean takeLapsed() {
            return jvm.ask("lapsed", "lapsed ").equals("lapsed true");
        }

        int running(ProofGroup group) {
            return referee.running(number, group.ordinal());
        }

        /** Waits until the node knows that it runs so many tasks without a permit. */
        void awaitDebt(ProofGroup group, int tasks) {
            Pattern debt = Pattern.compile("groupKey=" + group.key() + ",[^]]*debt=" + tasks + "]");
            Awaitility.await("node " + number + " has a debt of " + tasks)
                    .atMost(PATIENCE)
                    .until(() -> debt.matcher(jvm.ask("stats", "stats ")).find());
        }

        /** Kills the JVM. What it ran has ended with it. */
        void kill() {
            jvm.kill();
            referee.forget(number);
        }

        void leave() {
            jvm.ask("close", "closed");
            jvm.kill();
        }

        /** Starts a JVM in place of the one that is gone. */
        void startAgain() {
            jvm = launch(settings.notFounding());
            jvm.await("ready");
        }

        /** Waits until the store knows no session of it. */
        void awaitForgotten() {
            Awaitility.await("node " + number + " is forgotten")
                    .atMost(PATIENCE)
                    .until(() -> sessionsOf(this).isEmpty());
        }
    }

    private final Class<?> program; // of the JVMs
    private final RedisBinary server;
    private final ProofSettings settings;
    private final Path directory;
    private final Referee referee;
    private final List<Member> members = new ArrayList<>();
    private RedisServer redis;

    private ProofFleet(Class<?> program, RedisBinary server, ProofSettings settings, int nodes) throws IOException {
        this.program = program;
        this.server = server;
        this.settings = settings;
        this.directory = Files.createTempDirectory("fleet-proof");
        this.referee = ProofGroup.referee(refereeFile());
        this.redis = newServer().start();
        for (int number = 0; number < nodes; number++) {
            members.add(new Member(number));
        }
        members.forEach(member -> member.jvm().await("ready"));
    }

    private RedisServer.Builder newServer() {
        return RedisServer.builder().binary(server).persistent().settableTime();
    }

    /** Starts the server and so many JVMs. */
    static ProofFleet start(ProofSettings settings, int nodes) {
        return start(LoadNode.class, RedisBinary.embedded(), settings, nodes);
    }

    static ProofFleet start(RedisBinary server, ProofSettings settings, int nodes) {
        return start(LoadNode.class, server, settings, nodes);
    }

    /** Starts JVMs with another program, which obeys the same commands as {@link LoadNode}. */
    static ProofFleet start(Class<?> program, ProofSettings settings, int nodes) {
        return start(program, RedisBinary.embedded(), settings, nodes);
    }

    private static ProofFleet start(Class<?> program, RedisBinary server, ProofSettings settings, int nodes) {
        try {
            return new ProofFleet(program, server, settings, nodes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static String nodeName(int number) {
        return "node-" + number;
    }

    private Path refereeFile() {
        return directory.resolve("referee");
    }

    ProofSettings settings() {
        return settings;
    }

    Referee referee() {
        return referee;
    }

    RedisServer redis() {
        return redis;
    }

    List<Member> members() {
        return members;
    }

    int running(ProofGroup group) {
        return referee.running(group.ordinal());
    }

    long begun(ProofGroup group) {
        return referee.begun(group.ordinal());
    }

    /** Puts all JVMs under load, and waits until each has run a task of each group. */
    void load() {
        members.forEach(member -> member.jvm().ask("load", "loaded"));
        awaitProgress();
    }

    /** Waits until the store renews the leases of all nodes. */
    void awaitRenewal() {
        awaitAll("renewed");
    }

    /** Waits until each node has begun a task of each group. */
    void awaitProgress() {
        awaitAll("progressed");
    }

    private void awaitAll(String command) {
        members.forEach(member -> member.jvm().send(command));
        members.forEach(member -> member.awaitAnswer(command));
    }

    /** Waits until no more tasks run than the limits allow. */
    void awaitWithinLimits() {
        for (ProofGroup group : ProofGroup.values()) {
            Awaitility.await(group + " is within its limit")
                    .atMost(PATIENCE)
                    .until(() -> running(group) <= group.limit);
        }
    }

    // ---- the store, as an operator would look into it
    // -----------------------------------------------------------------

    private Set<String> sessionsOf(Member member) {
        Set<String> sessions = new HashSet<>();
        hash("nodes").forEach((session, node) -> {
            if (node.equals(nodeName(member.number))) {
                sessions.add(session);
            }
        });
        return sessions;
    }

    /** Returns how many permits of a group the store counts for a node: those that it has, and its debt. */
    int grantedTo(Member member, ProofGroup group) {
        Set<String> sessions = sessionsOf(member);
        int sum = 0;
        for (Map.Entry<String, String> field : hash("group:" + group.key()).entrySet()) {
            if (field.getKey().startsWith("s:")
                    && sessions.contains(field.getKey().substring(2))) {
                String[] numbers = field.getValue().split(" ");
                sum += Integer.parseInt(numbers[0]) + Integer.parseInt(numbers[1]);
            }
        }
        return sum;
    }

    /** Returns what the store says of all groups, and what all nodes say of themselves, to find out why nothing happens. */
    private String snapshot() {
        List<String> lines = new ArrayList<>();
        for (ProofGroup group : ProofGroup.values()) {
            lines.add(group + ": " + hash("group:" + group.key()));
        }
        lines.add("nodes: " + hash("nodes"));
        members.forEach(member -> lines.add(member.jvm().ask("stats", "stats ")));
        return String.join("\n", lines);
    }

    private Map<String, String> hash(String key) {
        return redis.ask(jedis -> jedis.hgetAll(PREFIX + key));
    }

    /** Returns the names of all keys, without their common prefix. */
    Set<String> keys() {
        Set<String> names = new HashSet<>();
        redis.ask(jedis -> jedis.keys("*"))
                .forEach(key -> names.add(key.startsWith(PREFIX) ? key.substring(PREFIX.length()) : key));
        return names;
    }

    // ---- faults that need more than one call
    // -------------------------------------------------------------------------------

    /** Restarts the server without its data. */
    void restartWithoutData() {
        redis.kill();
        redis.loseData();
        redis.launch();
    }

    /**
     * Promotes a replica that has missed the last writes: those of some tasks.
     */
    void failOver() {
        RedisServer old = redis;
        RedisServer replica;
        try (TcpProxy lag = TcpProxy.to(old.port())) {
            replica = newServer().option("replicaof", "127.0.0.1 " + lag.port()).start();
            replica.awaitReplication();
            lag.hold();
            long before = begun(ProofGroup.SINGLE);
            RedisServer lagging = replica;
            // Tasks that start on permits in hand write nothing, so their number is not enough.
            Awaitility.await("writes that will be lost")
                    .atMost(PATIENCE)
                    .until(() -> begun(ProofGroup.SINGLE) > before + 5
                            && !old.ask(ProofFleet::clock).equals(lagging.ask(ProofFleet::clock)));
            String written = old.ask(ProofFleet::clock);
            old.kill();
            replica.promote();
            if (written.equals(replica.ask(ProofFleet::clock))) {
                throw new AssertionError("no write was lost");
            }
        }
        redis = replica;
        members.forEach(member -> member.proxy.retarget(replica.port()));
        old.close();
    }

    private static String clock(Jedis jedis) {
        return String.valueOf(jedis.hget(PREFIX + "meta", "time"));
    }

    /** Ends the load; all nodes leave. Returns what is wrong afterwards: empty, as it should be. */
    List<String> leave() {
        members.forEach(member -> member.jvm().send("close"));
        members.forEach(member -> member.jvm().await("closed"));
        List<String> wrong = new ArrayList<>();
        for (ProofGroup group : ProofGroup.values()) {
            if (running(group) != 0) {
                wrong.add(running(group) + " tasks of " + group + " still run");
            }
        }
        Set<String> left = keys();
        left.removeAll(Set.of("meta", "config"));
        if (!left.isEmpty()) {
            wrong.add("keys are left: " + left);
        }
        return wrong;
    }

    @Override
    public void close() {
        for (Member member : members) {
            member.jvm().close();
            member.proxy.close();
        }
        redis.close();
        try {
            Files.deleteIfExists(refereeFile());
            Files.deleteIfExists(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
