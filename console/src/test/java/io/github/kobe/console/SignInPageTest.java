package io.github.kobe.console;

import static io.github.kobe.console.Browser.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What does the page do with the token, with an address that was made by hand, and with a user who may not use the console? */
@NeedsBrowser
class SignInPageTest {

    private static final String TOKEN = "0123456789abcdef0123456789abcdef";

    private final GroupExecutor executor = ConsoleKit.executor(b -> b);
    private final Browser browser;

    SignInPageTest(Browser browser) {
        this.browser = browser;
        executor.submit("acme", "t", () -> 1).join();
    }

    @AfterEach
    void close() {
        browser.leave();
        executor.close();
    }

    private Site site() {
        return Site.of(
                Console.builder().add(executor).token(TOKEN).editable(true).every(Browser.EVERY));
    }

    /** The logs of a proxy have addresses. */
    @Test
    void tokenIsInNoAddressThatIsRequested() {
        try (Site site = site()) {
            browser.open(site).click("#group-rows tr");
            eventually(() -> assertThat(browser.text("#pause")).isEqualTo("Pause"));
            browser.click("#pause");
            eventually(() -> assertThat(browser.text("#pause")).isEqualTo("Resume"));
            assertThat(browser.addresses())
                    .anyMatch(address -> address.contains("/api/stream"))
                    .anyMatch(address -> address.contains("/api/group/pause"))
                    .noneMatch(address -> address.contains(TOKEN));
            browser.leave();
        }
    }

    /** Only the part of the address changes that is not sent, so the browser does not load the page again. */
    @Test
    void addressWithATokenCanBeOpenedInTheSameTab() {
        browser.expectProblems(); // the browser logs the status 401
        try (Site site = site()) {
            browser.go("http://127.0.0.1:" + site.port() + "/");
            eventually(() -> assertThat(browser.isShown("#signin")).isTrue());
            browser.go(site.console().uri().toString()).waitForSnapshot();
            eventually(() -> assertThat(browser.texts("#group-rows .key")).containsExactly("acme"));
            assertThat(browser.address()).doesNotContain(TOKEN);
            browser.leave();
        }
    }

    @Test
    void addressThatMakesNoSenseShowsAllGroups() {
        browser.expectProblems(); // the browser logs the status 400
        try (Site site = site()) {
            browser.go(site.console().uri() + "&sort=nonsense&page=-1").waitForSnapshot();
            eventually(() -> assertThat(browser.texts("#group-rows .key")).containsExactly("acme"));
            browser.go("http://127.0.0.1:" + site.port() + "/#sort=nonsense");
            eventually(() -> assertThat(browser.address()).doesNotContain("nonsense"));
            browser.waitForSnapshot().leave();
        }
    }

    @Test
    void userWhoMayNotUseTheConsoleIsToldSoAndNotAskedForAToken() {
        browser.expectProblems(); // the browser logs the status 403
        AtomicBoolean isWelcome = new AtomicBoolean(true);
        try (Site site = Site.of(Console.builder()
                .add(executor)
                .authenticator(exchange -> isWelcome.get() ? "eva" : null)
                .every(Browser.EVERY))) {
            browser.open(site);
            isWelcome.set(false);
            browser.click("[data-filter=paused]");
            eventually(() -> assertThat(browser.text("#signin-error")).isEqualTo("You may not use this console."));
            assertThat(browser.isShown("#signin-form")).isFalse();
            assertThat(browser.isShown("#view-groups")).isFalse();
            browser.leave();
        }
    }

    @Test
    void streamThatHasLastedForLongIsReplacedWithoutAWord() {
        AtomicInteger streams = new AtomicInteger();
        try (Site site = Site.of(Console.builder()
                .add(executor)
                .authenticator(exchange -> {
                    if (exchange.path().equals("/api/stream")) {
                        streams.incrementAndGet();
                    }
                    return "eva";
                })
                .longestStream(Duration.ofSeconds(6))
                .every(Browser.EVERY))) {
            browser.open(site);
            eventually(() -> assertThat(streams).hasValueGreaterThan(1));
            browser.waitForSnapshot();
            assertThat(browser.text("#announce")).isEmpty();
            browser.leave();
        }
    }
}
