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

/** Requests that make four calls each: some fail, some hang, some are given up. Which calls outlive their request? */
final class ScopeScenario implements Scenario {

    private static final Duration DEADLINE = Duration.ofMillis(400);
    private static final Duration PATIENCE = Duration.ofMillis(100);
    private static final String FAILS = "one fails";
    private static final int FAILING_ROLE = 1;
    private static final int FAILING_CALL = 2;
    private static final int GIVEN_UP = 3;
    private static final List<Traffic> TRAFFIC = List.of(
            requests("fine", 40, 20, 30, 40, 60),
            requests(FAILS, 100, 250, 300, 40, 350),
            requests("one hangs", 100, 30, 40, 50, 2000),
            requests("given up", 100, 300, 350, 370, 390));

    private static Traffic requests(String name, double everyMillis, double... lengths) {
        List<Double> parts = new ArrayList<>();
        for (double length : lengths) {
            parts.add(length);
        }
        return new Traffic(new Role(name, name), 1, everyMillis, List.copyOf(parts));
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
                "Each request makes four calls and has " + DEADLINE.toMillis() + " ms. With an ExecutorService and",
                "futures, waited for one after the other, a failure is noticed late, and calls",
                "that nobody waits for run on: orphans. (Code that cancels each future on each",
                "way out would not leave them.) A ThreadScope leaves none.");
    }

    @Override
    public Words words() {
        return new Words("requests", "calls", "orphans", "answer", "time to answer", "orphaned");
    }

    @Override
    public List<Traffic> traffic() {
        return TRAFFIC;
    }

    @Override
    public String focus() {
        return FAILS;
    }

    @Override
    public double fineMillis() {
        return 100;
    }

    @Override
    public boolean showsLeaks() {
        return true;
    }

    @Override
    public Contender plain() {
        return new Contender("ExecutorService", ScopeScenario::futures);
    }

    @Override
    public Contender ours() {
        return new Contender("ThreadScope", ScopeScenario::scopes);
    }

    private static Side futures(Ledger ledger) {
        ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
        return side(ledger, (request, role) -> ask(executor, request, role), () -> {
            executor.shutdownNow();
            executor.close();
        });
    }

    private static Side scopes(Ledger ledger) {
        return side(ledger, ScopeScenario::ask, () -> {});
    }

    private static Side side(Ledger ledger, RequestSide.Answer answer, Runnable stop) {
        return new RequestSide(ledger, answer, stop, GIVEN_UP, PATIENCE.toNanos());
    }

    /** As it is mostly written: submit all, then wait for one after the other, for as long as there is time. */
    private static void ask(ExecutorService executor, Request request, int role) throws Exception {
        long deadline = System.nanoTime() + DEADLINE.toNanos();
        List<Future<Boolean>> futures = new ArrayList<>();
        for (int i = 0; i < request.calls(); i++) {
            futures.add(executor.submit(request.call(i, fails(role, i))));
        }
        for (Future<Boolean> future : futures) {
            future.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
        }
    }

    private static void ask(Request request, int role) {
        try (ThreadScope scope = ThreadScope.open().withDeadline(DEADLINE)) {
            List<Task<Boolean>> tasks = new ArrayList<>();
            for (int i = 0; i < request.calls(); i++) {
                tasks.add(scope.submit(request.call(i, fails(role, i))));
            }
            scope.awaitAll(tasks);
        }
    }

    private static boolean fails(int role, int call) {
        return role == FAILING_ROLE && call == FAILING_CALL;
    }

    @Override
    public String extra(List<RowOutcome> kind) {
        return Format.count(kind.stream().mapToInt(RowOutcome::leaked).sum()) + " calls";
    }

    @Override
    public String verdict(Outcome outcome) {
        return "With futures " + orphans(outcome.plain()) + ", with ThreadScope " + orphans(outcome.ours())
                + "; half of the requests in which a call fails had their answer within "
                + Compare.times(
                        outcome.plain().waits(FAILS).p50(),
                        outcome.ours().waits(FAILS).p50())
                + ".";
    }

    private static String orphans(SideOutcome side) {
        long leaked = (long) side.sum(RowOutcome::leaked);
        return leaked == 0
                ? "no call outlived its request"
                : Format.count(leaked) + " calls outlived their requests and ran "
                        + Format.millis(1000 * side.sum(RowOutcome::leakedSeconds)) + " for nobody";
    }

    @Override
    public List<String> broken(SideOutcome ours) {
        int leaked = (int) ours.sum(RowOutcome::leaked);
        return leaked == 0 ? List.of() : List.of(leaked + " calls outlived their scope, none may");
    }
}
