package io.github.kobe.console;

import static io.github.kobe.console.Browser.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.RejectionPolicy;
import io.github.kobe.console.ConsoleKit.Blocker;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Does the page show the groups, and the part of them that the reader asks for? */
@NeedsBrowser
class GroupsPageTest {

    private final GroupExecutor orders = ConsoleKit.executor(b -> b.defaultMaxConcurrencyPerGroup(2)
            .globalMaxInFlight(20)
            .defaultQueueThresholdPerGroup(10)
            .rejectionPolicy(RejectionPolicy.DISCARD));
    private final GroupExecutor mails = ConsoleKit.executor(b -> b.name("mails"));
    private final Site site = Site.of(Console.builder()
            .title("shop")
            .add(orders)
            .add(mails)
            .editable(true)
            .every(Browser.EVERY));
    private final Browser browser;
    private final Blocker blocker;

    GroupsPageTest(Browser browser) {
        this.browser = browser;
        this.blocker = Blocker.in(orders, "busy", 6);
    }

    @BeforeEach
    void groups() {
        for (int i = 0; i < 120; i++) {
            orders.submit("tenant-" + i, "t", () -> 1).join();
        }
        mails.submit("newsletter", "t", () -> 1).join();
        browser.open(site);
    }

    @AfterEach
    void close() {
        browser.leave();
        blocker.release();
        site.close();
        orders.close();
        mails.close();
    }

    private List<String> keys() {
        return browser.texts("#group-rows .key");
    }

    @Test
    void totalsAndRowsShowTheStatistics() {
        eventually(() -> {
            assertThat(browser.text("h1")).isEqualTo("shop");
            assertThat(browser.text("[data-stat=running] .value")).isEqualTo("2");
            assertThat(browser.text("[data-stat=queued] .value")).isEqualTo("4");
            assertThat(browser.text("[data-stat=groups] .value")).isEqualTo("122");
            assertThat(browser.text("[data-tab=groups]")).isEqualTo("Groups122");
            assertThat(keys().getFirst()).as("the oldest wait is first").isEqualTo("busy");
            assertThat(browser.texts("#group-rows tr:first-child td")).satisfies(cells -> {
                assertThat(cells.get(0)).startsWith("busy").contains("orders");
                assertThat(cells.get(1)).isEqualTo("2 / 2");
                assertThat(cells.get(2)).isEqualTo("4 / 10");
                assertThat(cells.get(3)).matches(".* (ms|s)");
            });
        });
        assertThat(browser.script("return document.querySelector('#group-rows .bar i').getBoundingClientRect().width"
                        + " / document.querySelector('#group-rows .bar').getBoundingClientRect().width"))
                .asString()
                .startsWith("1");
    }

    @Test
    void rowsChangeWithTheGroups() {
        eventually(() -> assertThat(browser.text("#group-rows tr:first-child td:nth-child(3)"))
                .isEqualTo("4 / 10"));
        Blocker more = Blocker.in(orders, "busy", 3);
        eventually(() -> assertThat(browser.text("#group-rows tr:first-child td:nth-child(3)"))
                .isEqualTo("7 / 10"));
        more.release();
    }

    @Test
    void sparklineGrowsWithTheSnapshots() {
        eventually(() -> assertThat(browser.attribute("#group-rows tr:first-child path.run", "d"))
                .matches("(M[^M]+Z)+"));
        String first = browser.attribute("#totals path.wait", "d");
        eventually(() -> assertThat(browser.attribute("#totals path.wait", "d")).isNotEqualTo(first));
    }

    @Test
    void searchIsDoneByTheServer() {
        browser.type("#search", "TENANT-11");
        eventually(() -> assertThat(keys()).hasSize(11).allMatch(key -> key.startsWith("tenant-11")));
        assertThat(browser.text("#range")).isEqualTo("1–11 of 11");
        browser.type("#search", "no such group");
        eventually(() -> assertThat(browser.text("#empty")).isEqualTo("No group has this in its name."));
        browser.type("#search", "");
        eventually(() -> assertThat(keys()).hasSize(50));
    }

    @Test
    void pagesCanBeTurned() {
        browser.click("th[data-sort=key]");
        eventually(() -> assertThat(browser.text("#range")).isEqualTo("1–50 of 122"));
        assertThat(browser.find("#previous").isEnabled()).isFalse();
        List<String> first = keys();
        browser.click("#next");
        eventually(() -> assertThat(browser.text("#range")).isEqualTo("51–100 of 122"));
        assertThat(keys()).hasSize(50).doesNotContainAnyElementsOf(first);
        browser.click("#next");
        eventually(() -> assertThat(keys()).hasSize(22));
        assertThat(browser.find("#next").isEnabled()).isFalse();
        browser.click("#previous").click("#previous");
        eventually(() -> assertThat(keys()).isEqualTo(first));
    }

