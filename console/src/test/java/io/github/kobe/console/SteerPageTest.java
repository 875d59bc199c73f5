package io.github.kobe.console;

import static io.github.kobe.console.Browser.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupStats;
import io.github.kobe.console.ConsoleKit.Blocker;
import io.github.kobe.isolation.IsolationExecutor;
import io.github.kobe.isolation.IsolationPolicy;
import io.github.kobe.pool.WorkerPool;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.Keys;

/** Does each control that changes something change it in the executor? */
@NeedsBrowser
class SteerPageTest {

    private final GroupExecutor groups = ConsoleKit.executor(b ->
            b.defaultMaxConcurrencyPerGroup(2).defaultQueueThresholdPerGroup(50).globalMaxInFlight(30));
    private final WorkerPool pool =
            WorkerPool.builder().name("sums").minWorkers(1).maxWorkers(4).build();
    private final IsolationExecutor isolation =
            IsolationExecutor.create(IsolationPolicy.builder().name("calls").build());
    private final Site site = Site.of(Console.builder()
            .add(groups)
            .add(pool)
            .add(isolation)
            .editable(true)
            .every(Browser.EVERY));
    private final Blocker blocker = Blocker.in(groups, "acme", 8);
    private final Browser browser;

    SteerPageTest(Browser browser) {
        this.browser = browser;
        browser.open(site);
    }

    @AfterEach
    void close() {
        browser.leave();
        blocker.release();
        site.close();
        groups.close();
        pool.close();
        isolation.close();
    }

    private GroupStats stats() {
        return groups.groupStats("acme").orElseThrow();
    }

    private void openGroup() {
        browser.click("#group-rows tr:first-child");
        eventually(() -> assertThat(browser.text("#detail-title")).isEqualTo("acme"));
    }

    /** Types a value into a field that has the one before, and sets it. */
    private void set(String scope, String setting, String before, String value) {
        String form = scope + " form[data-setting='" + setting + "']";
        eventually(() -> assertThat(browser.value(form + " input")).isEqualTo(before));
        browser.type(form + " input", value).click(form + " button");
    }

    private String output(String scope, String setting) {
        return browser.text(scope + " form[data-setting='" + setting + "'] output");
    }

    @Test
    void limitOfAGroup() {
        openGroup();
        eventually(
                () -> assertThat(browser.text(".verdict")).startsWith("At its limit: 2 of 2 running. 6 tasks queued"));
        set("#detail", "Limit", "2", "5");
        eventually(() -> assertThat(stats().limit()).isEqualTo(5));
        eventually(() -> assertThat(stats().activeCount()).isEqualTo(5));
        eventually(() -> {
            assertThat(output("#detail", "Limit")).isEqualTo("was 2");
            assertThat(browser.text("#announce")).isEqualTo("Changed limit of group 'acme' of 'orders' from 2 to 5.");
            assertThat(browser.text("#group-rows tr:first-child td:nth-child(2)"))
                    .isEqualTo("5 / 5");
            assertThat(browser.isShown("#group-rows tr:first-child .badge.changed"))
                    .isTrue();
        });
    }

    @Test
    void limitIsSetByTheEnterKeyToo() {
        openGroup();
        eventually(() -> assertThat(browser.value("#detail form[data-setting=Limit] input"))
                .isEqualTo("2"));
        browser.type("#detail form[data-setting=Limit] input", "4").press(Keys.ENTER);
        eventually(() -> assertThat(stats().limit()).isEqualTo(4));
    }

    @Test
    void valueThatIsBeingTypedIsNotOverwritten() {
        openGroup();
        eventually(() -> assertThat(browser.value("#detail form[data-setting=Limit] input"))
                .isEqualTo("2"));
        browser.type("#detail form[data-setting=Limit] input", "7");
        groups.setMaxConcurrency("acme", 3);
        eventually(() -> assertThat(browser.text("#group-rows tr:first-child td:nth-child(2)"))
                .isEqualTo("3 / 3"));
        assertThat(browser.value("#detail form[data-setting=Limit] input")).isEqualTo("7");
        browser.press(Keys.ESCAPE);
        eventually(() -> assertThat(browser.value("#detail form[data-setting=Limit] input"))
                .isEqualTo("3"));
        assertThat(browser.isShown("#detail"))
                .as("the first Escape belongs to the field")
                .isTrue();
    }

    @Test
    void weightAndQueueOfAGroup() {
        openGroup();
        set("#detail", "Weight", "1", "3");
        eventually(() -> assertThat(stats().weight()).isEqualTo(3));
        set("#detail", "Queue", "50", "20");
        eventually(() -> assertThat(stats().queueCapacity()).isEqualTo(20));
        set("#detail", "Queue", "20", "");
        eventually(() -> assertThat(stats().queueCapacity()).isEqualTo(Integer.MAX_VALUE));
    }

    @Test
    void groupIsPausedAndResumed() {
        openGroup();
        eventually(() -> assertThat(browser.text("#pause")).isEqualTo("Pause"));
        browser.click("#pause");
        eventually(() -> assertThat(stats().paused()).isTrue());
        eventually(() -> {
            assertThat(browser.text("#pause")).isEqualTo("Resume");
            assertThat(browser.isShown("#detail .badge.paused")).isTrue();
            assertThat(browser.isShown("#group-rows tr:first-child .badge.paused"))
                    .isTrue();
            assertThat(browser.text(".verdict")).startsWith("Paused: no task starts.");
        });
        browser.click("#pause");
        eventually(() -> assertThat(stats().paused()).isFalse());
    }

