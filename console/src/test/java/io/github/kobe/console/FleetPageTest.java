package io.github.kobe.console;

import static io.github.kobe.console.Browser.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.SharedLimit;
import io.github.kobe.isolation.IsolationExecutor;
import io.github.kobe.isolation.IsolationPolicy;
import io.github.kobe.pool.WorkerPool;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Does the page show a fleet, and does each of its controls change the fleet? */
@NeedsBrowser
class FleetPageTest {

    private final Browser browser;

    FleetPageTest(Browser browser) {
        this.browser = browser;
    }

    private static Site site(TwoNodes nodes, boolean editable) {
        return Site.of(Console.builder().add(nodes.first).editable(editable).every(Browser.EVERY));
    }

    private static String row(String group, String rest) {
        return "#view-fleet [data-group='" + Site.id(group) + "'] " + rest;
    }

    private void set(String form, String value) {
        browser.type(form + " input", value).click(form + " button");
    }

    @Test
    void nodesHoldersWantsAndSessionsAreShown() {
        try (TwoNodes nodes = new TwoNodes(4);
                Site site = site(nodes, false)) {
            nodes.submit(nodes.firstExecutor, "acme", 6);
            eventually(() -> assertThat(nodes.first.stats().used()).isEqualTo(4));
            nodes.submit(nodes.secondExecutor, "acme", 2);
            browser.open(site);
            eventually(() -> {
                assertThat(browser.texts("[data-tab]")).containsExactly("Fleet1", "Changes0");
                assertThat(browser.text("#view-fleet h2")).isEqualTo("shop");
                assertThat(browser.text("#view-fleet .node")).isEqualTo("this is node-1");
                assertThat(browser.text("#view-fleet .meters"))
                        .contains("Held here\n4", "In use here\n4", "Debt here\n0");
                assertThat(browser.texts("[data-part=nodes] tbody td:first-child"))
                        .containsExactly("node-1", "node-2");
                assertThat(browser.texts("[data-part=nodes] tbody td:nth-child(3)"))
                        .containsExactly("4", "0");
                assertThat(browser.text("[data-part=sessions] tbody")).contains("orders", "member");
                assertThat(browser.text(row("acme", ".key"))).isEqualTo("acme");
                assertThat(browser.text(row("acme", "td:nth-child(2)"))).isEqualTo("4 / 4");
                assertThat(browser.text(row("acme", "td:nth-child(3)")))
                        .as("wanted")
                        .isEqualTo("6");
                assertThat(browser.text(row("acme", ".holders"))).isEqualTo("node-1 4; node-2 0 of 2");
            });
            assertThat(browser.isShown(row("acme", ".change button")))
                    .as("read-only")
                    .isFalse();
            assertThat(browser.isShown("[data-part=total] form"))
                    .as("read-only")
                    .isFalse();
            browser.leave();
        }
    }

    @Test
    void aLimitThatIsSetHereHoldsOnOtherNodesAndALoweredOneLeavesDebt() {
        try (TwoNodes nodes = new TwoNodes(4);
                Site site = site(nodes, true)) {
            nodes.submit(nodes.firstExecutor, "acme", 4);
            nodes.submit(nodes.secondExecutor, "acme", 4);
            eventually(() -> assertThat(
                            nodes.first.stats().used() + nodes.second.stats().used())
                    .isEqualTo(4));
            browser.open(site);
            eventually(() -> assertThat(browser.isShown(row("acme", "form"))).isTrue());
            set(row("acme", "form"), "7");
            eventually(() -> {
                assertThat(nodes.first.stats().used() + nodes.second.stats().used())
                        .isEqualTo(7);
                assertThat(browser.text(row("acme", "td:nth-child(2)"))).isEqualTo("7 / 7");
                assertThat(browser.text("#announce")).contains("limit of group 'acme' of fleet 'shop' from 4 to 7");
            });
            set(row("acme", "form"), "0");
            eventually(
                    () -> assertThat(browser.text(row("acme", "form output"))).contains("at least 1"));
            set(row("acme", "form"), "2");
            eventually(() -> {
                assertThat(browser.text(row("acme", "td:nth-child(4)")))
                        .as("debt")
                        .isEqualTo("5");
                assertThat(nodes.second.groupStats("acme").orElseThrow().limit())
                        .isEqualTo(2);
            });
            browser.expectProblems().leave(); // the browser notes the status 400
        }
    }

