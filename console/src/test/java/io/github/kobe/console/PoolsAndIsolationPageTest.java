package io.github.kobe.console;

import static io.github.kobe.console.Browser.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.console.ConsoleKit.Blocker;
import io.github.kobe.isolation.IsolationExecutor;
import io.github.kobe.isolation.IsolationPolicy;
import io.github.kobe.pool.Sizing;
import io.github.kobe.pool.WorkerPool;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Does the page show pools and isolation executors, also where there are no groups? */
@NeedsBrowser
class PoolsAndIsolationPageTest {

    private final Browser browser;

    PoolsAndIsolationPageTest(Browser browser) {
        this.browser = browser;
    }

    @Test
    void poolWithItsAdviceDecisionsAndTasks() {
        try (WorkerPool pool = WorkerPool.builder()
                        .name("thumbnails")
                        .minWorkers(1)
                        .maxWorkers(2)
                        .queueCapacity(100)
                        .sizing(Sizing.UTILIZATION, 0.5)
                        .build();
                Site site = Site.of(Console.builder().add(pool).every(Browser.EVERY))) {
            Blocker blocker = new Blocker();
            for (int i = 0; i < 12; i++) {
                pool.submit(blocker::run);
            }
            browser.open(site);
            eventually(() -> {
                assertThat(browser.text("#view-pools h2")).isEqualTo("thumbnails");
                assertThat(browser.texts("[data-tab]")).containsExactly("Pools1", "Changes0");
                assertThat(browser.text("#view-pools .meters"))
                        .contains("2 / 2")
                        .contains("10 / 100");
                assertThat(browser.text(".advice")).contains("10");
                assertThat(browser.text("#view-pools [data-part=tasks]")).contains("thumbnails-");
                assertThat(browser.text("#view-pools [data-part=decisions]")).contains("1 → 2");
            });
            blocker.release();
            eventually(() -> assertThat(browser.text("#view-pools .facts")).contains("succeeded\n12"));
            browser.leave();
        }
    }

    @Test
    void isolationWithLanesReserveKeysAndDecisions() {
        try (IsolationExecutor executor = IsolationExecutor.create(IsolationPolicy.builder()
                        .name("partner calls")
                        .maxConcurrency(10)
                        .slowThreshold(Duration.ofMillis(1))
                        .build());
                Site site = Site.of(Console.builder().add(executor).every(Browser.EVERY))) {
            for (int i = 0; i < 5; i++) {
                executor.submit("slow tenant", () -> {
                            Thread.sleep(2);
                            return 1;
                        })
                        .join();
            }
            Blocker blocker = new Blocker();
            for (int i = 0; i < 4; i++) {
                executor.submit("tenant-" + i, blocker::run);
            }
            browser.open(site);
            eventually(() -> {
                assertThat(browser.text("#view-isolation h2")).isEqualTo("partner calls");
                assertThat(browser.text("#view-isolation .meters"))
                        .contains("4 / 10")
                        .contains(" of 10");
                assertThat(browser.texts("[data-part=lanes] .lane"))
                        .containsExactly("fast", "fast backup", "slow", "slow backup", "white list", "isolation");
                assertThat(browser.texts("[data-part=keys] tbody td:first-child"))
                        .contains("slow tenant", "tenant-0", "tenant-3");
                assertThat(browser.text("[data-part=decisions]")).contains("slow tenant: fast → slow");
            });
            browser.type("#view-isolation input[type=search]", "tenant-2");
            eventually(() -> assertThat(browser.texts("[data-part=keys] tbody td:first-child"))
                    .containsExactly("tenant-2"));
            assertThat(browser.text("#view-isolation .range")).isEqualTo("1 key");
            browser.click("h1").press("/").press("3"); // the field keeps what was typed, so it is 2 and 3 now
            eventually(() -> assertThat(browser.text("#view-isolation .range")).isEqualTo("0 keys"));
            blocker.release();
            browser.leave();
        }
    }

    /** Names and keys are chosen by others. */
    @Test
    void namesAndKeysThatAreMarkupAreShownAsText() {
        String evil = "<img src=x onerror=document.title='hacked'>";
        try (WorkerPool pool = WorkerPool.builder().name(evil).maxWorkers(1).build();
                IsolationExecutor executor = IsolationExecutor.create(
                        IsolationPolicy.builder().name(evil).build());
                Site site = Site.of(
                        Console.builder().add(pool).add(executor).editable(true).every(Browser.EVERY))) {
            Blocker blocker = new Blocker();
            pool.submit(blocker::run);
            executor.submit(evil, blocker::run);
            browser.open(site);
            eventually(() -> {
                assertThat(browser.text("#view-pools h2")).isEqualTo(evil);
                assertThat(browser.text("#view-pools [data-part=tasks]")).contains(evil);
            });
            browser.press("2");
            eventually(() -> {
                assertThat(browser.text("#view-isolation h2")).isEqualTo(evil);
                assertThat(browser.texts("[data-part=keys] tbody td:first-child"))
                        .containsExactly(evil);
            });
            assertThat(browser.all("img")).isEmpty();
            assertThat(browser.script("return document.title")).isEqualTo("group-concurrency");
            blocker.release();
            browser.leave();
        }
    }
}
