package io.github.kobe.redis;

import io.github.kobe.fleet.FleetReply.GroupSnapshot;
import io.github.kobe.fleet.FleetReply.Holding;
import io.github.kobe.fleet.FleetReply.SessionSnapshot;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.logging.LogManager;

/**
 * A program for operators: prints who holds, wants and uses the permits of a fleet. It only reads.
 *
 * <p>Exit codes: 0, 1 if the fleet cannot be read, 2 if the arguments are wrong.
 */
final class LookCommand {

    private static final int MAX_GROUPS = 50;

    private static final String USAGE = """
            Usage: look URI FLEET [GROUP...]
            Prints who holds, wants and uses the permits of a fleet. Reads only.
              URI     as for RedisStore: redis://[[user:]password@]host[:port], rediss://, redis-sentinel://, redis-cluster://
                      or - to read it from the input, so that no other user sees the password
              FLEET   the name of the fleet
              GROUP   only these groups, and NAME=VALUE only this value of a shared limit; the total limit of the fleet is shown in any case
            Without groups, those that wait for most permits are shown, 50 at most; with --all in place of groups, all of them.""";

    private final PrintStream out;
    private final String fleet;
    private final FleetSnapshot snapshot;
    private final Map<String, String> nodes = new HashMap<>(); // by session

    private LookCommand(PrintStream out, String fleet, FleetSnapshot snapshot) {
        this.fleet = fleet;
        this.out = out;
        this.snapshot = snapshot;
        snapshot.shards()
                .forEach(shard -> shard.sessions().forEach(session -> nodes.put(session.session(), session.node())));
    }

    /** Runs the program. */
    public static void main(String[] args) {
        // what went wrong is printed below; log lines of libraries would only be in the way
        System.setProperty("slf4j.internal.verbosity", "ERROR");
        LogManager.getLogManager().reset();
        System.exit(run(List.of(args), System.in, System.out, System.err));
    }

    /** Returns the exit code. */
    static int run(List<String> args, InputStream in, PrintStream out, PrintStream err) {
        List<String> words = !args.isEmpty() && args.getFirst().equals("look") ? args.subList(1, args.size()) : args;
        if (words.size() < 2 || words.contains("--help")) {
            err.println(USAGE);
            return 2;
        }
        try {
            String uri = words.get(0).equals("-") ? firstLine(in) : words.get(0);
            FleetSnapshot snapshot = FleetSnapshot.read(RedisStore.at(uri), words.get(1));
            new LookCommand(out, words.get(1), snapshot).print(words.subList(2, words.size()));
            return 0;
        } catch (IllegalArgumentException e) {
            err.println(e.getMessage());
            return 2;
        } catch (IllegalStateException | IOException e) {
            err.println(e.getMessage());
            return 1;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return 1;
        }
    }