    @Test
    void aGroupIsPausedAndResumedAndResetInTheWholeFleet() {
        try (TwoNodes nodes = new TwoNodes(4);
                Site site = site(nodes, true)) {
            nodes.submit(nodes.firstExecutor, "acme", 1);
            nodes.submit(nodes.secondExecutor, "acme", 1);
            browser.open(site);
            eventually(() -> assertThat(browser.text(row("acme", ".pause"))).isEqualTo("Pause"));
            browser.click(row("acme", ".pause"));
            eventually(() -> {
                assertThat(browser.text(row("acme", ".badge.paused"))).isEqualTo("paused");
                assertThat(browser.text(row("acme", ".pause"))).isEqualTo("Resume");
                assertThat(nodes.second.groupStats("acme").orElseThrow().paused())
                        .isTrue();
            });
            browser.click(row("acme", ".pause"));
            eventually(() -> {
                assertThat(browser.isShown(row("acme", ".badge.paused"))).isFalse();
                assertThat(nodes.second.groupStats("acme").orElseThrow().paused())
                        .isFalse();
            });
            set(row("acme", "form"), "9");
            eventually(() ->
                    assertThat(browser.text(row("acme", "td:nth-child(2)"))).endsWith("/ 9"));
            browser.click(row("acme", ".reset"));
            eventually(() -> {
                assertThat(browser.text(row("acme", "td:nth-child(2)"))).endsWith("/ 4");
                assertThat(nodes.second.groupStats("acme").orElseThrow().limit())
                        .isEqualTo(4);
            });
            browser.click("[data-tab=changes]");
            eventually(() -> assertThat(browser.texts("#change-rows tr td:nth-child(3)"))
                    .containsExactly(
                            "settings of group 'acme' of fleet 'shop'",
                            "limit of group 'acme' of fleet 'shop'",
                            "state of group 'acme' of fleet 'shop'",
                            "state of group 'acme' of fleet 'shop'"));
            browser.leave();
        }
    }

    @Test
    void theTotalLimitIsChanged() {
        try (TwoNodes nodes = new TwoNodes(4);
                Site site = site(nodes, true)) {
            nodes.submit(nodes.firstExecutor, "acme", 3);
            browser.open(site);
            eventually(
                    () -> assertThat(browser.text("[data-part=total] .meter")).isEqualTo("3 / 100"));
            set("[data-part=total] form", "50");
            eventually(
                    () -> assertThat(browser.text("[data-part=total] .meter")).isEqualTo("3 / 50"));
            browser.leave();
        }
    }

    @Test
    void groupsAreSearchedAndTheirKeysAreText() {
        try (TwoNodes nodes = new TwoNodes(4);
                Site site = site(nodes, true)) {
            String evil = "<img src=x onerror=document.title='hacked'>";
            nodes.submit(nodes.firstExecutor, "acme", 1);
            nodes.submit(nodes.firstExecutor, "globex", 1);
            nodes.submit(nodes.firstExecutor, evil, 1);
            browser.open(site);
            eventually(() ->
                    assertThat(browser.texts("#view-fleet .key")).containsExactlyInAnyOrder("acme", "globex", evil));
            browser.press("/").press("GLOB");
            eventually(() -> {
                assertThat(browser.texts("#view-fleet .key")).containsExactly("globex");
                assertThat(browser.text("#view-fleet .range")).isEqualTo("1 group");
            });
            assertThat(browser.script("return document.title")).isEqualTo("group-concurrency");
            browser.leave();
        }
    }

    @Test
    void withoutTheStoreThePageSaysSoAndShowsThisNode() {
        try (TwoNodes nodes = new TwoNodes(4);
                Site site = site(nodes, true)) {
            nodes.submit(nodes.firstExecutor, "acme", 2);
            browser.open(site);
            eventually(() ->
                    assertThat(browser.text(row("acme", "td:nth-child(2)"))).isEqualTo("2 / 4"));
            assertThat(browser.isShown("#view-fleet .problem")).isFalse();
            nodes.cutOff();
            eventually(() -> {
                assertThat(browser.text("#view-fleet .problem")).contains("The store does not answer");
                assertThat(browser.isShown("[data-part=nodes]")).isFalse();
                assertThat(browser.text(row("acme", "td:nth-child(2)"))).isEqualTo("2 / 4");
            });
            browser.leave();
        }
    }

    @Test
    void aGroupThatWaitsForTheFleetSaysSo() {
        try (TwoNodes nodes = new TwoNodes(2);
                Site site = Site.of(Console.builder()
                        .add(nodes.firstExecutor)
                        .add(nodes.first)
                        .every(Browser.EVERY))) {
            nodes.submit(nodes.secondExecutor, "acme", 2);
            eventually(() -> assertThat(nodes.second.stats().used()).isEqualTo(2));
            nodes.submit(nodes.firstExecutor, "acme", 1);
            browser.open(site).click("[data-id='0." + Site.id("acme") + "']");
            eventually(() -> assertThat(browser.text(".verdict"))
                    .startsWith("Waits for the fleet 'shop': this JVM holds 0 of 2 permits. 1 task queued"));
            browser.press("2");
            eventually(() -> assertThat(browser.isShown("#view-fleet h2")).isTrue());
            browser.leave();
        }
    }

    private static final SharedLimit TENANT =
            SharedLimit.by("tenant", key -> key.split("/", 2)[0]).max(3).acrossFleet();

