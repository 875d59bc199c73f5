package io.github.kobe.console;

import static io.github.kobe.console.Browser.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.console.ConsoleKit.Blocker;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** Does the console work behind a proxy, at a path of its own? */
@NeedsBrowser
class PrefixTest {

    private final Browser browser;

    PrefixTest(Browser browser) {
        this.browser = browser;
    }

    @Test
    void pageStreamAndChangesWorkAtAnyPath() throws IOException {
        try (GroupExecutor executor = ConsoleKit.executor(b -> b.defaultMaxConcurrencyPerGroup(2));
                ReverseProxy proxy = new ReverseProxy("/ops/shop/console/", false);
                Site site = Site.of(Console.builder()
                        .add(executor)
                        .editable(true)
                        .allowedHost(proxy.host())
                        .every(Browser.EVERY))) {
            proxy.target(site.port());
            Blocker blocker = Blocker.in(executor, "acme", 4);
            browser.open(proxy.address(site));
            assertThat(browser.address()).isEqualTo("http://" + proxy.host() + "/ops/shop/console/");
            eventually(
                    () -> assertThat(browser.attribute("#status", "data-state")).isEqualTo("live"));
            browser.click("#group-rows tr:first-child");
            eventually(() -> assertThat(browser.value("#detail form[data-setting=Limit] input"))
                    .isEqualTo("2"));
            browser.type("#detail form[data-setting=Limit] input", "3")
                    .click("#detail form[data-setting=Limit] button");
            eventually(
                    () -> assertThat(executor.groupStats("acme").orElseThrow().activeCount())
                            .isEqualTo(3));
            eventually(() ->
                    assertThat(browser.text("#group-rows td:nth-child(2)")).isEqualTo("3 / 3"));
            assertThat(browser.hosts()).containsExactly(proxy.host());
            blocker.release();
            browser.leave();
        }
    }

    @Test
    void aTokenThatTheServerInFrontWantsIsSentWithChanges() throws IOException {
        try (GroupExecutor executor = ConsoleKit.executor(b -> b.defaultMaxConcurrencyPerGroup(2));
                ReverseProxy proxy = new ReverseProxy("/app/", false);
                Site site = Site.of(Console.builder()
                        .add(executor)
                        .editable(true)
                        .allowedHost(proxy.host())
                        .every(Browser.EVERY))) {
            proxy.target(site.port());
            proxy.wantCsrfToken();
            Blocker blocker = Blocker.in(executor, "acme", 3);
            browser.open(proxy.address(site)).click("#group-rows tr:first-child");
            eventually(() -> assertThat(browser.value("#detail form[data-setting=Limit] input"))
                    .isEqualTo("2"));
            browser.type("#detail form[data-setting=Limit] input", "3")
                    .click("#detail form[data-setting=Limit] button");
            eventually(
                    () -> assertThat(executor.groupStats("acme").orElseThrow().activeCount())
                            .isEqualTo(3));
            blocker.release();
            browser.leave();
        }
    }
}
