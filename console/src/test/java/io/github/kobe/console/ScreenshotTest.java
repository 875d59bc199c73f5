package io.github.kobe.console;

import static io.github.kobe.console.Browser.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.SharedLimit;
import io.github.kobe.console.ConsoleKit.Blocker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Makes the pictures of the documentation, so that they show the page as it is. It does so if the system property {@code console.screenshots} names a
 * directory:
 *
 * <pre>   mvn -pl console -am test -Dtest=ScreenshotTest -Dsurefire.failIfNoSpecifiedTests=false -Dconsole.screenshots=../docs/guide   </pre>
 */
@NeedsBrowser
@Timeout(600)
class ScreenshotTest {

    private static final List<String> PICTURES = List.of(
            "console.png",
            "console-group.png",
            "console-isolation.png",
            "console-phone.png",
            "console-shared.png",
            "console-fleet.png");
    private static final int MAX_BYTES = 200_000;
    private static final byte[] PNG = {(byte) 0x89, 'P', 'N', 'G'};

    /** Long enough for sparklines that tell something. */
    private static final Duration LOAD = Duration.ofSeconds(200);

    @Test
    void picturesOfTheDocumentationAreThereAndSmall() throws IOException {
        for (String picture : PICTURES) {
            byte[] content = Files.readAllBytes(Path.of("../docs/guide", picture));
            assertThat(content).as(picture).startsWith(PNG).hasSizeLessThan(MAX_BYTES);
        }
    }

    @Test
    @EnabledIfSystemProperty(named = "console.screenshots", matches = ".+")
    void picturesAreMade(Browser browser) throws IOException {
        Path directory = Path.of(System.getProperty("console.screenshots"));
        try (SampleLoad load = new SampleLoad();
                Site site = Site.of(Console.builder()
                        .title("order service")
                        .add(load.groups)
                        .add(load.pool)
                        .add(load.isolation)
                        .editable(true))) {
            browser.size(1280, 800).open(site);
            letPass(LOAD);
            write(browser, directory, "console.png");

            browser.systemTheme("dark").click("[data-id='0." + Site.id("backfill") + "']");
            eventually(() -> assertThat(browser.text(".verdict")).isNotEmpty());
            write(browser, directory, "console-group.png");
            browser.click("#close").point("h1").systemTheme("light").size(390, 844);
            eventually(() -> assertThat(browser.isShown("#held")).isFalse());
            write(browser, directory, "console-phone.png");

            browser.size(1280, 800).click("[data-tab=isolation]");
            eventually(() -> assertThat(browser.isShown("[data-part=keys] td")).isTrue());
            letPass(LOAD.dividedBy(4));
            write(browser, directory, "console-isolation.png");
            browser.leave();
        }
    }

    @Test
    @EnabledIfSystemProperty(named = "console.screenshots", matches = ".+")
    void thePictureOfSharedLimitsIsMade(Browser browser) throws IOException {
        Path directory = Path.of(System.getProperty("console.screenshots"));
        try (GroupExecutor executor = ConsoleKit.executor(b -> b.defaultMaxConcurrencyPerGroup(4)
                        .sharedLimit(SharedLimit.by("tenant", key -> key.split("/")[0])
                                .max(6))
                        .sharedLimit(SharedLimit.by("endpoint", key -> key.split("/")[1])
                                .max(8)));
                Site site = Site.of(
                        Console.builder().title("order service").add(executor).editable(true))) {
            List<Blocker> blockers = new ArrayList<>();
            for (String tenant : List.of("acme", "globex", "initech", "umbrella")) {
                for (String endpoint : List.of("invoices", "prices", "reports")) {
                    int tasks = 1 + (tenant.length() + endpoint.length()) % 4;
                    blockers.add(Blocker.in(executor, tenant + "/" + endpoint, tasks));
                }
            }
            executor.setSharedLimit("endpoint", "reports", 3);
            executor.pauseSharedLimit("tenant", "umbrella");
            String open = "0." + Site.sharedId("tenant", "acme");
            browser.size(1280, 800).open(site).click("[data-tab=shared]");
            eventually(() -> assertThat(browser.isShown("[data-shared='" + open + "'] .key"))
                    .isTrue());
            browser.click("[data-shared='" + open + "'] .key");
            eventually(() -> assertThat(browser.text("#shared-detail .verdict")).contains("in use"));
            write(browser, directory, "console-shared.png");
            browser.leave();
            blockers.forEach(Blocker::release);
        }
    }

    @Test
    @EnabledIfSystemProperty(named = "console.screenshots", matches = ".+")
    void thePictureOfAFleetIsMade(Browser browser) throws IOException {
        Path directory = Path.of(System.getProperty("console.screenshots"));
        try (TwoNodes nodes = new TwoNodes(6);
                Site site = Site.of(Console.builder()
                        .title("order service")
                        .add(nodes.firstExecutor)
                        .add(nodes.first)
                        .editable(true))) {
            List<String> groups = List.of("checkout", "search", "reports", "acme", "globex", "initech", "umbrella");
            for (int i = 0; i < groups.size(); i++) {
                nodes.submit(nodes.firstExecutor, groups.get(i), 1 + i);
                nodes.submit(nodes.secondExecutor, groups.get(i), 2 * i % 5);
            }
            browser.size(1280, 800).open(site).click("[data-tab=fleet]");
            nodes.first.control().pause("globex").join();
            nodes.first.control().setLimit("umbrella", 4).join();
            eventually(
                    () -> assertThat(browser.texts("#view-fleet .badge.paused")).contains("paused"));
            eventually(() -> assertThat(browser.texts("#view-fleet .hot")).isNotEmpty());
            write(browser, directory, "console-fleet.png");
            browser.leave();
        }
    }

    private static void write(Browser browser, Path directory, String name) throws IOException {
        byte[] picture = browser.screenshot();
        assertThat(picture).as(name).hasSizeLessThan(MAX_BYTES);
        Files.write(directory.resolve(name), picture);
    }

    /** A picture needs a past. No test depends on it. */
    private static void letPass(Duration time) {
        Awaitility.await().pollDelay(time).atMost(time.plusMinutes(1)).until(() -> true);
    }
}
