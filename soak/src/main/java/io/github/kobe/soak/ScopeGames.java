package io.github.kobe.soak;

import io.github.kobe.scope.Channel;
import io.github.kobe.scope.ScheduledTask;
import io.github.kobe.scope.Task;
import io.github.kobe.scope.ThreadScope;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Joiners, schedules and channels in a scope. */
final class ScopeGames {

    private ScopeGames() {}

    /** @param unknown told that there are tasks whose handles nobody has */
    static void join(ThreadScope scope, RandomSource random, Recorder recorder, long op, Runnable unknown) {
        unknown.run();
        recorder.countOperation("scope joiner");
        Set<Object> returned = ConcurrentHashMap.newKeySet();
        List<Callable<Object>> ways = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            boolean bad = random.oneIn(3);
            Object value = new Object();
            ways.add(() -> {
                InjectedException.throwIf(bad, "one of several");
                Thread.yield();
                returned.add(value);
                return value;
            });
        }
        Callable<Object> a = ways.get(0);
        Callable<Object> b = ways.get(1);
        Callable<Object> c = ways.get(2);
        Callable<Object> d = ways.get(3);
        switch (random.below(3)) {
            case 0 -> checkJoined(recorder, op, 1, List.of(scope.joiner().<Object>firstSuccess(a, b, c, d)), returned);
            case 1 ->
                checkJoined(
                        recorder,
                        op,
                        1,
                        List.of(scope.joiner().<Object>hedged(random.micros(1, 500), a, b, c)),
                        returned);
            default -> checkJoined(recorder, op, 2, scope.joiner().<Object>quorum(2, a, b, c, d), returned);
        }
    }

    static void checkJoined(Recorder recorder, long op, int wanted, List<Object> result, Set<Object> returned) {
        boolean fine =
                result.size() == wanted && new HashSet<>(result).size() == wanted && returned.containsAll(result);
        recorder.check(Check.JOINED_RESULT, fine, op, () -> "joined to " + result + ", but returned were " + returned);
    }

    static void schedule(
            ThreadScope scope, ScopeChecker watch, RandomSource random, Recorder recorder, long op, Runnable unknown) {
        unknown.run();
        recorder.countOperation("scope schedule");
        AtomicInteger at = new AtomicInteger();
        AtomicInteger runs = new AtomicInteger();
        int last = random.between(1, 50);
        Runnable run = () -> {
            checkAlone(recorder, op, at.incrementAndGet());
            try {
                watch.scheduledRun();
                InjectedException.throwIf(runs.incrementAndGet() == last, "a run");
            } finally {
                at.decrementAndGet();
            }
        };
        Duration time = random.micros(50, 1000);
        ScheduledTask schedule = switch (random.below(3)) {
            case 0 -> scope.schedule(time, run);
            case 1 -> scope.scheduleAtFixedRate(time, time, run);
            default -> scope.scheduleWithFixedDelay(time, time, run);
        };
        if (random.oneIn(3)) {
            schedule.cancel();
        }
    }

    static void checkAlone(Recorder recorder, long op, int atOnce) {
        recorder.check(Check.RUNS_DO_NOT_OVERLAP, atOnce == 1, op, () -> atOnce + " runs of a schedule at once");
    }

    /** One task sends, another receives; either may be cancelled on the way. If they may not run at once, all has room in the channel. */
    static void channel(
            ThreadScope scope, boolean atOnce, RandomSource random, Recorder recorder, long op, Runnable unknown) {
        unknown.run();
        recorder.countOperation("scope channel");
        int size = random.between(1, 30);
        Channel<Integer> channel = Channel.bounded(atOnce ? random.between(1, 4) : size);
        List<Integer> received = new ArrayList<>(); // by one task, read when that has ended
        Task<Integer> sender = scope.submit(() -> {
            try (channel) {
                for (int i = 0; i < size; i++) {
                    channel.send(i);
                }
            }
            return size;
        });
        Task<Integer> receiver = scope.submit(() -> {
            for (int value : channel) {
                received.add(value);
            }
            return received.size();
        });
        scope.await(sender, receiver);
        if (sender.state() == Task.State.SUCCESS && receiver.state() == Task.State.SUCCESS) {
            checkReceived(recorder, op, size, received);
        }
    }

    static void checkReceived(Recorder recorder, long op, int sent, List<Integer> received) {
        boolean fine = received.size() == sent;
        for (int i = 0; fine && i < sent; i++) {
            fine = received.get(i) == i;
        }
        recorder.check(Check.CHANNEL_DELIVERS_ALL, fine, op, () -> sent + " sent in order, received " + received);
    }
}
