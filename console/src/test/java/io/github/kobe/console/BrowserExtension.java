package io.github.kobe.console;

import java.io.File;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** Gives tests a {@link Browser}, one for all of them. After each test, it checks that the page had no problem. */
final class BrowserExtension implements ExecutionCondition, ParameterResolver, AfterEachCallback {

    private static final ExtensionContext.Namespace NAMESPACE =
            ExtensionContext.Namespace.create(BrowserExtension.class);
    private static final String REQUIRED = "GROUP_CONCURRENCY_BROWSER";
    private static final List<String> BROWSERS =
            List.of("chromium", "chromium-browser", "google-chrome", "google-chrome-stable");

    /** What the tests run. */
    record Programs(File browser, File driver) {}

    private static final Optional<Programs> PROGRAMS = find();

    private static Optional<Programs> find() {
        Optional<File> browser =
                BROWSERS.stream().flatMap(name -> onPath(name).stream()).findFirst();
        return browser.flatMap(found -> onPath("chromedriver").map(driver -> new Programs(found, driver)));
    }

    private static Optional<File> onPath(String name) {
        return Arrays.stream(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                .map(directory -> new File(directory, name))
                .filter(File::canExecute)
                .findFirst();
    }

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        if (PROGRAMS.isPresent()) {
            return ConditionEvaluationResult.enabled("there is a browser");
        }
        String why = "no chromium and chromedriver on the path";
        if ("required".equals(System.getenv(REQUIRED))) {
            throw new IllegalStateException(REQUIRED + "=required, but there is " + why);
        }
        if (context.getTestMethod().isEmpty()) {
            System.err.println("NOTICE: " + context.getDisplayName() + " is skipped: " + why
                    + ". On Debian: apt-get install chromium chromium-driver");
        }
        return ConditionEvaluationResult.disabled(why);
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == Browser.class;
    }

    @Override
    public Browser resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return context.getRoot()
                .getStore(NAMESPACE)
                .computeIfAbsent(Browser.class, type -> Browser.start(PROGRAMS.orElseThrow()), Browser.class);
    }

    @Override
    public void afterEach(ExtensionContext context) {
        Browser browser = context.getRoot().getStore(NAMESPACE).get(Browser.class, Browser.class);
        if (browser != null) {
            browser.leave();
        }
    }
}
