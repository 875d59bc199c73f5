package io.github.kobe.console;

import static io.github.kobe.console.Browser.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.SharedLimit;
import io.github.kobe.SharedLimitStats;
import io.github.kobe.console.ConsoleKit.Blocker;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.Keys;

/** Does the page show shared limits, and does each of its controls change them? */
@NeedsBrowser
class SharedPageTest {

    private final Browser browser;
    private final GroupExecutor executor = ConsoleKit.executor(b -> b.defaultMaxConcurrencyPerGroup(9)
            .sharedLimit(SharedLimit.by("tenant", key -> key.split("/", 2)[0]).max(2))
            .sharedLimit(SharedLimit.by("endpoint", key -> key.split("/", 2)[1])));

    SharedPageTest(Browser browser) {
        this.browser = browser;
    }

    @AfterEach
    void close() {
        executor.close();
    }

    private Site open(boolean editable) {
        Site site = Site.of(Console.builder().add(executor).editable(editable).every(Browser.EVERY));
        browser.open(site);
        eventually(() -> assertThat(browser.isShown("[data-tab=shared]")).isTrue());
        browser.click("[data-tab=shared]");
        return site;
    }

    private static String row(String value, String rest) {
        return "[data-shared='0." + Site.sharedId("tenant", value) + "'] " + rest;
    }

    private SharedLimitStats tenant(String value) {
        return executor.sharedLimitStats("tenant", value).orElseThrow();
    }

    @Test
    void valuesAreShownWithTheirNumbersAndThoseThatGroupsWaitForComeFirst() {
        Blocker idle = Blocker.in(executor, "globex/x", 1);
        Blocker busy = Blocker.in(executor, "acme/x", 2);
        Blocker waits = Blocker.in(executor, "acme/y", 1);
        try (Site site = open(false)) {
            eventually(() -> {
                assertThat(browser.text("[data-tab=shared]")).isEqualTo("Shared limits4");
                assertThat(browser.texts("#shared-rows tr td:first-child"))
                        .containsExactly("tenant", "tenant", "endpoint", "endpoint");
                assertThat(browser.texts("#shared-rows .key")).containsExactly("acme", "globex", "x", "y");
                assertThat(browser.text(row("acme", "td:nth-child(3)"))).isEqualTo("2 / 2");
                assertThat(browser.text(row("acme", "td:nth-child(4)"))).isEqualTo("1");
                assertThat(browser.text(row("acme", "td:nth-child(5)"))).isEqualTo("2");
                assertThat(browser.text("#shared-range")).isEqualTo("4 values");
            });
            assertThat(browser.isShown(row("acme", "form"))).as("read-only").isFalse();
            assertThat(browser.isShown(row("acme", ".pause"))).as("read-only").isFalse();
            assertThat(browser.isShown("#shared-change")).as("read-only").isFalse();
            browser.leave();
            assertThat(site).isNotNull();
        }
        idle.release();
        busy.release();
        waits.release();
    }

    @Test
    void theGroupsThatWaitAreNamedAndOpenTheirDetail() {
        Blocker busy = Blocker.in(executor, "acme/x", 2);
        Blocker waits = Blocker.in(executor, "acme/y", 1);
        try (Site site = open(false)) {
            eventually(() -> assertThat(browser.isShown(row("acme", ".key"))).isTrue());
            browser.click(row("acme", ".key"));
            eventually(() -> {
                assertThat(browser.text("#shared-detail-title")).isEqualTo("tenant 'acme'");
                assertThat(browser.text("#shared-detail .verdict")).isEqualTo("2 of 2 in use. 1 group waits here:");
                assertThat(browser.texts("#shared-waiting li")).containsExactly("acme/y");
            });
            browser.press(Keys.ESCAPE);
            eventually(() -> assertThat(browser.isShown("#shared-detail")).isFalse());
            browser.click(row("acme", ".key"));
            eventually(() -> assertThat(browser.texts("#shared-waiting li")).containsExactly("acme/y"));
            browser.click("#shared-waiting button");
            eventually(() -> {
                assertThat(browser.text("#detail-title")).isEqualTo("acme/y");
                assertThat(browser.text("#detail .verdict"))
                        .startsWith("Waits for the shared limit tenant 'acme': 2 of 2 in use. 1 task queued");
                assertThat(browser.text("#detail [data-part=shared] tbody"))
                        .contains("tenant 'acme'", "2 / 2", "1 group waits");
            });
            browser.leave();
            assertThat(site).isNotNull();
        }
        busy.release();
        waits.release();
    }

