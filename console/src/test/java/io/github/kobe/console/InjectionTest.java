package io.github.kobe.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.github.kobe.GroupExecutor;
import io.github.kobe.TaskOptions;
import io.github.kobe.console.ConsoleKit.Log;
import io.github.kobe.console.RawClient.Answer;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Can a key, which others choose, do harm in an answer, in a stream or in the log? */
@Timeout(60)
class InjectionTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<img src=x onerror=alert(1)>",
                "</script><script>alert(1)</script>",
                "\"},{\"key\":\"fake\"",
                "a\n\ndata: {\"fake\":1}\n\n",
                "a\r\nWARNING console: fake",
                "\u2028\u2029\u0000\ud800",
                "' OR 1=1 --",
                "../../etc/passwd"
            })
    void keyIsTextAndNothingElse(String key) throws IOException {
        CountDownLatch released = new CountDownLatch(1);
        try (GroupExecutor executor = ConsoleKit.executor(b -> b);
                Site site = Site.of(Console.builder().add(executor).editable(true));
                Log log = new Log()) {
            executor.submit(
                    key,
                    key,
                    () -> released.await(1, TimeUnit.MINUTES),
                    TaskOptions.builder().tag(key).build());
            ConsoleKit.eventually(() -> assertThat(executor.runningTasks(key)).hasSize(1));
            Answer raw = site.get("/api/view?detail=0." + Site.id(key));
            assertThat(raw.body()).matches("\\p{ASCII}+").doesNotContain("<", "\n", "\r");
            JsonNode groups = ConsoleKit.json(raw.body()).get("groups");
            assertThat(groups.get("rows")).hasSize(1);
            assertThat(groups.get("rows").get(0).get("key").asText()).isEqualTo(key);
            assertThat(groups.get("detail").get("key").asText()).isEqualTo(key);
            assertThat(groups.get("detail").get("tasks").get(0).get("tag").asText())
                    .isEqualTo(key);
            try (RawClient stream = site.stream("")) {
                stream.readAnswer();
                JsonNode event = ConsoleKit.json(stream.readEvent());
                assertThat(event.get("groups").get("rows").get(0).get("key").asText())
                        .isEqualTo(key);
            }
            assertThat(site.post("/api/group/limit", Site.change(key, "3")).status())
                    .isEqualTo(200);
            assertThat(executor.groupStats(key).orElseThrow().limit()).isEqualTo(3);
            assertThat(log.lines()).singleElement().satisfies(line -> {
                assertThat(line).doesNotContain("\n", "\r", "\u2028", "\u2029", "\u0000");
                assertThat(line).startsWith("INFO console: token at 127.0.0.1 changed limit of group '");
            });
            released.countDown();
        }
    }

    @Test
    void longKeyIsShownInPartAndCanBeChanged() {
        String key = "k".repeat(100_000);
        CountDownLatch released = new CountDownLatch(1);
        try (GroupExecutor executor = ConsoleKit.executor(b -> b);
                Site site = Site.of(Console.builder().add(executor).editable(true));
                Log log = new Log()) {
            executor.submit(key, "t", () -> released.await(1, TimeUnit.MINUTES));
            Answer raw = site.get("/api/view?detail=0." + Site.id(key));
            assertThat(raw.body()).hasSizeLessThan(6_000);
            JsonNode detail = ConsoleKit.json(raw.body()).get("groups").get("detail");
            assertThat(detail.get("key").asText()).isEqualTo("k".repeat(200) + "…");
            assertThat(detail.get("length").asInt()).isEqualTo(100_000);
            assertThat(site.post("/api/group/pause", Site.change(key, "true")).status())
                    .isEqualTo(200);
            assertThat(executor.groupStats(key).orElseThrow().paused()).isTrue();
            assertThat(log.lines()).allMatch(line -> line.length() < 300);
            released.countDown();
        }
    }

    @Test
    void manyTagsAndTasksAreCut() {
        CountDownLatch released = new CountDownLatch(1);
        try (GroupExecutor executor = ConsoleKit.executor(b -> b.defaultMaxConcurrencyPerGroup(100));
                Site site = Site.of(Console.builder().add(executor))) {
            for (int i = 0; i < 80; i++) {
                executor.submit(
                                "a",
                                "t",
                                () -> 1,
                                TaskOptions.builder().tag("tag" + i).build())
                        .join();
                executor.submit("a", "t" + i, () -> released.await(1, TimeUnit.MINUTES));
            }
            ConsoleKit.eventually(() -> {
                JsonNode detail =
                        site.view("detail=0." + Site.id("a")).get("groups").get("detail");
                assertThat(detail.get("tags")).hasSize(50);
                assertThat(detail.get("tagCount").asInt()).isGreaterThan(60);
                assertThat(detail.get("tasks")).hasSize(20);
            });
            released.countDown();
        }
    }

    /** The answer to a wrong parameter must not repeat it. */
    @Test
    void whatWasSentIsNotRepeated() {
        try (GroupExecutor executor = ConsoleKit.executor(b -> b);
                Site site = Site.of(Console.builder().add(executor).editable(true))) {
            for (String query : List.of("tab=<b>", "sort=<b>", "filter=<b>", "detail=<b>", "page=<b>", "size=<b>")) {
                Answer answer =
                        site.get("/api/view?" + query.replace("<", "%3C").replace(">", "%3E"));
                assertThat(answer.status()).isEqualTo(400);
                assertThat(answer.body()).doesNotContain("<b>");
                assertThat(answer.header("content-type")).isEqualTo("text/plain; charset=utf-8");
            }
        }
    }
}
