package io.github.kobe.console;

import static io.github.kobe.console.Browser.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.pool.WorkerPool;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.Keys;

/** Can the page be used without a pointer, and by those who listen to it? */
@NeedsBrowser
class KeyboardTest {

    private final GroupExecutor executor = ConsoleKit.executor(b -> b);
    private final WorkerPool pool = WorkerPool.builder().build();
    private final Site site =
            Site.of(Console.builder().add(executor).add(pool).editable(true).every(Browser.EVERY));
    private final Browser browser;

    KeyboardTest(Browser browser) {
        this.browser = browser;
        for (int i = 100; i < 170; i++) {
            executor.submit("tenant-" + i, "t", () -> 1).join();
        }
        browser.open(site);
        eventually(() -> assertThat(browser.all("#group-rows tr")).hasSize(50));
    }

    @AfterEach
    void close() {
        browser.leave();
        site.close();
        executor.close();
        pool.close();
    }

    @Test
    void rowsAreReachedAndOpened() {
        browser.press(Keys.ARROW_DOWN);
        eventually(() -> assertThat(browser.focused()).isEqualTo("tenant-100"));
        browser.press(Keys.ARROW_DOWN, "j", "k");
        eventually(() -> assertThat(browser.focused()).isEqualTo("tenant-101"));
        browser.press(Keys.ARROW_UP, Keys.ENTER);
        eventually(() -> assertThat(browser.text("#detail-title")).isEqualTo("tenant-100"));
        browser.press(Keys.ESCAPE);
        eventually(() -> assertThat(browser.isShown("#detail")).isFalse());
        assertThat(browser.focused()).isEqualTo("tenant-100");
        eventually(() -> assertThat(browser.text("#held")).isEqualTo("order held"));
        browser.press(Keys.ESCAPE);
        eventually(() -> assertThat(browser.isShown("#held")).isFalse());
    }

    @Test
    void searchPagesTabsAndTheListOfKeys() {
        browser.press("]");
        eventually(() -> assertThat(browser.text("#range")).isEqualTo("51–70 of 70"));
        browser.press("[");
        eventually(() -> assertThat(browser.text("#range")).isEqualTo("1–50 of 70"));
        browser.press("/");
        browser.press("tenant-16");
        eventually(() -> assertThat(browser.all("#group-rows tr")).hasSize(10));
        browser.press(Keys.ESCAPE);
        browser.press("2");
        eventually(() -> assertThat(browser.isShown("#view-pools")).isTrue());
        browser.press("1");
        eventually(() -> assertThat(browser.isShown("#view-groups")).isTrue());
        browser.press("?");
        eventually(() -> assertThat(browser.text("#keys")).contains("search"));
        browser.click("#keys-close");
        eventually(() -> assertThat(browser.isShown("#keys")).isFalse());
        browser.click("#help");
        eventually(() -> assertThat(browser.isShown("#keys")).isTrue());
        browser.press(Keys.ESCAPE);
        eventually(() -> assertThat(browser.isShown("#keys")).isFalse());
    }

    @Test
    void changesAreAnnounced() {
        assertThat(browser.attribute("#announce", "aria-live")).isEqualTo("polite");
        browser.press(Keys.ARROW_DOWN, Keys.ENTER);
        eventually(() -> assertThat(browser.text("#pause")).isEqualTo("Pause"));
        browser.click("#pause");
        eventually(() -> assertThat(browser.text("#announce")).contains("not paused to paused"));
    }

    @Test
    void everyControlHasAName() {
        browser.press(Keys.ARROW_DOWN, Keys.ENTER);
        eventually(() -> assertThat(browser.isShown("#pause")).isTrue());
        assertThat(browser.script("""
                        return [...document.querySelectorAll('button, input, select')]
                            .filter(e => e.checkVisibility())
                            .filter(e => !(e.textContent.trim() || e.getAttribute('aria-label') || e.labels?.length))
                            .map(e => e.outerHTML)
                        """)).asList().isEmpty();
    }
}
