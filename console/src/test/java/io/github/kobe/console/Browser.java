package io.github.kobe.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.logging.Level;
import java.util.stream.Stream;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.StaleElementReferenceException;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.WindowType;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.interactions.Actions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

/** A real browser, with an empty profile. Used by one test at a time. */
final class Browser implements AutoCloseable {

    private final ChromeDriver driver;
    private final Path profile;
    private final List<String> problems = new ArrayList<>();
    private final Map<String, String> hosts = new HashMap<>(); // by request
    private final Set<String> addresses = new HashSet<>();
    private boolean problemsAreExpected;
    private boolean left = true;

    private Browser(ChromeDriver driver, Path profile) {
        this.driver = driver;
        this.profile = profile;
    }

    static Browser start(BrowserExtension.Programs programs) {
        Path profile;
        try {
            profile = Files.createTempDirectory("console-browser");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        ChromeOptions options = new ChromeOptions();
        options.setBinary(programs.browser());
        options.addArguments(
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-quic",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--hide-scrollbars",
                "--lang=en-GB",
                "--user-data-dir=" + profile);
        LoggingPreferences logs = new LoggingPreferences();
        logs.enable(LogType.BROWSER, Level.ALL);
        logs.enable(LogType.PERFORMANCE, Level.ALL);
        options.setCapability("goog:loggingPrefs", logs);
        // The path of the driver is given, so that nothing is downloaded.
        ChromeDriverService service = new ChromeDriverService.Builder()
                .usingDriverExecutable(programs.driver())
                .withSilent(true)
                .build();
        Browser browser = new Browser(new ChromeDriver(service, options), profile);
        browser.size(1440, 900);
        return browser;
    }

    // ---- pages
    // -------------------------------------------------------------------------------------------------------

    /** Opens a console in a fresh tab state, and waits for its first snapshot. */
    Browser open(Site site) {
        return open(site.console().uri());
    }

    Browser open(URI address) {
        forget();
        driver.get(address.toString());
        return waitForSnapshot();
    }

    /** Opens an address as it is, without waiting for anything. */
    Browser go(String address) {
        left = false;
        driver.get(address);
        return this;
    }

    Browser waitForSnapshot() {
        eventually(() -> assertThat(attribute("#status", "data-state")).isIn("live", "polling"));
        return this;
    }

    String address() {
        return driver.getCurrentUrl();
    }

    Browser reload() {
        driver.navigate().refresh();
        return this;
    }

    Browser size(int width, int height) {
        cdp(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", width < 500));
        return this;
    }

    /** What the system prefers: "light" or "dark". */
    Browser systemTheme(String theme) {
        cdp(
                "Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", theme))));
        return this;
    }

    /** Runs what is given while another tab covers the page. */
    void whileHidden(Runnable action) {
        String page = driver.getWindowHandle();
        driver.switchTo().newWindow(WindowType.TAB);
        try {
            action.run();
        } finally {
            driver.close();
            driver.switchTo().window(page);
        }
    }

    private void cdp(String command, Map<String, Object> parameters) {
        driver.executeCdpCommand(command, parameters);
    }

    /** Leaves the page, and checks that it had no problem. Before the console is closed: the page would complain. */
    void leave() {
        if (left) {
            return;
        }
        left = true;
        driver.get("about:blank");
        systemTheme("light").size(1440, 900);
        readLogs();
        List<String> found = List.copyOf(problems);
        boolean expected = problemsAreExpected;
        forget();
        left = true;
        problemsAreExpected = false;
        if (!expected) {
            assertThat(found).as("what the browser complained about").isEmpty();
        }
    }

    private void forget() {
        left = false;
        readLogs();
        problems.clear();
        hosts.clear();
        addresses.clear();
    }

    // ---- problems
    // ----------------------------------------------------------------------------------------------------

    /** Tells that the test plants problems. */
    Browser expectProblems() {
        problemsAreExpected = true;
        return this;
    }

    /** Returns what the page wrote to the console of the browser as a warning or an error, violations of the policy included. */
    List<String> problems() {
        readLogs();
        return List.copyOf(problems);
    }

    /** Returns the hosts that requests were made to since the page was opened. */
    Set<String> hosts() {
        readLogs();
        return Set.copyOf(hosts.values());
    }

    /** Returns the addresses that were requested since the page was opened, without the part that is never sent. */
    Set<String> addresses() {
        readLogs();
        return Set.copyOf(addresses);
    }

    private void readLogs() {
        for (LogEntry entry : driver.manage().logs().get(LogType.BROWSER)) {
            if (entry.getLevel().intValue() >= Level.WARNING.intValue()) {
                problems.add(entry.getMessage());
            }
        }
        for (LogEntry entry : driver.manage().logs().get(LogType.PERFORMANCE)) {
            JsonNode message = ConsoleKit.json(entry.getMessage()).get("message");
            JsonNode parameters = message.get("params");
            String id = parameters.path("requestId").asText();
            switch (message.get("method").asText()) {
                case "Network.requestWillBeSent" -> {
                    String address = parameters.at("/request/url").asText();
                    addresses.add(address);
                    hostOf(address).ifPresent(host -> hosts.put(id, host));
                }
                case "Network.loadingFailed" -> {
                    if (parameters.path("blockedReason").asText().equals("csp")) {
                        hosts.remove(id); // the policy has stopped it
                    }
                }
                default -> {}
            }
        }
    }

    private static Optional<String> hostOf(String address) {
        if (!address.startsWith("http")) {
            return Optional.empty(); // the picture in the page itself
        }
        URI uri = URI.create(address.replaceFirst("[#?].*", ""));
        return Optional.of(uri.getHost() + (uri.getPort() < 0 ? "" : ":" + uri.getPort()));
    }

    // ---- elements
    // ----------------------------------------------------------------------------------------------------

    WebElement find(String css) {
        return driver.findElement(By.cssSelector(css));
    }

    List<WebElement> all(String css) {
        return driver.findElements(By.cssSelector(css));
    }

    /** Returns the text that a reader sees; empty if the element is hidden or not there. */
    String text(String css) {
        return all(css).stream().findFirst().map(WebElement::getText).orElse("");
    }

    List<String> texts(String css) {
        return all(css).stream().map(WebElement::getText).toList();
    }

    boolean isShown(String css) {
        return all(css).stream().anyMatch(WebElement::isDisplayed);
    }

    String attribute(String css, String name) {
        return find(css).getDomAttribute(name);
    }

    String value(String css) {
        return find(css).getDomProperty("value");
    }

    Browser click(String css) {
        eventually(() -> find(css).click());
        return this;
    }

    /** Replaces the value of a field. */
    Browser type(String css, String text) {
        WebElement field = find(css);
        field.sendKeys(Keys.chord(Keys.CONTROL, "a"), text.isEmpty() ? Keys.DELETE : text);
        return this;
    }

    /** Presses keys, wherever the focus is. */
    Browser press(CharSequence... keys) {
        new Actions(driver).sendKeys(keys).perform();
        return this;
    }

    /** Moves the pointer over an element. */
    Browser point(String css) {
        new Actions(driver).moveToElement(find(css)).perform();
        return this;
    }

    Object script(String code) {
        return driver.executeScript(code);
    }

    /** The group that has the focus; empty if none has. */
    String focused() {
        return String.valueOf(script("return document.activeElement?.querySelector?.('.key')?.textContent ?? ''"));
    }

    byte[] screenshot() {
        return driver.getScreenshotAs(OutputType.BYTES);
    }

    /** Waits until an assertion holds. The page changes all the time, so elements may vanish meanwhile. */
    static void eventually(org.awaitility.core.ThrowingRunnable assertion) {
        ConsoleKit.eventually(() -> {
            try {
                assertion.run();
            } catch (StaleElementReferenceException
                    | org.openqa.selenium.NoSuchElementException
                    | org.openqa.selenium.ElementNotInteractableException e) {
                throw new AssertionError(e);
            }
        });
    }

    @Override
    public void close() {
        driver.quit();
        try (Stream<Path> files = Files.walk(profile)) {
            files.sorted(Comparator.reverseOrder()).forEach(file -> {
                boolean ignored = file.toFile().delete(); // the browser may still write
            });
        } catch (IOException | UncheckedIOException e) {
            // It is in the directory for temporary files.
        }
    }

    /** How often the consoles of browser tests take a snapshot. */
    static final Duration EVERY = Duration.ofMillis(200);
}
