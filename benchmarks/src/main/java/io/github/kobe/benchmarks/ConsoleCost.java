package io.github.kobe.benchmarks;

import io.github.kobe.GroupExecutor;
import io.github.kobe.benchmarks.Row.Promise;
import io.github.kobe.console.Console;
import io.github.kobe.console.ConsoleExchange;
import io.github.kobe.console.ConsoleHandler;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/** What a console costs while it is shown, with very many groups. */
final class ConsoleCost {

    private static final double NANOS_PER_MILLI = 1e6;
    private static final String NAME = "console: a snapshot with 100,000 known groups, a page of 50 rows";
    private static final String FIRST = "first";
    private static final String FURTHER = "further";
    private static final String SEARCH = "search";
    private static final String LAST_PAGE = "last page";
    private static final String BYTES = "bytes";

    /** One group in so many is paused and has a queued task. The others are idle. */
    private static final int QUEUED_SHARE = 100;

    private ConsoleCost() {}

    static List<Row> rows(RunLength length) throws InterruptedException {
        Fork fork = Fork.run(length.pick(2, 1), ConsoleCost.class, length.pick(20, 10), length.pick(20, 10));
        return List.of(
                new Row(NAME, Unit.MILLIS, null, fork.quartiles(FIRST), Promise.atMost(20)),
                new Row(
                        "console: the same snapshot for a further client",
                        Unit.MILLIS,
                        null,
                        fork.quartiles(FURTHER),
                        null),
                new Row("console: for a client that searches", Unit.MILLIS, null, fork.quartiles(SEARCH), null),
                new Row(
                        "console: for a client on the last page of 40",
                        Unit.MILLIS,
                        null,
                        fork.quartiles(LAST_PAGE),
                        null),
                new Row("console: sent to a client each second", Unit.BYTES, null, fork.quartiles(BYTES), null));
    }

    static List<LibraryWorkload> libraryWorkloads(RunLength length) {
        return List.of(new LibraryWorkload(NAME, Unit.MILLIS, ConsoleCost::millis).withFewRounds());
    }

    private static double millis() throws InterruptedException {
        try (GroupExecutor executor = watched()) {
            new Client(executor).millis("");
            return new Client(executor).millis("");
        }
    }

    /** The forked JVM. Arguments: warm-up rounds, rounds. */
    public static void main(String[] args) throws InterruptedException {
        int warmups = Integer.parseInt(args[0]);
        int rounds = Integer.parseInt(args[1]);
        try (GroupExecutor executor = watched()) {
            for (int round = -warmups; round < rounds; round++) {
                Client client = new Client(executor);
                double first = client.millis("");
                int bytes = client.sent();
                double further = client.millis("");
                double search = client.millis("search=GROUP-77");
                double lastPage = client.millis("page=39");
                if (round >= 0) {
                    Fork.print(FIRST, first);
                    Fork.print(BYTES, bytes);
                    Fork.print(FURTHER, further);
                    Fork.print(SEARCH, search);
                    Fork.print(LAST_PAGE, lastPage);
                }
            }
        }
    }

    private static GroupExecutor watched() throws InterruptedException {
        GroupExecutor executor = GroupSnapshots.withKnownGroups();
        for (int i = 0; i < GroupSnapshots.GROUPS; i += QUEUED_SHARE) {
            executor.pauseGroup("group-" + i);
            executor.submit("group-" + i, () -> true);
        }
        return executor;
    }

    /** Requests to a console that has no snapshot yet. */
    private static final class Client {

        private final ConsoleHandler console;
        private final ByteArrayOutputStream response = new ByteArrayOutputStream();

        Client(GroupExecutor executor) {
            console = Console.builder()
                    .add(executor)
                    .authenticator(exchange -> "benchmark")
                    .allowAnyHost(true)
                    .handler();
        }

        double millis(String query) {
            response.reset();
            long start = System.nanoTime();
            try {
                console.handle(new Request(query, response));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            double millis = (System.nanoTime() - start) / NANOS_PER_MILLI;
            String text = response.toString(StandardCharsets.UTF_8);
            if (!text.contains("\"groups\":" + GroupSnapshots.GROUPS)) {
                throw new IllegalStateException("the console does not show all groups: " + text);
            }
            return millis;
        }

        int sent() {
            return response.size();
        }
    }

    private record Request(String query, OutputStream response) implements ConsoleExchange {

        @Override
        public String method() {
            return "GET";
        }

        @Override
        public String path() {
            return "/api/view";
        }

        @Override
        public List<String> headers(String name) {
            return name.equals("Host") ? List.of("localhost") : List.of();
        }

        @Override
        public String remoteAddress() {
            return "127.0.0.1";
        }

        @Override
        public String user() {
            return "benchmark";
        }

        @Override
        public InputStream body() {
            return InputStream.nullInputStream();
        }

        @Override
        public OutputStream respond(int status, Map<String, String> headers, long length) {
            if (status != 200) {
                throw new IllegalStateException("the console answers " + status);
            }
            return response;
        }
    }
}