    @Test
    void changedGroupIsResetFromItsRow() {
        groups.setMaxConcurrency("acme", 4);
        eventually(() -> assertThat(browser.text("#group-rows .badge.changed")).startsWith("changed by hand"));
        browser.click("#group-rows .badge.changed button");
        eventually(() -> assertThat(groups.liveSettings()).isEmpty());
        eventually(
                () -> assertThat(browser.isShown("#group-rows .badge.changed")).isFalse());
        assertThat(browser.isShown("#detail")).as("the row is not opened").isFalse();
    }

    @Test
    void changedGroupIsResetFromItsDetail() {
        groups.setMaxConcurrency("acme", 4);
        openGroup();
        browser.click("#detail .badge.changed button");
        eventually(() -> assertThat(groups.liveSettings()).isEmpty());
    }

    /** The message of the core is shown where the value was typed. */
    @Test
    void valueThatIsRefusedIsExplained() {
        browser.expectProblems(); // the browser logs each answer other than success
        openGroup();
        set("#detail", "Limit", "2", "0");
        eventually(
                () -> assertThat(output("#detail", "Limit")).isEqualTo("maxConcurrency must be at least 1, but is 0"));
        browser.type("#detail form[data-setting=Limit] input", "31").press(Keys.ENTER);
        eventually(() -> assertThat(output("#detail", "Limit"))
                .isEqualTo("maxConcurrency must be at most the global limit of 30, but is 31"));
        browser.type("#detail form[data-setting=Limit] input", "many").press(Keys.ENTER);
        eventually(() -> assertThat(output("#detail", "Limit")).isEqualTo("value must be a whole number"));
        assertThat(stats().limit()).isEqualTo(2);
        assertThat(browser.problems()).allMatch(problem -> problem.contains("status of 400"));
    }

    @Test
    void limitsOfAnExecutor() {
        browser.click("#executors summary");
        set("#executor-rows", "Global limit", "30", "12");
        eventually(() -> assertThat(groups.stats().globalInFlightMax()).isEqualTo(12));
        set("#executor-rows", "Default limit", "2", "3");
        eventually(() -> assertThat(groups.defaultMaxConcurrency()).isEqualTo(3));
        eventually(() -> assertThat(stats().activeCount()).isEqualTo(3));
    }

    @Test
    void settingsOfAPool() {
        browser.click("[data-tab=pools]");
        set("#view-pools", "Maximum of workers", "4", "9");
        eventually(() -> assertThat(pool.stats().maxWorkers()).isEqualTo(9));
        set("#view-pools", "Minimum of workers", "1", "2");
        eventually(() -> assertThat(pool.stats().minWorkers()).isEqualTo(2));
        set("#view-pools", "Queue", "", "40");
        eventually(() -> assertThat(pool.stats().queueCapacity()).isEqualTo(40));
    }

    @Test
    void settingsOfAnIsolationExecutor() {
        browser.click("[data-tab=isolation]");
        set("#view-isolation", "Limit", "64", "16");
        eventually(() -> assertThat(isolation.stats().maxConcurrency()).isEqualTo(16));
        set("#view-isolation", "Queue", "100000", "500");
        eventually(() -> assertThat(isolation.queueCapacity()).isEqualTo(500));
    }

    @Test
    void changesAreListed() {
        openGroup();
        set("#detail", "Limit", "2", "5");
        eventually(() -> assertThat(stats().limit()).isEqualTo(5));
        eventually(() -> assertThat(browser.text("[data-tab=changes]")).isEqualTo("Changes1"));
        browser.click("[data-tab=changes]");
        eventually(() -> assertThat(browser.texts("#change-rows td").subList(1, 5))
                .containsExactly("token at 127.0.0.1", "limit of group 'acme' of 'orders'", "2", "5"));
    }

    @Test
    void readOnlyConsoleHasNoControls() {
        try (Site readOnly =
                Site.of(Console.builder().add(groups).add(pool).add(isolation).every(Browser.EVERY))) {
            groups.setWeight("acme", 2);
            browser.open(readOnly);
            eventually(() -> assertThat(browser.text("#readonly")).isEqualTo("read-only"));
            openGroup();
            eventually(() -> assertThat(browser.text(".verdict")).isNotEmpty());
            assertThat(browser.isShown("#detail form")).isFalse();
            assertThat(browser.isShown("#pause")).isFalse();
            assertThat(browser.isShown("#detail .badge.changed")).isTrue();
            assertThat(browser.isShown(".badge.changed button")).isFalse();
            browser.click("#close").click("#executors summary");
            assertThat(browser.isShown("#executor-rows button")).isFalse();
            assertThat(browser.find("#executor-rows input").isEnabled()).isFalse();
            for (String tab : new String[] {"pools", "isolation"}) {
                browser.click("[data-tab=" + tab + "]");
                eventually(() ->
                        assertThat(browser.isShown("#view-" + tab + " h2")).isTrue());
                assertThat(browser.isShown("#view-" + tab + " form")).isFalse();
            }
            browser.leave();
        }
    }
}
