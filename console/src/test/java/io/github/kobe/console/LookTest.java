package io.github.kobe.console;

import static io.github.kobe.console.Browser.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.console.ConsoleKit.Blocker;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Can the page be read in light and dark, on a phone and on a wall? */
@NeedsBrowser
class LookTest {

    private final GroupExecutor executor = ConsoleKit.executor(b -> b);
    private final Site site =
            Site.of(Console.builder().add(executor).editable(true).every(Browser.EVERY));
    private final Blocker blocker =
            Blocker.in(executor, "a group with quite a long name, as they sometimes are: " + "x".repeat(120), 3);
    private final Browser browser;

    LookTest(Browser browser) {
        this.browser = browser;
    }

    @AfterEach
    void close() {
        browser.leave();
        blocker.release();
        site.close();
        executor.close();
    }

    private boolean isDark() {
        String colour = String.valueOf(browser.script("return getComputedStyle(document.body).backgroundColor"));
        return colour.matches("rgb\\(\\d?\\d, \\d?\\d, \\d?\\d\\)");
    }

    @Test
    void themeFollowsTheSystemUntilItIsChosen() {
        browser.systemTheme("dark").open(site);
        assertThat(isDark()).isTrue();
        browser.systemTheme("light");
        eventually(() -> assertThat(isDark()).isFalse());
        browser.click("#theme"); // light
        browser.systemTheme("dark");
        assertThat(browser.text("#theme")).isEqualTo("Theme: light");
        eventually(() -> assertThat(isDark()).isFalse());
        browser.click("#theme");
        eventually(() -> assertThat(isDark()).isTrue());
        browser.systemTheme("light").reload().waitForSnapshot();
        assertThat(isDark()).as("the choice outlasts a reload").isTrue();
        browser.press("t");
        eventually(() -> assertThat(browser.text("#theme")).isEqualTo("Theme: auto"));
    }

    @ParameterizedTest
    @CsvSource({"390, 844", "768, 1024", "1440, 900", "2560, 1440"})
    void nothingIsWiderThanTheWindow(int width, int height) {
        browser.size(width, height).open(site);
        eventually(() -> assertThat(browser.all("#group-rows tr")).hasSize(1));
        assertThat(browser.script("return document.documentElement.scrollWidth <= " + width))
                .isEqualTo(true);
        browser.click("#group-rows tr");
        eventually(() -> assertThat(browser.text(".verdict")).isNotEmpty());
        assertThat(browser.script("return document.documentElement.scrollWidth <= " + width))
                .isEqualTo(true);
        assertThat(browser.isShown("#pause")).isTrue();
        browser.click("#close").click("[data-tab=changes]");
        eventually(() -> assertThat(browser.text("#no-changes")).isEqualTo("Nothing was changed."));
        assertThat(browser.script("return document.documentElement.scrollWidth <= " + width))
                .isEqualTo(true);
    }

    /** On a phone there are no column heads to sort by. */
    @Test
    void rowsCanBeSortedOnAPhone() {
        browser.size(390, 844).open(site);
        assertThat(browser.isShown("#sort")).isTrue();
        assertThat(browser.isShown("thead th[data-sort]")).isFalse();
        browser.script(
                "const s = document.getElementById('sort'); s.value = 'key'; s.dispatchEvent(new Event('change'))");
        eventually(() -> assertThat(browser.address()).contains("sort=key"));
    }

    @Test
    void textIsLargerOnAWall() {
        browser.size(1280, 800).open(site);
        Number desk = (Number) browser.script("return parseFloat(getComputedStyle(document.documentElement).fontSize)");
        browser.size(3840, 2160);
        Number wall = (Number) browser.script("return parseFloat(getComputedStyle(document.documentElement).fontSize)");
        assertThat(wall.doubleValue()).isGreaterThan(1.5 * desk.doubleValue());
    }

    /** The ratio that the accessibility guidelines ask for is 4.5. */
    @ParameterizedTest
    @CsvSource({"light", "dark"})
    void secondaryTextHasEnoughContrast(String theme) {
        browser.systemTheme(theme).open(site);
        Object ratio = browser.script("""
                const luminance = colour => {
                  const [r, g, b] = colour.match(/[\\d.]+/g).map(v => v / 255).map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
                  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
                };
                const ink = luminance(getComputedStyle(document.querySelector('.stat dt')).color);
                const paper = luminance(getComputedStyle(document.querySelector('.stat')).backgroundColor);
                return (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05);
                """);
        assertThat(((Number) ratio).doubleValue()).isGreaterThan(4.5);
    }
}
