package io.github.kobe.console;

import static io.github.kobe.console.Browser.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.console.ConsoleKit.Blocker;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What does the page do if the stream is lost, refused or buffered, or if nobody looks? */
@NeedsBrowser
class ConnectionPageTest {

    private static final String TOKEN = "0123456789abcdef0123456789abcdef";

    private final GroupExecutor executor = ConsoleKit.executor(b -> b.defaultMaxConcurrencyPerGroup(2));
    private final Blocker blocker = Blocker.in(executor, "acme", 3);
    private final Browser browser;
    private Site site = Site.of(builder());

    ConnectionPageTest(Browser browser) {
        this.browser = browser;
    }

    private ConsoleBuilder builder() {
        return Console.builder().add(executor).token(TOKEN).editable(true).every(Browser.EVERY);
    }

    @AfterEach
    void close() {
        browser.leave();
        blocker.release();
        site.close();
        executor.close();
    }

    @Test
    void ageOfWhatIsShownIsShown() {
        browser.open(site);
        eventually(() -> assertThat(browser.text("#status")).isEqualTo("updated just now"));
    }

    @Test
    void pageIsGreyWhileTheConsoleIsAwayAndLiveAgainAfterwards() {
        browser.expectProblems(); // the browser logs each connection that fails
        int port = site.port();
        browser.open(site);
        site.close();
        eventually(() -> {
            assertThat(browser.attribute("#status", "data-state")).isEqualTo("lost");
            assertThat(browser.text("#status")).matches("lost, updated \\d+ s ago");
            assertThat(browser.attribute("body", "class")).contains("stale");
            assertThat(browser.text("#announce")).isEqualTo("The connection is lost. What is shown is old.");
        });
        site = Site.of(builder().port(port));
        eventually(() -> {
            assertThat(browser.attribute("#status", "data-state")).isEqualTo("live");
            assertThat(browser.attribute("body", "class")).doesNotContain("stale");
        });
    }

    @Test
    void streamThatIsCutIsOpenedAgain() throws IOException {
        try (ReverseProxy proxy = new ReverseProxy("/", false);
                Site behind = Site.of(builder().allowedHost(proxy.host()))) {
            browser.expectProblems();
            proxy.target(behind.port());
            browser.open(proxy.address(behind));
            proxy.cut();
            executor.setMaxConcurrency("acme", 3);
            eventually(() ->
                    assertThat(browser.text("#group-rows td:nth-child(2)")).isEqualTo("3 / 3"));
            assertThat(browser.attribute("#status", "data-state")).isEqualTo("live");
        }
    }

    @Test
    void nothingIsSentWhileTheTabIsHidden() {
        browser.open(site);
        eventually(() -> assertThat(site.console().handler().streamCount()).isEqualTo(1));
        browser.whileHidden(() -> {
            ConsoleKit.eventually(
                    () -> assertThat(site.console().handler().streamCount()).isZero());
            executor.setMaxConcurrency("acme", 3);
        });
        eventually(() -> {
            assertThat(site.console().handler().streamCount()).isEqualTo(1);
            assertThat(browser.text("#group-rows td:nth-child(2)")).isEqualTo("3 / 3");
        });
    }

    @Test
    void pageThatIsClosedLeavesNoStream() {
        browser.open(site);
        eventually(() -> assertThat(site.console().handler().streamCount()).isEqualTo(1));
        browser.go("about:blank");
        ConsoleKit.eventually(
                () -> assertThat(site.console().handler().streamCount()).isZero());
    }

    /** One stream for a page, whatever its reader does. */
    @Test
    void pageHasOneStreamAtATime() {
        browser.open(site);
        for (int i = 0; i < 10; i++) {
            browser.click("th[data-sort=key]")
                    .click("[data-filter=waiting]")
                    .click("th[data-sort=wait]")
                    .click("[data-filter=all]");
            assertThat(site.console().handler().streamCount()).isLessThanOrEqualTo(1);
        }
        eventually(() -> assertThat(site.console().handler().streamCount()).isEqualTo(1));
    }

    @Test
    void pagePollsIfThereAreTooManyStreams() throws IOException {
        browser.expectProblems(); // the browser logs the status 503
        List<RawClient> others = new ArrayList<>();
        try {
            for (int i = 0; i < Streams.MAX; i++) {
                RawClient client = site.stream("client=c" + i);
                assertThat(client.readAnswer().status()).isEqualTo(200);
                others.add(client);
            }
            browser.open(site);
            eventually(() -> {
                assertThat(browser.attribute("#status", "data-state")).isEqualTo("polling");
                assertThat(browser.text("#status")).endsWith(", polling");
            });
            executor.setMaxConcurrency("acme", 3);
            eventually(() ->
                    assertThat(browser.text("#group-rows td:nth-child(2)")).isEqualTo("3 / 3"));
        } finally {
            for (RawClient client : others) {
                client.close();
            }
        }
        eventually(() -> assertThat(browser.attribute("#status", "data-state"))
                .as("the stream is tried again after a while")
                .isEqualTo("live"));
    }

    @Test
    void pagePollsBehindAProxyThatBuffers() throws IOException {
        try (ReverseProxy proxy = new ReverseProxy("/", true);
                Site behind = Site.of(builder().allowedHost(proxy.host()))) {
            proxy.target(behind.port());
            browser.open(proxy.address(behind));
            eventually(
                    () -> assertThat(browser.attribute("#status", "data-state")).isEqualTo("polling"));
            executor.setMaxConcurrency("acme", 3);
            eventually(() ->
                    assertThat(browser.text("#group-rows td:nth-child(2)")).isEqualTo("3 / 3"));
            browser.leave();
        }
    }

    @Test
    void tokenLeavesTheAddressAndOutlastsAReload() {
        browser.open(site);
        assertThat(browser.address()).doesNotContain(TOKEN);
        browser.reload().waitForSnapshot();
        assertThat(browser.script("return document.cookie")).isEqualTo("");
        assertThat(browser.script("return JSON.stringify(localStorage)").toString())
                .doesNotContain(TOKEN);
    }

    @Test
    void pageAsksForAMissingOrWrongToken() {
        browser.expectProblems(); // the browser logs the status 401
        browser.go("http://127.0.0.1:" + site.port() + "/");
        eventually(() -> assertThat(browser.isShown("#signin")).isTrue());
        assertThat(browser.isShown("#view-groups")).isFalse();
        browser.type("#token", "wrong").click("#signin-form button");
        eventually(() -> assertThat(browser.text("#signin-error")).isEqualTo("The console does not know this token."));
        browser.type("#token", TOKEN).click("#signin-form button");
        browser.waitForSnapshot();
        eventually(() -> assertThat(browser.texts("#group-rows .key")).containsExactly("acme"));
        assertThat(browser.isShown("#signin")).isFalse();
    }
}
