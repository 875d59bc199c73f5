package io.github.kobe.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupStats;
import io.github.kobe.SharedLimit;
import io.github.kobe.SharedLimitStats;
import io.github.kobe.console.ConsoleKit.Blocker;
import io.github.kobe.console.ConsoleKit.Log;
import io.github.kobe.console.RawClient.Answer;
import io.github.kobe.console.Router.Kind;
import io.github.kobe.fleet.FleetGroupStats;
import io.github.kobe.isolation.IsolationExecutor;
import io.github.kobe.isolation.IsolationPolicy;
import io.github.kobe.pool.WorkerPool;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Does each change reach its executor, and is it recorded with who, what, old and new? */
@Timeout(60)
class SteeringTest {

    private static final String WHO = "token at 127.0.0.1";

    private final GroupExecutor groups = ConsoleKit.executor(b -> b.defaultMaxConcurrencyPerGroup(4)
            .defaultQueueThresholdPerGroup(50)
            .sharedLimit(SharedLimit.by("tenant", key -> key).max(9)));
    private final WorkerPool pool =
            WorkerPool.builder().name("sums").minWorkers(1).maxWorkers(4).build();
    private final IsolationExecutor isolation =
            IsolationExecutor.create(IsolationPolicy.builder().name("calls").build());
    private final TwoNodes nodes = new TwoNodes(4);
    private final Site site = Site.of(Console.builder()
            .add(groups)
            .add(pool)
            .add(isolation)
            .add(nodes.first)
            .editable(true));
    private final Set<String> used = new TreeSet<>();

    @AfterEach
    void close() {
        site.close();
        groups.close();
        pool.close();
        isolation.close();
        nodes.close();
    }

    private FleetGroupStats fleetGroup() {
        return nodes.first.groupStats("a").orElseThrow();
    }

    private GroupStats stats() {
        return groups.groupStats("a").orElseThrow();
    }

    /** Makes a change, and checks what the console says of it, on the spot and in the list. */
    private void change(String path, String body, String what, String from, String to) {
        used.add(path);
        try (Log log = new Log()) {
            Answer answer = site.post(path, body);
            assertThat(answer.status()).as(answer.body()).isEqualTo(200);
            JsonNode change = ConsoleKit.json(answer.body());
            assertThat(change.get("who").asText()).isEqualTo(WHO);
            assertThat(change.get("what").asText()).isEqualTo(what);
            assertThat(change.get("from").asText()).isEqualTo(from);
            assertThat(change.get("to").asText()).isEqualTo(to);
            assertThat(site.view("tab=changes").get("changes").get(0)).isEqualTo(change);
            assertThat(log.lines())
                    .containsExactly("INFO console: " + WHO + " changed " + what + " from " + from + " to " + to);
        }
    }

    private static String order(String value) {
        return "{\"executor\":0,\"value\":" + value + "}";
    }

