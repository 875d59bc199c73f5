package io.github.kobe.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.github.kobe.GroupExecutor;
import io.github.kobe.SharedLimit;
import io.github.kobe.console.ConsoleKit.Blocker;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which values of shared limits is a client sent, and in which order? */
@Timeout(60)
class SharedTableTest {

    private static GroupExecutor executor() {
        return ConsoleKit.executor(b -> b.defaultMaxConcurrencyPerGroup(9)
                .sharedLimit(
                        SharedLimit.by("tenant", key -> key.split("/", 2)[0]).max(2))
                .sharedLimit(SharedLimit.by("endpoint", key -> key.split("/", 2)[1])));
    }

    private static List<String> texts(JsonNode rows, String... names) {
        List<String> texts = new ArrayList<>();
        for (JsonNode row : rows) {
            List<String> parts = new ArrayList<>();
            for (String name : names) {
                parts.add(row.get(name).asText());
            }
            texts.add(String.join(" ", parts));
        }
        return texts;
    }

    @Test
    void valuesThatGroupsWaitForComeFirst() {
        try (GroupExecutor executor = executor();
                Site site = Site.of(Console.builder().add(executor))) {
            Blocker idle = Blocker.in(executor, "a/x", 1);
            Blocker busy = Blocker.in(executor, "b/x", 3);
            Blocker another = Blocker.in(executor, "b/y", 1);
            executor.setSharedLimit("tenant", "nobody", 5);
            executor.pauseSharedLimit("endpoint", "x");
            JsonNode shared = site.view("tab=shared").get("shared");
            assertThat(texts(
                            shared.get("rows"),
                            "name",
                            "value",
                            "running",
                            "limit",
                            "waiting",
                            "groups",
                            "paused",
                            "changed",
                            "known"))
                    .containsExactly(
                            "tenant b 2 2 2 2 false false true",
                            "tenant a 1 2 0 1 false false true",
                            "endpoint x 3 null 0 2 true true true",
                            "endpoint y 0 null 0 1 false false true",
                            "tenant nobody 0 5 0 0 false true false");
            assertThat(shared.get("known").asInt()).isEqualTo(4);
            assertThat(shared.get("matching").asInt()).isEqualTo(5);
            assertThat(shared.has("detail")).isFalse();
            idle.release();
            busy.release();
            another.release();
        }
    }

    @Test
    void onlyTheRowsThatAreShownAreSent() throws InterruptedException {
        try (GroupExecutor executor = executor();
                Site site = Site.of(Console.builder().add(executor))) {
            for (int i = 0; i < 300; i++) {
                executor.acquire("tenant-" + i + "/x").close();
            }
            JsonNode all = site.view("tab=shared&size=20").get("shared");
            assertThat(all.get("rows")).hasSize(20);
            assertThat(all.get("matching").asInt()).isEqualTo(301);
            JsonNode some = site.view("tab=shared&size=20&search=ENANT-29").get("shared");
            assertThat(some.get("matching").asInt()).isEqualTo(11);
            JsonNode byLimit = site.view("tab=shared&search=endpoint").get("shared");
            assertThat(texts(byLimit.get("rows"), "value")).containsExactly("x");
        }
    }

    @Test
    void theGroupsThatWaitForTheOpenValueAreNamed() {
        try (GroupExecutor executor = executor();
                Site site = Site.of(Console.builder().add(executor))) {
            Blocker blocker = Blocker.in(executor, "b/x", 2);
            Blocker waits = Blocker.in(executor, "b/y", 1);
            JsonNode detail = site.view("tab=shared&detail=0." + Site.sharedId("tenant", "b"))
                    .get("shared")
                    .get("detail");
            assertThat(detail.get("waitingCount").asInt()).isEqualTo(1);
            assertThat(texts(detail.get("waitingGroups"), "key", "id")).containsExactly("b/y 0." + Site.id("b/y"));
            assertThat(site.view("tab=shared&detail=0." + Site.sharedId("tenant", "gone"))
                            .get("shared")
                            .get("detail")
                            .isNull())
                    .isTrue();
            JsonNode group =
                    site.view("detail=0." + Site.id("b/y")).get("groups").get("detail");
            assertThat(texts(group.get("shared"), "name", "value", "running", "limit"))
                    .containsExactly("tenant b 2 2", "endpoint y 0 null");
            blocker.release();
            waits.release();
        }
    }

    @Test
    void anExecutorWithoutSharedLimitsHasNoTabForThem() {
        try (GroupExecutor without = ConsoleKit.executor(b -> b);
                GroupExecutor with = executor();
                Site one = Site.of(Console.builder().add(without));
                Site two = Site.of(Console.builder().add(without).add(with))) {
            assertThat(one.view("").get("tabs").get("shared").asInt()).isZero();
            assertThat(two.view("").get("tabs").get("shared").asInt()).isEqualTo(1);
        }
    }

    @Test
    void differentNamesAndValuesHaveDifferentIds() {
        assertThat(Site.sharedId("ab", "c")).isNotEqualTo(Site.sharedId("a", "bc"));
        assertThat(Site.sharedId("a", "")).isNotEqualTo(Site.sharedId("", "a"));
    }
}
