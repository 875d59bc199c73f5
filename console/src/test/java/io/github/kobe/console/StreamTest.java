package io.github.kobe.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.github.kobe.GroupExecutor;
import io.github.kobe.console.ConsoleKit.Blocker;
import io.github.kobe.console.RawClient.Answer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How are snapshots streamed, and to how many clients? */
@Timeout(120)
class StreamTest {

    private final GroupExecutor executor =
            ConsoleKit.executor(b -> b.defaultMaxConcurrencyPerGroup(2).defaultQueueThresholdPerGroup(100));
    private final List<AutoCloseable> open = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable resource : open.reversed()) {
            resource.close();
        }
        executor.close();
    }

    private Site site(Duration every) {
        Site site = Site.of(Console.builder().add(executor).every(every).stalledAfter(Duration.ofMillis(200)));
        open.add(site);
        return site;
    }

    private RawClient stream(Site site, String query) throws IOException {
        RawClient client = site.stream(query);
        open.add(client);
        return client;
    }

    private static JsonNode event(RawClient client) throws IOException {
        return ConsoleKit.json(client.readEvent());
    }

    @Test
    void eachEventIsANewSnapshot() throws IOException {
        Site site = site(Duration.ofMillis(20));
        RawClient client = stream(site, "");
        assertThat(client.readAnswer().status()).isEqualTo(200);
        JsonNode first = event(client);
        assertThat(first.get("groups").get("rows")).isEmpty();
        Blocker blocker = Blocker.in(executor, "a", 3);
        ConsoleKit.eventually(() -> {
            JsonNode row = event(client).get("groups").get("rows").get(0);
            assertThat(row.get("running").asInt()).isEqualTo(2);
            assertThat(row.get("queued").asInt()).isEqualTo(1);
            assertThat(row.get("limit").asInt()).isEqualTo(2);
            assertThat(row.get("capacity").asInt()).isEqualTo(100);
        });
        blocker.release();
    }

    @Test
    void onlyTheRowsThatAreShownAreSent() throws IOException {
        for (int i = 0; i < 300; i++) {
            executor.submit("tenant-" + i, "t", () -> 1).join();
        }
        Site site = site(Duration.ofMillis(20));
        RawClient client = stream(site, "size=10&page=1&sort=key&search=tenant-1");
        client.readAnswer();
        JsonNode groups = event(client).get("groups");
        assertThat(groups.get("matching").asInt()).isEqualTo(111);
        assertThat(groups.get("pages").asInt()).isEqualTo(12);
        assertThat(groups.get("rows")).hasSize(10);
        assertThat(groups.get("rows").get(0).get("key").asText()).isEqualTo("tenant-108");
        JsonNode pools = ConsoleKit.json(site.get("/api/view?tab=pools").body());
        assertThat(pools.has("groups")).as("a tab that is not open is not sent").isFalse();
    }

    /** All clients read the same one, so the number of clients does not matter to the executors. */
    @Test
    void oneSnapshotServesAllClients() throws IOException {
        Site site = site(Duration.ofMillis(250));
        List<RawClient> clients = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            clients.add(stream(site, "client=c" + i));
        }
        for (RawClient client : clients) {
            client.readAnswer();
        }
        ConsoleKit.eventually(() -> {
            List<Long> times = new ArrayList<>();
            for (RawClient client : clients) {
                times.add(event(client).get("at").asLong());
            }
            assertThat(times).containsOnly(times.getFirst());
        });
    }

    @Test
    void thereAreAtMost20StreamsAndTheOthersAreToldWhenToTryAgain() throws IOException {
        Site site = site(Duration.ofMillis(50));
        List<RawClient> clients = new ArrayList<>();
        List<Integer> statuses = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            RawClient client = stream(site, "client=c" + i);
            Answer answer = client.readAnswer();
            statuses.add(answer.status());
            if (answer.status() == 200) {
                clients.add(client);
            } else {
                assertThat(answer.header("retry-after")).matches("[1-9][0-9]*");
                assertThat(answer.body()).contains("20 streams");
            }
        }
        assertThat(statuses).filteredOn(status -> status == 200).hasSize(20);
        assertThat(statuses).filteredOn(status -> status == 503).hasSize(10);
        for (RawClient client : clients) {
            assertThat(event(client).has("groups")).isTrue();
        }
        assertThat(site.view("").has("groups")).as("polling still works").isTrue();
        clients.getFirst().close();
        ConsoleKit.eventually(() ->
                assertThat(stream(site, "client=late").readAnswer().status()).isEqualTo(200));
    }

    /** A page that shows something else opens a new stream. The old one must not count until its connection is noticed to be dead. */
    @Test
    void newStreamOfAClientReplacesItsOldOne() throws IOException {
        Site site = site(Duration.ofSeconds(20));
        RawClient last = null;
        for (int i = 0; i < 100; i++) {
            last = stream(site, "client=same&search=" + i);
            assertThat(last.readAnswer().status()).isEqualTo(200);
            assertThat(site.console().handler().streamCount()).isEqualTo(1);
        }
        assertThat(event(last).has("groups")).isTrue();
        assertThat(((RawClient) open.get(1)).readsEndOfStream()).isTrue();
    }

    @Test
    void clientWithoutANameReplacesNoOther() throws IOException {
        Site site = site(Duration.ofSeconds(20));
        for (int i = 0; i < 3; i++) {
            assertThat(stream(site, "").readAnswer().status()).isEqualTo(200);
        }
        assertThat(site.console().handler().streamCount()).isEqualTo(3);
    }

    /** Clients that are connected and read nothing would keep others out for ever. */
    @Test
    void clientThatDoesNotReadIsDroppedWhenAnotherNeedsItsSlot() throws IOException {
        String longKey = "k".repeat(150);
        for (int i = 0; i < 200; i++) {
            executor.submit(longKey + i, "t", () -> 1).join();
        }
        Site site = site(Duration.ofMillis(1));
        for (int i = 0; i < Streams.MAX; i++) {
            Socket deaf = new Socket();
            open.add(deaf);
            deaf.setReceiveBufferSize(4_096);
            deaf.connect(new InetSocketAddress("127.0.0.1", site.port()));
            deaf.getOutputStream()
                    .write((site.request("GET", "/api/stream?size=200&client=deaf" + i) + "\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
        }
        ConsoleKit.eventually(
                () -> assertThat(site.console().handler().streamCount()).isEqualTo(Streams.MAX));
        ConsoleKit.eventually(() ->
                assertThat(stream(site, "client=late").readAnswer().status()).isEqualTo(200));
    }

    @Test
    void streamsEndWhenTheConsoleIsClosed() throws IOException {
        Site site = site(Duration.ofSeconds(20));
        RawClient client = stream(site, "");
        client.readAnswer();
        event(client);
        site.close();
        assertThat(client.readsEndOfStream()).isTrue();
        ConsoleKit.eventually(
                () -> assertThat(site.console().handler().streamCount()).isZero());
    }
}