    @Test
    void columnsCanBeSorted() {
        browser.click("th[data-sort=key] button");
        eventually(() -> assertThat(keys()).isSorted().startsWith("busy", "newsletter", "tenant-0"));
        assertThat(browser.attribute("th[data-sort=key]", "aria-sort")).isEqualTo("ascending");
        browser.click("th[data-sort=running] button");
        eventually(() -> assertThat(browser.attribute("th[data-sort=running]", "aria-sort"))
                .isEqualTo("descending"));
        eventually(() -> assertThat(keys()).startsWith("busy"));
        browser.click("th[data-sort=queued] button");
        eventually(() -> assertThat(browser.value("#sort")).isEqualTo("queued"));
        browser.click("th[data-sort=wait] button");
        eventually(() -> assertThat(browser.all("th[aria-sort]")).hasSize(1));
    }

    @Test
    void filtersShowPartsOfTheGroups() {
        orders.pauseGroup("tenant-7");
        orders.setMaxConcurrency("not used yet", 3);
        browser.click("[data-filter=waiting]");
        eventually(() -> assertThat(keys()).containsExactly("busy"));
        assertThat(browser.attribute("[data-filter=waiting]", "aria-pressed")).isEqualTo("true");
        browser.click("[data-filter=paused]");
        eventually(() -> assertThat(keys()).containsExactly("tenant-7"));
        browser.click("[data-filter=changed]");
        eventually(() -> assertThat(keys()).containsExactlyInAnyOrder("tenant-7", "not used yet"));
        browser.click("[data-filter=all]");
        eventually(() -> assertThat(keys()).hasSize(50));
    }

    @Test
    void oneExecutorCanBeChosen() {
        eventually(() -> assertThat(browser.isShown("#executor")).isTrue());
        browser.script(
                "const s = document.getElementById('executor'); s.value = '1'; s.dispatchEvent(new Event('change'))");
        eventually(() -> assertThat(keys()).containsExactly("newsletter"));
        eventually(() -> assertThat(browser.text("[data-stat=queued] .value")).isEqualTo("0"));
    }

    /** Nobody can point at a row that moves. */
    @Test
    void orderIsHeldWhileThePointerIsOverTheRows() {
        eventually(() -> assertThat(keys()).startsWith("busy", "newsletter"));
        browser.point("#group-rows tr:nth-child(2)");
        eventually(() -> assertThat(browser.text("#held")).isEqualTo("order held"));
        orders.pauseGroup("tenant-99");
        orders.submit("tenant-99", "waits", () -> 1);
        orders.pauseGroup("newsletter"); // a change that is seen tells that a new snapshot was shown
        mails.pauseGroup("newsletter");
        eventually(() -> assertThat(browser.isShown("#group-rows tr:nth-child(2) .badge.paused"))
                .isTrue());
        assertThat(keys()).startsWith("busy", "newsletter");
        browser.point("h1");
        eventually(() -> assertThat(keys()).startsWith("busy", "tenant-99"));
        assertThat(browser.isShown("#held")).isFalse();
    }

    @Test
    void whatIsShownIsInTheAddress() {
        browser.type("#search", "tenant-1");
        browser.click("[data-filter=all]").click("th[data-sort=key]");
        eventually(() -> assertThat(browser.address()).contains("search=tenant-1", "sort=key"));
        browser.reload();
        eventually(() -> assertThat(keys()).startsWith("tenant-1", "tenant-10"));
        assertThat(browser.value("#search")).isEqualTo("tenant-1");
    }

    @Test
    void callbackFaultsAndLimitsOfExecutorsAreShown() {
        browser.click("#executors summary");
        eventually(() -> assertThat(browser.texts("#executor-rows tr:first-child td"))
                .startsWith("orders", "121", "2 / 20", "4"));
        assertThat(browser.value("#executor-rows tr:nth-child(1) [data-setting='Global limit'] input"))
                .isEqualTo("20");
        assertThat(browser.value("#executor-rows tr:nth-child(2) [data-setting='Global limit'] input"))
                .isEmpty();
        assertThat(browser.value("#executor-rows tr:nth-child(2) [data-setting='Default limit'] input"))
                .isEqualTo("1");
    }
}
