package io.github.kobe.redis.proof;

import io.github.kobe.redis.kit.ChildJvm;
import io.github.kobe.redis.kit.Referee;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.redisson.Redisson;
import org.redisson.api.RPermitExpirableSemaphore;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** As {@link LoadNode}, with a semaphore of Redisson for each group. The lease of a permit is as long as the TTL. */
final class PeerNode {

    static final List<ProofGroup> GROUPS = List.of(ProofGroup.SMALL, ProofGroup.SLOW);

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final int process;
    private final Referee referee;
    private final long leaseMillis;
    private final RedissonClient client;
    private final Map<ProofGroup, AtomicInteger> begun = new EnumMap<>(ProofGroup.class);

    private PeerNode(String uri, ProofSettings settings, int process, Path file) {
        this.process = process;
        this.referee = ProofGroup.referee(file);
        this.leaseMillis = settings.ttl().toMillis();
        Config config = new Config();
        config.useSingleServer().setAddress(uri).setTimeout((int)
                settings.timeout().toMillis());
        this.client = Redisson.create(config);
        GROUPS.forEach(group -> {
            begun.put(group, new AtomicInteger());
            semaphore(group).trySetPermits(group.limit);
        });
    }

    private RPermitExpirableSemaphore semaphore(ProofGroup group) {
        return client.getPermitExpirableSemaphore(group.key());
    }

    public static void main(String[] args) throws Exception {
        PeerNode node =
                new PeerNode(args[0], ProofSettings.parse(args[1]), Integer.parseInt(args[2]), Path.of(args[3]));
        ChildJvm.say("ready");
        ChildJvm.serve(line -> switch (line) {
            case "load" -> node.load();
            case "progressed" -> node.progressed();
            default -> throw new IllegalArgumentException(line);
        });
    }

    private String load() {
        for (ProofGroup group : GROUPS) {
            for (int i = 0; i < group.load; i++) {
                Thread.ofVirtual().start(() -> runAgainAndAgain(group));
            }
        }
        return "loaded";
    }

    private void runAgainAndAgain(ProofGroup group) {
        while (true) {
            try {
                String permit = semaphore(group).acquire(leaseMillis, TimeUnit.MILLISECONDS);
                referee.begin(process, group.ordinal());
                begun.get(group).incrementAndGet();
                Thread.sleep(group.taskTime);
                referee.end(process, group.ordinal());
                semaphore(group).release(permit);
            } catch (InterruptedException e) {
                return;
            } catch (RuntimeException e) {
                LockSupport.parkNanos(
                        TimeUnit.MILLISECONDS.toNanos(20)); // the permit has expired, or there is no connection
            }
        }
    }

    private String progressed() {
        Map<ProofGroup, Integer> before = new EnumMap<>(ProofGroup.class);
        begun.forEach((group, count) -> before.put(group, count.get()));
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!GROUPS.stream().allMatch(group -> begun.get(group).get() > before.get(group))) {
            if (System.nanoTime() - deadline > 0) {
                return "stuck";
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
        }
        return "progressed";
    }
}
