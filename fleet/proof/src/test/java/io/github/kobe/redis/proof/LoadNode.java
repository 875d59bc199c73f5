package io.github.kobe.redis.proof;

import io.github.kobe.ExecutorShutdownException;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.ShutdownMode;
import io.github.kobe.fleet.Fleet;
import io.github.kobe.fleet.FleetGroupStats;
import io.github.kobe.fleet.FleetStats;
import io.github.kobe.fleet.LeaseLostAction;
import io.github.kobe.redis.RedisStore;
import io.github.kobe.redis.kit.ChildJvm;
import io.github.kobe.redis.kit.Referee;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

/**
 * The program of a JVM of a fleet. Its executor is under load as it is told. Each task tells the referee when it begins and when it ends.
 *
 * <table>
 * <caption>Commands</caption>
 * <tr><td>{@code load}</td><td>from now on, in each group, as many tasks are queued or run as {@link ProofGroup} says</td></tr>
 * <tr><td>{@code hold group n}</td><td>submits n tasks that run until {@code open}</td></tr>
 * <tr><td>{@code open}</td><td>lets these tasks end</td></tr>
 * <tr><td>{@code renewed}</td><td>waits until the store has renewed the lease, after this command</td></tr>
 * <tr><td>{@code progressed}</td><td>waits until a task of each group under load has begun, after this command</td></tr>
 * <tr><td>{@code lapsed}</td><td>says whether the lease was, or may have been, over since the last such command</td></tr>
 * <tr><td>{@code stats}</td><td>says what it holds</td></tr>
 * <tr><td>{@code close}</td><td>ends the load, waits for all tasks, and leaves the fleet</td></tr>
 * </table>
 */
final class LoadNode {

    /** Less than {@link ChildJvm#PATIENCE}, so that the reason is told. */
    private static final Duration PATIENCE = Duration.ofSeconds(50);

    private final int process;
    private final Referee referee;
    private final Fleet fleet;
    private final GroupExecutor executor;
    private final LeaseWatch watch;
    private final AtomicIntegerArray begun = new AtomicIntegerArray(ProofGroup.values().length);
    private final List<ProofGroup> underLoad = new ArrayList<>();
    private CountDownLatch gate = new CountDownLatch(1);
    private volatile boolean closing;

    private LoadNode(String uri, ProofSettings settings, int process, Path file) {
        this.process = process;
        this.referee = ProofGroup.referee(file);
        this.fleet = Fleet.builder(
                        ProofFleet.NAME,
                        RedisStore.builder(uri).timeout(settings.timeout()).build())
                .node(ProofFleet.nodeName(process))
                .ttl(settings.ttl())
                .linger(settings.ttl().dividedBy(2))
                .reclaimAfter(settings.reclaimAfter())
                .onLeaseLost(settings.interrupts() ? LeaseLostAction.INTERRUPT : LeaseLostAction.KEEP)
                .totalLimit(ProofGroup.ALL.limit)
                .founding(settings.founding())
                .join();
        GroupPolicy.Builder policy = GroupPolicy.builder().fleet(fleet);
        policy.perGroupMaxConcurrency(
                ProofGroup.ofTasks().stream().collect(Collectors.toMap(ProofGroup::key, group -> group.limit)));
        policy.sharedLimit(ProofGroup.sharedLimit());
        this.executor = GroupExecutor.newVirtualThreadExecutor(policy.build());
        this.watch = new LeaseWatch(fleet);
    }

    public static void main(String[] args) throws Exception {
        LoadNode node =
                new LoadNode(args[0], ProofSettings.parse(args[1]), Integer.parseInt(args[2]), Path.of(args[3]));
        ChildJvm.say("ready");
        ChildJvm.serve(node::execute);
    }

    private String execute(String line) {
        String[] words = line.split(" ");
        return switch (words[0]) {
            case "load" -> load();
            case "hold" -> hold(ProofGroup.valueOf(words[1]), Integer.parseInt(words[2]));
            case "open" -> open();
            case "renewed" -> renewed();
            case "progressed" -> progressed();
            case "lapsed" -> "lapsed " + watch.takeLapsed();
            case "stats" -> "stats " + stats();
            case "close" -> close();
            default -> throw new IllegalArgumentException(line);
        };
    }

    private String load() {
        for (ProofGroup group : ProofGroup.ofTasks()) {
            underLoad.add(group);
            for (int i = 0; i < group.load; i++) {
                Thread.ofVirtual().start(() -> submitAgainAndAgain(group));
            }
        }
        return "loaded";
    }

    private void submitAgainAndAgain(ProofGroup group) {
        try {
            while (!closing) {
                executor.submit(group.key(), "task", () -> work(group)).join();
            }
        } catch (ExecutorShutdownException e) {
            // this node leaves
        }
    }

    private void work(ProofGroup group) {
        begin(group);
        try {
            long end = System.nanoTime() + group.taskTime.toNanos();
            for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
                LockSupport.parkNanos(left);
            }
        } finally {
            end(group);
        }
    }

    private void begin(ProofGroup group) {
        referee.begin(process, group.ordinal());
        if (group.isShared()) {
            referee.begin(process, ProofGroup.SHARED.ordinal());
        }
        referee.begin(process, ProofGroup.ALL.ordinal());
        begun.incrementAndGet(group.ordinal());
    }

    private void end(ProofGroup group) {
        referee.end(process, ProofGroup.ALL.ordinal());
        if (group.isShared()) {
            referee.end(process, ProofGroup.SHARED.ordinal());
        }
        referee.end(process, group.ordinal());
    }

    private String hold(ProofGroup group, int tasks) {
        CountDownLatch open = gate;
        for (int i = 0; i < tasks; i++) {
            executor.submit(group.key(), "held", () -> {
                begin(group);
                try {
                    open.await();
                } finally {
                    end(group);
                }
                return null;
            });
        }
        return "holding";
    }

    private String open() {
        gate.countDown();
        gate = new CountDownLatch(1);
        return "opened";
    }

    /** A renewed lease is longer than it was: otherwise it becomes shorter all the time. */
    private String renewed() {
        AtomicInteger polls = new AtomicInteger();
        List<Duration> before = new ArrayList<>();
        return await("renewed", () -> {
            List<Duration> now = fleet.stats().sessions().stream()
                    .map(FleetStats.Session::leaseLeft)
                    .toList();
            boolean longer = polls.getAndIncrement() > 0;
            for (int i = 0; longer && i < now.size(); i++) {
                longer = now.get(i).compareTo(before.get(i)) > 0;
            }
            before.clear();
            before.addAll(now);
            return longer;
        });
    }

    private String progressed() {
        int[] before = new int[begun.length()];
        underLoad.forEach(group -> before[group.ordinal()] = begun.get(group.ordinal()));
        return await(
                "progressed",
                () -> underLoad.stream().allMatch(group -> begun.get(group.ordinal()) > before[group.ordinal()]));
    }

    private String await(String what, BooleanSupplier condition) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadline > 0) {
                return "stuck, not " + what + ": " + stats();
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2));
        }
        return what;
    }

    private String stats() {
        List<FleetGroupStats> groups = fleet.groups().toList();
        return fleet.stats() + " " + groups + " " + fleet.sharedLimits().toList();
    }

    private String close() {
        closing = true;
        open();
        executor.shutdown(PATIENCE, ShutdownMode.FINISH_RUNNING);
        fleet.close();
        return "closed";
    }
}