    @Test
    void everySettingIsChangedAndRecorded() {
        Blocker blocker = Blocker.in(groups, "a", 6);
        String group = "group 'a' of 'orders'";

        change("/api/group/limit", Site.change("a", "5"), "limit of " + group, "4", "5");
        assertThat(stats().limit()).isEqualTo(5);
        change("/api/group/queue", Site.change("a", "9"), "queue of " + group, "50", "9");
        assertThat(stats().queueCapacity()).isEqualTo(9);
        change("/api/group/queue", Site.change("a", "null"), "queue of " + group, "9", "no limit");
        assertThat(stats().queueCapacity()).isEqualTo(Integer.MAX_VALUE);
        change("/api/group/weight", Site.change("a", "3"), "weight of " + group, "1", "3");
        assertThat(stats().weight()).isEqualTo(3);
        change("/api/group/pause", Site.change("a", "true"), "state of " + group, "not paused", "paused");
        assertThat(stats().paused()).isTrue();
        change("/api/group/pause", Site.change("a", "false"), "state of " + group, "paused", "not paused");
        assertThat(stats().paused()).isFalse();
        change(
                "/api/group/reset",
                Site.change("a", "null"),
                "settings of " + group,
                "max concurrency 5, queue threshold 2147483647, weight 3",
                "those of the policy");
        assertThat(groups.liveSettings()).isEmpty();
        assertThat(stats().limit()).isEqualTo(4);

        String tenant = "shared limit tenant 'a' of 'orders'";
        change("/api/shared/limit", Site.change("a", "7"), "limit of " + tenant, "9", "7");
        assertThat(tenant("a").max()).isEqualTo(7);
        change("/api/shared/pause", Site.change("a", "true"), "state of " + tenant, "not paused", "paused");
        assertThat(tenant("a").paused()).isTrue();
        change(
                "/api/shared/reset",
                Site.change("a", "null"),
                "settings of " + tenant,
                "limit 7, paused",
                "those of the policy");
        assertThat(groups.liveSharedLimits()).isEmpty();
        assertThat(tenant("a").max()).isEqualTo(9);

        change("/api/groups/limit", order("40"), "global limit of 'orders'", "no limit", "40");
        assertThat(groups.stats().globalInFlightMax()).isEqualTo(40);
        change("/api/groups/limit", order("null"), "global limit of 'orders'", "40", "no limit");
        change("/api/groups/default-limit", order("2"), "default limit of 'orders'", "4", "2");
        assertThat(groups.defaultMaxConcurrency()).isEqualTo(2);

        change("/api/pool/max-workers", order("8"), "maximum of workers of pool 'sums'", "4", "8");
        assertThat(pool.stats().maxWorkers()).isEqualTo(8);
        change("/api/pool/min-workers", order("2"), "minimum of workers of pool 'sums'", "1", "2");
        assertThat(pool.stats().minWorkers()).isEqualTo(2);
        change("/api/pool/queue", order("7"), "queue of pool 'sums'", "no limit", "7");
        assertThat(pool.stats().queueCapacity()).isEqualTo(7);

        change("/api/isolation/limit", order("10"), "limit of 'calls'", "64", "10");
        assertThat(isolation.stats().maxConcurrency()).isEqualTo(10);
        change("/api/isolation/queue", order("11"), "queue of 'calls'", "100000", "11");
        assertThat(isolation.queueCapacity()).isEqualTo(11);

        nodes.submit(nodes.firstExecutor, "a", 1);
        ConsoleKit.eventually(() -> assertThat(nodes.first.stats().used()).isEqualTo(1));
        String ofFleet = "group 'a' of fleet 'shop'";
        change("/api/fleet/limit", Site.change("a", "3"), "limit of " + ofFleet, "4", "3");
        ConsoleKit.eventually(() -> assertThat(fleetGroup().limit()).isEqualTo(3));
        change("/api/fleet/pause", Site.change("a", "true"), "state of " + ofFleet, "not paused", "paused");
        ConsoleKit.eventually(() -> assertThat(fleetGroup().paused()).isTrue());
        change(
                "/api/fleet/reset",
                Site.change("a", "null"),
                "settings of " + ofFleet,
                "limit 3, paused",
                "those of the policies");
        ConsoleKit.eventually(() -> assertThat(fleetGroup().paused()).isFalse());
        ConsoleKit.eventually(() -> assertThat(fleetGroup().limit()).isEqualTo(4));
        change("/api/fleet/total-limit", order("70"), "total limit of fleet 'shop'", "100", "70");

        assertThat(used)
                .as("every route that writes is tested here")
                .isEqualTo(site.console().handler().routes().stream()
                        .filter(route -> route.kind() == Kind.WRITE)
                        .map(Router.Route::path)
                        .collect(Collectors.toCollection(TreeSet::new)));
        blocker.release();
    }

    private SharedLimitStats tenant(String value) {
        return groups.sharedLimitStats("tenant", value).orElseThrow();
    }

    @Test
    void raisedSharedLimitStartsQueuedTasks() {
        groups.setSharedLimit("tenant", "a", 2);
        Blocker blocker = Blocker.in(groups, "a", 3);
        assertThat(stats().activeCount()).isEqualTo(2);
        site.post("/api/shared/limit", Site.change("a", "3"));
        ConsoleKit.eventually(() -> assertThat(stats().activeCount()).isEqualTo(3));
        blocker.release();
    }

    @Test
    void aValueWithoutGroupsThatHasSettingsCanBeChanged() {
        groups.pauseSharedLimit("tenant", "idle");
        String tenant = "shared limit tenant 'idle' of 'orders'";
        change("/api/shared/limit", Site.change("idle", "3"), "limit of " + tenant, "that of the policy", "3");
        change("/api/shared/pause", Site.change("idle", "false"), "state of " + tenant, "paused", "not paused");
        change(
                "/api/shared/reset",
                Site.change("idle", "null"),
                "settings of " + tenant,
                "limit 3, not paused",
                "those of the policy");
        Answer answer = site.post("/api/shared/limit", Site.change("idle", "3"));
        assertThat(answer.status()).isEqualTo(404);
        assertThat(answer.body()).isEqualTo("no group belongs to this value of the shared limit any more\n");
    }

