package io.github.kobe.console;

import static io.github.kobe.console.Browser.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.RejectionPolicy;
import io.github.kobe.TaskOptions;
import io.github.kobe.console.ConsoleKit.Blocker;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.Keys;

/** Does the page show one group in detail? */
@NeedsBrowser
class DetailPageTest {

    private final GroupExecutor executor = ConsoleKit.executor(b -> b.recordTimes(true)
            .defaultMaxConcurrencyPerGroup(1)
            .defaultQueueThresholdPerGroup(3)
            .idleGroupTtl(Duration.ofMillis(300))
            .rejectionPolicy(RejectionPolicy.DISCARD));
    private final Site site = Site.of(Console.builder().add(executor).every(Browser.EVERY));
    private final Browser browser;
    private final Blocker blocker;

    DetailPageTest(Browser browser) {
        this.browser = browser;
        this.blocker = Blocker.in(executor, "acme", 6);
        browser.open(site);
        browser.click("#group-rows tr:first-child");
        eventually(() -> assertThat(browser.text("#detail-title")).isEqualTo("acme"));
    }

    @AfterEach
    void close() {
        browser.leave();
        blocker.release();
        site.close();
        executor.close();
    }

    private String fact(String part, String label) {
        return String.valueOf(browser.script("return [...document.querySelectorAll('#detail [data-part=" + part
                + "] div')].find(d => d.firstChild.textContent === '" + label + "')?.lastChild.textContent ?? ''"));
    }

    @Test
    void numbersReasonsAndRunningTasks() {
        eventually(() -> {
            assertThat(fact("now", "running")).isEqualTo("1 / 1");
            assertThat(fact("now", "queued")).isEqualTo("3 / 3");
            assertThat(fact("now", "oldest wait")).matches(".* (ms|s)");
            assertThat(fact("counts", "submitted")).isEqualTo("6");
            assertThat(fact("counts", "rejected")).isEqualTo("2");
            assertThat(browser.text("#detail [data-part=reasons]"))
                    .contains("group queue full")
                    .contains("2");
            assertThat(browser.text("#detail [data-part=tasks]"))
                    .contains("task-0")
                    .contains("#");
        });
    }

    @Test
    void percentilesAndTagsOfCompletedTasks() {
        eventually(() -> assertThat(browser.isShown("#detail .no-times")).isTrue());
        blocker.release();
        eventually(() -> {
            // Again and again: an idle group is forgotten, with its times, maybe before the page has shown them.
            executor.submit(
                    "acme", "t", () -> 1, TaskOptions.builder().tag("mail").build());
            assertThat(browser.texts("#detail [data-part=times] tbody tr:nth-child(1) td"))
                    .hasSize(5)
                    .allMatch(time -> time.endsWith("s"));
            assertThat(browser.texts("#detail [data-part=times] tbody tr:nth-child(2) td"))
                    .allMatch(time -> time.endsWith("s"));
            assertThat(browser.text("#detail [data-part=tags]")).contains("mail");
            assertThat(browser.isShown("#detail .no-times")).isFalse();
        });
    }

    @Test
    void detailIsClosedByItsButtonAndByEscape() {
        browser.click("#close");
        assertThat(browser.isShown("#detail")).isFalse();
        browser.click("#group-rows tr:first-child");
        eventually(() -> assertThat(browser.isShown("#detail")).isTrue());
        browser.press(Keys.ESCAPE);
        eventually(() -> assertThat(browser.isShown("#detail")).isFalse());
        assertThat(browser.focused()).isEqualTo("acme");
    }

    @Test
    void groupThatIsForgottenMeanwhileIsNotShownAsIfItWereThere() {
        blocker.release();
        eventually(() -> assertThat(browser.text(".verdict"))
                .isEqualTo(
                        "The group is idle, and the executor has forgotten it. It appears again with its next task."));
        Blocker again = Blocker.in(executor, "acme", 1);
        eventually(() -> assertThat(browser.text(".verdict")).startsWith("Nothing waits. 1 of 1 running."));
        again.release();
    }

    @Test
    void openGroupIsInTheAddress() {
        eventually(() -> assertThat(browser.address()).contains("detail=0." + Site.id("acme")));
        assertThat(browser.address()).doesNotContain("acme");
        browser.reload();
        eventually(() -> assertThat(browser.text("#detail-title")).isEqualTo("acme"));
    }
}