    @Test
    void sharedLimitsOfTheFleetAreShownWithTheirHolders() {
        try (TwoNodes nodes = new TwoNodes(4, TENANT);
                Site site = site(nodes, false)) {
            nodes.submit(nodes.firstExecutor, "acme/a", 2);
            nodes.submit(nodes.firstExecutor, "acme/b", 2);
            eventually(() -> assertThat(nodes.first.stats().used()).isGreaterThanOrEqualTo(3));
            nodes.submit(nodes.secondExecutor, "acme/c", 2);
            browser.open(site);
            String acme = "#view-fleet [data-shared='" + Site.sharedId("tenant", "acme") + "'] ";
            eventually(() -> {
                assertThat(browser.texts(acme + "td")).startsWith("tenant", "acme", "3 / 3");
                assertThat(browser.text(acme + "td:nth-child(6)"))
                        .as("held here")
                        .isEqualTo("3");
                assertThat(browser.text(acme + "td:nth-child(7)"))
                        .as("in use here")
                        .isEqualTo("3");
                assertThat(browser.text(acme + ".holders")).startsWith("node-1 3; node-2 0 of ");
                assertThat(browser.isShown("#view-fleet .range-shared")).isFalse();
            });
            nodes.first.control().pauseSharedLimit("tenant", "acme").join();
            eventually(() -> assertThat(browser.text(acme + ".badge.paused")).isEqualTo("paused"));
            nodes.cutOff();
            eventually(() -> {
                assertThat(browser.text("#view-fleet .problem")).contains("The store does not answer");
                assertThat(browser.text(acme + ".holders")).as("not known").isEqualTo("–");
                assertThat(browser.text(acme + "td:nth-child(7)")).isEqualTo("3");
            });
            browser.leave();
        }
    }

    @Test
    void withoutSharedLimitsThereIsNoTableOfThem() {
        try (TwoNodes nodes = new TwoNodes(4);
                Site site = site(nodes, false)) {
            nodes.submit(nodes.firstExecutor, "acme", 1);
            browser.open(site);
            eventually(() -> assertThat(browser.isShown(row("acme", ".key"))).isTrue());
            assertThat(browser.isShown("#view-fleet [data-part=shared]")).isFalse();
            browser.leave();
        }
    }

    @Test
    void aGroupThatWaitsForLeasedPermitsOfASharedLimitSaysSo() {
        try (TwoNodes nodes = new TwoNodes(4, TENANT);
                Site site = Site.of(Console.builder()
                        .add(nodes.firstExecutor)
                        .add(nodes.first)
                        .every(Browser.EVERY))) {
            nodes.submit(nodes.secondExecutor, "acme/a", 3);
            eventually(() -> assertThat(nodes.secondExecutor
                            .sharedLimitStats("tenant", "acme")
                            .orElseThrow()
                            .activeCount())
                    .isEqualTo(3));
            nodes.submit(nodes.firstExecutor, "acme/b", 1);
            browser.open(site).click("[data-id='0." + Site.id("acme/b") + "']");
            eventually(
                    () -> assertThat(browser.text(".verdict"))
                            .startsWith(
                                    "Waits for permits of the shared limit tenant 'acme' from the fleet: this JVM holds 0 of 3. 1 task queued"));
            browser.leave();
        }
    }

    @ParameterizedTest
    @CsvSource({"390, 844", "1440, 900"})
    void nothingIsWiderThanTheWindowAndEveryControlHasAName(int width, int height) {
        try (TwoNodes nodes = new TwoNodes(4, TENANT);
                Site site = site(nodes, true)) {
            String longKey = "a group with quite a long name: " + "x".repeat(120);
            nodes.submit(nodes.firstExecutor, longKey, 1);
            browser.size(width, height).open(site);
            eventually(() -> assertThat(browser.isShown(row(longKey, ".pause"))).isTrue());
            assertThat(browser.script("return document.documentElement.scrollWidth <= " + width))
                    .isEqualTo(true);
            assertThat(browser.script("""
                            return [...document.querySelectorAll('button, input, select')]
                                .filter(e => e.checkVisibility())
                                .filter(e => !(e.textContent.trim() || e.getAttribute('aria-label') || e.labels?.length))
                                .map(e => e.outerHTML)
                            """)).asList().isEmpty();
            browser.leave();
        }
    }

    @Test
    void everyTabHasAKey() {
        try (TwoNodes nodes = new TwoNodes(4);
                WorkerPool pool = WorkerPool.builder().name("sums").build();
                IsolationExecutor isolation =
                        IsolationExecutor.create(IsolationPolicy.builder().build());
                Site site = Site.of(Console.builder()
                        .add(nodes.firstExecutor)
                        .add(pool)
                        .add(isolation)
                        .add(nodes.first)
                        .every(Browser.EVERY))) {
            browser.open(site);
            List<String> tabs = List.of("groups", "pools", "isolation", "fleet", "changes");
            for (int i = tabs.size(); i > 0; i--) {
                browser.press(Integer.toString(i));
                String view = "#view-" + tabs.get(i - 1);
                eventually(() -> assertThat(browser.isShown(view)).as(view).isTrue());
            }
            browser.leave();
        }
    }
}