    private static String firstLine(InputStream in) throws IOException {
        String line = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8)).readLine();
        if (line == null) {
            throw new IllegalArgumentException("the input has no URI");
        }
        return line.strip();
    }

    private void print(List<String> names) {
        out.println("fleet " + fleet + " at " + snapshot.servers() + ", shards "
                + snapshot.shards().size() + ", TTL " + seconds(snapshot.ttl()));
        for (FleetSnapshot.Shard shard : snapshot.shards()) {
            if (shard.learning() > 0) {
                out.println("shard " + shard.number() + " may have lost data: it grants no permits for another "
                        + seconds(shard.learning()));
            }
        }
        printSessions();
        printGroups(names);
    }

    // ---- sessions ---------------------------------------------------------------------------------------------

    private void printSessions() {
        Table table = new Table("node", "shard", "session", "expires in", "groups", "held", "wanted", "used", "debt");
        for (FleetSnapshot.Shard shard : snapshot.shards()) {
            for (SessionSnapshot session : shard.sessions()) {
                Sum sum = new Sum();
                shard.groups().stream()
                        .filter(LookCommand::isGroup)
                        .flatMap(group -> group.holdings().stream())
                        .filter(holding -> holding.session().equals(session.session()))
                        .forEach(sum::add);
                long groups = session.groups().stream()
                        .filter(name -> !name.isEmpty() && !SharedName.matches(name))
                        .count();
                table.add(
                        LogText.of(session.node()),
                        shard.number(),
                        session.session(),
                        session.expiresIn() > 0 ? seconds(session.expiresIn()) : "expired",
                        groups,
                        sum.held,
                        sum.wanted,
                        sum.used,
                        sum.debt);
            }
        }
        out.println();
        out.print(table.isEmpty() ? "no node has joined\n" : table.text());
    }

    // ---- groups -----------------------------------------------------------------------------------------------

    private void printGroups(List<String> names) {
        boolean all = names.equals(List.of("--all"));
        List<GroupSnapshot> groups = new ArrayList<>(snapshot.shards().stream()
                .flatMap(shard -> shard.groups().stream())
                .toList());
        if (!all && !names.isEmpty()) {
            Set<String> wished = Set.copyOf(names);
            groups.removeIf(group -> !isTotal(group) && !wished.contains(SharedName.plain(group.group())));
        }
        groups.sort(Comparator.<GroupSnapshot>comparingInt(group -> isTotal(group) ? 0 : isGroup(group) ? 2 : 1)
                .thenComparing(Comparator.comparingLong(LookCommand::unmet).reversed())
                .thenComparing(GroupSnapshot::group));
        List<GroupSnapshot> shown =
                all || !names.isEmpty() ? groups : groups.subList(0, Math.min(groups.size(), MAX_GROUPS));
        Table table = new Table("group", "limit", "held", "wanted", "used", "debt", "");
        for (GroupSnapshot group : shown) {
            Sum sum = new Sum();
            group.holdings().forEach(sum::add);
            table.add(
                    isTotal(group) ? "(total of the fleet)" : LogText.of(SharedName.text(group.group())),
                    group.limit(),
                    sum.held,
                    sum.wanted,
                    sum.used,
                    sum.debt,
                    group.paused() ? "paused" : "");
            for (Holding holding : group.holdings()) {
                Sum own = new Sum();
                own.add(holding);
                String node = LogText.of(nodes.getOrDefault(holding.session(), holding.session()));
                table.add("  " + node, "", own.held, own.wanted, own.used, own.debt, "");
            }
        }
        out.println();
        out.print(table.isEmpty() ? "no group is in use\n" : table.text());
        if (shown.size() < groups.size()) {
            out.println("and " + (groups.size() - shown.size()) + " more groups; see all with --all");
        }
    }

    private static boolean isTotal(GroupSnapshot group) {
        return group.group().isEmpty();
    }

    private static boolean isGroup(GroupSnapshot group) {
        return !isTotal(group) && !SharedName.matches(group.group());
    }

    private static long unmet(GroupSnapshot group) {
        return group.holdings().stream()
                .mapToLong(holding -> Math.max(0, holding.wanted() - holding.granted()))
                .sum();
    }

    /** Numbers of several holdings. What is used beyond what is held is debt. */
    private static final class Sum {
        private long held;
        private long wanted;
        private long used;
        private long debt;

        void add(Holding holding) {
            held += holding.granted();
            wanted += holding.wanted();
            used += holding.used();
            debt += Math.max(0, holding.used() - holding.granted());
        }
    }

    private static String seconds(long millis) {
        return String.format(Locale.ROOT, "%.1f s", millis / 1000.0);
    }

    /** Rows of text in columns. The first column is aligned to the left, as are those without a number. */
    private static final class Table {
        private final List<String[]> rows = new ArrayList<>();

        Table(String... heads) {
            rows.add(heads);
        }

        void add(Object... cells) {
            String[] row = new String[cells.length];
            for (int i = 0; i < row.length; i++) {
                row[i] = cells[i].toString();
            }
            rows.add(row);
        }

        boolean isEmpty() {
            return rows.size() == 1;
        }

        String text() {
            StringBuilder text = new StringBuilder();
            for (String[] row : rows) {
                StringBuilder line = new StringBuilder();
                for (int i = 0; i < row.length; i++) {
                    int width = width(i);
                    String pad = " ".repeat(width - row[i].codePointCount(0, row[i].length()));
                    line.append(i == 0 ? "" : "  ").append(i == 0 ? row[i] + pad : pad + row[i]);
                }
                text.append(line.toString().stripTrailing()).append('\n');
            }
            return text.toString();
        }

        private int width(int column) {
            return rows.stream()
                    .mapToInt(row -> row[column].codePointCount(0, row[column].length()))
                    .max()
                    .orElse(0);
        }
    }
}