    @Test
    void aWrongLimitOfASharedLimitIsRefusedWithTheMessageOfTheCore() {
        Blocker blocker = Blocker.in(groups, "a", 1);
        assertThat(site.post("/api/shared/limit", Site.change("a", "0")).body())
                .isEqualTo("max must be at least 1, but is 0\n");
        groups.setGlobalMaxInFlight(5);
        Answer answer = site.post("/api/shared/limit", Site.change("a", "6"));
        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.body()).isEqualTo("max must be at most the global limit of 5, but is 6\n");
        assertThat(site.post("/api/shared/pause", order("true")).status()).isEqualTo(400);
        assertThat(groups.liveSharedLimits()).isEmpty();
        blocker.release();
    }

    @Test
    void raisedLimitStartsQueuedTasks() {
        Blocker blocker = Blocker.in(groups, "a", 6);
        assertThat(stats().activeCount()).isEqualTo(4);
        site.post("/api/group/limit", Site.change("a", "6"));
        ConsoleKit.eventually(() -> assertThat(stats().activeCount()).isEqualTo(6));
        blocker.release();
    }

    /** A limit that cannot be reached would look as if it had been set. */
    @Test
    void limitAboveAnotherLimitIsRefused() {
        groups.setGlobalMaxInFlight(10);
        Blocker blocker = Blocker.in(groups, "a", 1);
        assertThat(site.post("/api/group/limit", Site.change("a", "11")).body())
                .isEqualTo("maxConcurrency must be at most the global limit of 10, but is 11\n");
        groups.setMaxInFlight("a", 6);
        Answer answer = site.post("/api/group/limit", Site.change("a", "7"));
        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.body())
                .isEqualTo("maxConcurrency must be at most the in-flight limit of the group, 6, but is 7\n");
        assertThat(site.post("/api/group/limit", Site.change("a", "6")).status())
                .isEqualTo(200);
        blocker.release();
    }

    @Test
    void messageOfTheCoreIsPassedOn() {
        assertThat(site.post("/api/pool/min-workers", order("5")).body())
                .contains("minWorkers")
                .contains("5")
                .contains("4");
        assertThat(site.post("/api/pool/queue", order("-1")).body())
                .isEqualTo("queueCapacity must be at least 0, but is -1\n");
        assertThat(site.post("/api/isolation/limit", order("0")).body())
                .isEqualTo("maxConcurrency must be at least 1, but is 0\n");
    }

    @Test
    void groupThatIsForgottenButHasSettingsCanBeChanged() {
        groups.setMaxConcurrency("idle", 9);
        change(
                "/api/group/weight",
                Site.change("idle", "2"),
                "weight of group 'idle' of 'orders'",
                "that of the policy",
                "2");
        change("/api/group/limit", Site.change("idle", "8"), "limit of group 'idle' of 'orders'", "9", "8");
        assertThat(groups.liveSettings().get("idle").getMaxConcurrency()).isEqualTo(8);
        change(
                "/api/group/reset",
                Site.change("idle", "null"),
                "settings of group 'idle' of 'orders'",
                "max concurrency 8, weight 2",
                "those of the policy");
        assertThat(site.post("/api/group/limit", Site.change("idle", "8")).status())
                .isEqualTo(404);
    }

    @Test
    void changesOfManyUsersAtOnceAreRecordedInTheOrderInWhichTheyWereMade() throws InterruptedException {
        groups.setMaxConcurrency("a", 1);
        List<Thread> users = new ArrayList<>();
        for (int user = 0; user < 4; user++) {
            int first = 2 + 10 * user;
            users.add(Thread.ofPlatform().start(() -> {
                for (int i = 0; i < 10; i++) {
                    site.post("/api/group/limit", Site.change("a", "" + (first + i)));
                }
            }));
        }
        for (Thread user : users) {
            user.join();
        }
        JsonNode changes = site.view("tab=changes").get("changes");
        assertThat(changes).hasSize(40);
        for (int i = 0; i + 1 < changes.size(); i++) {
            assertThat(changes.get(i).get("from")).isEqualTo(changes.get(i + 1).get("to"));
        }
        assertThat(changes.get(0).get("to").asText())
                .isEqualTo("" + groups.liveSettings().get("a").getMaxConcurrency());
    }
}