    @Test
    void aLimitIsSetAndItsBadgeResetsIt() {
        Blocker busy = Blocker.in(executor, "acme/x", 3);
        try (Site site = open(true)) {
            eventually(() -> assertThat(browser.isShown(row("acme", "form"))).isTrue());
            assertThat(browser.isShown(row("acme", ".badge.changed"))).isFalse();
            browser.type(row("acme", "form input"), "3").click(row("acme", "form button"));
            eventually(() -> {
                assertThat(tenant("acme").activeCount()).isEqualTo(3);
                assertThat(browser.text(row("acme", "td:nth-child(3)"))).isEqualTo("3 / 3");
                assertThat(browser.text(row("acme", ".badge.changed"))).startsWith("changed by hand");
                assertThat(browser.text("#announce"))
                        .contains("limit of shared limit tenant 'acme' of 'orders' from 2 to 3");
            });
            browser.type(row("acme", "form input"), "0").click(row("acme", "form button"));
            eventually(() ->
                    assertThat(browser.text(row("acme", "form output"))).isEqualTo("max must be at least 1, but is 0"));
            browser.click(row("acme", ".reset"));
            eventually(() -> {
                assertThat(executor.liveSharedLimits()).isEmpty();
                assertThat(browser.isShown(row("acme", ".badge.changed"))).isFalse();
                assertThat(browser.text(row("acme", "td:nth-child(3)"))).isEqualTo("3 / 2");
            });
            browser.click("[data-tab=changes]");
            eventually(() -> assertThat(browser.texts("#change-rows tr td:nth-child(3)"))
                    .containsExactly(
                            "settings of shared limit tenant 'acme' of 'orders'",
                            "limit of shared limit tenant 'acme' of 'orders'"));
            browser.expectProblems().leave(); // the browser notes the status 400
            assertThat(site).isNotNull();
        }
        busy.release();
    }

    @Test
    void aValueIsPausedAndResumed() {
        Blocker running = Blocker.in(executor, "acme/x", 1);
        try (Site site = open(true)) {
            eventually(() -> assertThat(browser.text(row("acme", ".pause"))).isEqualTo("Pause"));
            browser.click(row("acme", ".pause"));
            eventually(() -> {
                assertThat(tenant("acme").paused()).isTrue();
                assertThat(browser.text(row("acme", ".badge.paused"))).isEqualTo("paused");
                assertThat(browser.text(row("acme", ".pause"))).isEqualTo("Resume");
            });
            browser.click(row("acme", ".key"));
            eventually(() -> assertThat(browser.text("#shared-detail .verdict"))
                    .isEqualTo("Paused: no task of its groups starts. 1 of 2 in use."));
            browser.click("#shared-close").click(row("acme", ".pause"));
            eventually(() -> {
                assertThat(tenant("acme").paused()).isFalse();
                assertThat(browser.isShown(row("acme", ".badge.paused"))).isFalse();
                assertThat(browser.isShown("#shared-detail")).isFalse();
            });
            browser.leave();
            assertThat(site).isNotNull();
        }
        running.release();
    }

    @Test
    void aSearchFindsValuesAndMarkupInAValueIsText() throws InterruptedException {
        executor.acquire("<img src=x onerror=alert(1)>/x").close();
        executor.acquire("acme/x").close();
        try (Site site = open(false)) {
            eventually(() -> assertThat(browser.texts("#shared-rows .key")).hasSize(3));
            browser.type("#shared-search", "onerror");
            eventually(() ->
                    assertThat(browser.texts("#shared-rows .key")).containsExactly("<img src=x onerror=alert(1)>"));
            assertThat(browser.all("#shared-rows img")).isEmpty();
            browser.type("#shared-search", "nothing like it");
            eventually(() -> assertThat(browser.text("#shared-empty"))
                    .isEqualTo("No shared limit has this in its name or value."));
            browser.leave();
            assertThat(site).isNotNull();
        }
    }
}
