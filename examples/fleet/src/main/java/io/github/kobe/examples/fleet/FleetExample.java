package io.github.kobe.examples.fleet;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/** Starts a Redis and three JVMs with load on one tenant, kills one of them, and watches. */
public final class FleetExample {

    static final Duration TTL = Duration.ofSeconds(2);

    private static final int KILLED = 1;
    private static final long PATIENCE_NANOS = Duration.ofSeconds(60).toNanos();

    private final PrintStream out;
    private final TaskCount count;
    private final List<Node> nodes = new ArrayList<>();
    private final long start = System.nanoTime();

    /** One JVM, and what it has said of itself last. */
    private static final class Node {
        final Process process;
        volatile int held;
        volatile int wanted;

        Node(Process process) {
            this.process = process;
            Thread.startVirtualThread(this::read);
        }

        private void read() {
            try (BufferedReader reader = process.inputReader()) {
                for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                    String[] numbers = line.split(" ");
                    wanted = Integer.parseInt(numbers[1]);
                    held = Integer.parseInt(numbers[0]);
                }
            } catch (IOException e) {
                // it was killed
            }
        }
    }

    private FleetExample(PrintStream out, TaskCount count) {
        this.out = out;
        this.count = count;
    }

    /** Runs the example. The exit code is 1 if the limit was exceeded, or the permits of the killed JVM did not come back. */
    public static void main(String[] args) throws Exception {
        System.exit(run(System.out) ? 0 : 1);
    }

    static String nameOf(int number) {
        return "node-" + (number + 1);
    }

    static boolean run(PrintStream out) throws Exception {
        Path directory = Files.createTempDirectory("fleet-example");
        try (Server redis = new Server(directory)) {
            FleetExample example = new FleetExample(out, TaskCount.open(directory.resolve("count")));
            try {
                return example.play(redis, directory.resolve("count"));
            } finally {
                example.nodes.forEach(
                        node -> node.process.destroyForcibly().onExit().join());
            }
        } finally {
            delete(directory);
        }
    }

    private boolean play(Server redis, Path counts) throws Exception {
        out.println("Three JVMs, tenant " + OrderNode.TENANT + ", at most " + OrderNode.LIMIT
                + " orders at once in all of them.");
        out.printf("%8s %24s %24s %24s %9s %6s%n", "", nameOf(0), nameOf(1), nameOf(2), "running", "most");
        for (int number = 0; number < TaskCount.NODES; number++) {
            nodes.add(new Node(launch(number, redis, counts)));
        }
        boolean shared = watch(Duration.ZERO, () -> nodes.stream().allMatch(node -> node.held > 0))
                && watch(Duration.ofSeconds(2), () -> true);

        Process killed = nodes.get(KILLED).process.destroyForcibly(); // SIGKILL: it cannot return anything
        killed.onExit().join();
        count.forget(KILLED);
        long since = System.nanoTime();
        out.println(
                "--- " + nameOf(KILLED) + " is killed with SIGKILL; it held " + nodes.get(KILLED).held + " permits");
        nodes.get(KILLED).held = 0;
        boolean back = watch(Duration.ZERO, () -> held() == OrderNode.LIMIT);
        out.printf(
                Locale.ROOT,
                "--- the others have all %d permits again, after %.1f s (TTL %.1f s)%n",
                held(),
                (System.nanoTime() - since) / 1e9,
                TTL.toMillis() / 1e3);
        boolean goesOn = watch(Duration.ofSeconds(1), () -> true);

        boolean ok = count.most() <= OrderNode.LIMIT && shared && back && goesOn;
        out.println("verdict: never more than " + count.most() + " at once, limit " + OrderNode.LIMIT
                + (ok ? "" : ": FAILED"));
        return ok;
    }

    private int held() {
        return nodes.stream().mapToInt(node -> node.held).sum();
    }

    /** Prints a line every half second, for a while at least, and then until something is so. Returns whether it is. */
    private boolean watch(Duration atLeast, BooleanSupplier condition) throws InterruptedException {
        long begin = System.nanoTime();
        while (System.nanoTime() - begin < PATIENCE_NANOS) {
            boolean enough = System.nanoTime() - begin >= atLeast.toNanos();
            if (enough && condition.getAsBoolean()) {
                return true;
            }
            if (count.most() > 0) { // the JVMs have started
                print();
            }
            Thread.sleep(Duration.ofMillis(500));
        }
        return false;
    }

    private void print() {
        Object[] cells = new Object[6];
        cells[0] = String.format(Locale.ROOT, "%.1f s", (System.nanoTime() - start) / 1e9);
        for (int i = 0; i < nodes.size(); i++) {
            Node node = nodes.get(i);
            cells[1 + i] = node.process.isAlive() ? "holds " + node.held + ", wants " + node.wanted : "gone";
        }
        cells[4] = count.running();
        cells[5] = count.most();
        out.printf("%8s %24s %24s %24s %9d %6d%n", cells);
    }

    private static Process launch(int number, Server redis, Path counts) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx128m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        OrderNode.class.getName(),
                        Integer.toString(number),
                        redis.uri(),
                        counts.toString())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }
}
