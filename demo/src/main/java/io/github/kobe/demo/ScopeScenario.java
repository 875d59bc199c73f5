package io.github.kobe.demo;

import io.github.kobe.scope.Task;
import io.github.kobe.scope.ThreadScope;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Requests that make four calls each. Some calls fail, some hang, some clients give up. Which calls outlive their request? */
final class ScopeScenario implements Scenario {

    private static final Duration DEADLINE = Duration.ofMillis(400);
    private static final Duration CLIENT_PATIENCE = Duration.ofMillis(100);
    private static final String ONE_FAILS = "one fails";
    private static final int SOURCE_WITH_FAILURE = 1;
    private static final int FAILING_CALL = 2;
    private static final int IMPATIENT_SOURCE = 3;
    private static final List<Traffic> TRAFFIC = List.of(
            requests("fine", 40, 20, 30, 40, 60),
            requests(ONE_FAILS, 100, 250, 300, 40, 350),
            requests("one hangs", 100, 30, 40, 50, 2000),
            requests("given up", 100, 300, 350, 370, 390));

    private static Traffic requests(String name, double intervalMillis, double... durationsMillis) {
        List<Double> durations = new ArrayList<>();
        for (double duration : durationsMillis) {
            durations.add(duration);
        }
        return new Traffic(new Source(name, name), 1, intervalMillis, List.copyOf(durations));
    }

    @Override
    public String name() {
        return "scope";
    }

    @Override
    public String summary() {
        return "requests of 4 calls; some fail, hang, or are given up";
    }

    @Override
    public List<String> about() {
        return List.of(
                "Each request makes four calls and has a deadline of " + DEADLINE.toMillis() + " ms. With an",
                "ExecutorService and futures, waited for one after the other, a failure is",
                "noticed late, and calls run on after their request was answered: orphans.",
                "(Code that cancels every future on every exit path would leave none.)",
                "A ThreadScope leaves none.");
    }

    @Override
    public Labels labels() {
        return new Labels("requests", "calls", "orphans", "answer", "time to answer", "orphaned");
    }

    @Override
    public List<Traffic> traffic() {
        return TRAFFIC;
    }

    @Override
    public String focus() {
        return ONE_FAILS;
    }

    @Override
    public double goodWaitMillis() {
        return 100;
    }

    @Override
    public boolean showsOrphans() {
        return true;
    }

    @Override
    public ExecutorFactory plain() {
        return new ExecutorFactory("ExecutorService", ScopeScenario::withFutures);
    }

    @Override
    public ExecutorFactory library() {
        return new ExecutorFactory("ThreadScope", ScopeScenario::withScopes);
    }

    private static DemoExecutor withFutures(RunRecorder recorder) {
        ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
        return requestExecutor(recorder, (request, source) -> callWithFutures(executor, request, source), () -> {
            executor.shutdownNow();
            executor.close();
        });
    }

    private static DemoExecutor withScopes(RunRecorder recorder) {
        return requestExecutor(recorder, ScopeScenario::callInScope, () -> {});
    }

    private static DemoExecutor requestExecutor(RunRecorder recorder, RequestExecutor.Handler handler, Runnable stop) {
        return new RequestExecutor(recorder, handler, stop, IMPATIENT_SOURCE, CLIENT_PATIENCE.toNanos());
    }

    /** The usual code: submits all calls, then waits for one after the other until the deadline. */
    private static void callWithFutures(ExecutorService executor, Request request, int source) throws Exception {
        long deadline = System.nanoTime() + DEADLINE.toNanos();
        List<Future<Boolean>> futures = new ArrayList<>();
        for (int i = 0; i < request.calls(); i++) {
            futures.add(executor.submit(request.call(i, fails(source, i))));
        }
        for (Future<Boolean> future : futures) {
            future.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
        }
    }

    private static void callInScope(Request request, int source) {
        try (ThreadScope scope = ThreadScope.open().withDeadline(DEADLINE)) {
            List<Task<Boolean>> tasks = new ArrayList<>();
            for (int i = 0; i < request.calls(); i++) {
                tasks.add(scope.submit(request.call(i, fails(source, i))));
            }
            scope.awaitAll(tasks);
        }
    }

    private static boolean fails(int source, int call) {
        return source == SOURCE_WITH_FAILURE && call == FAILING_CALL;
    }

    @Override
    public String extra(List<SourceResult> kind) {
        return Format.count(kind.stream().mapToInt(SourceResult::orphaned).sum()) + " calls";
    }

    @Override
    public String verdict(RunResult result) {
        return "With futures " + orphans(result.plain()) + ", with ThreadScope " + orphans(result.library())
                + "; half of the requests in which a call fails had their answer within "
                + Comparison.ofTimes(
                        result.plain().waits(ONE_FAILS).p50(),
                        result.library().waits(ONE_FAILS).p50())
                + ".";
    }

    private static String orphans(ExecutorResult executor) {
        long orphaned = (long) executor.sum(SourceResult::orphaned);
        return orphaned == 0
                ? "no call outlived its request"
                : Format.count(orphaned) + " calls outlived their requests and ran "
                        + Format.millis(1000 * executor.sum(SourceResult::orphanSeconds)) + " in vain";
    }

    @Override
    public List<String> brokenPromises(ExecutorResult library) {
        int orphaned = (int) library.sum(SourceResult::orphaned);
        return orphaned == 0 ? List.of() : List.of(orphaned + " calls outlived their scope, none is allowed to");
    }
}
