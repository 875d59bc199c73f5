package io.github.kobe.spring.boot;

import io.github.kobe.spring.InvalidGroupLimitException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Explains why an application with a mistake in a {@code @GroupLimit} does not start. */
final class InvalidGroupLimitFailureAnalyzer extends AbstractFailureAnalyzer<InvalidGroupLimitException> {

    @Override
    protected FailureAnalysis analyze(Throwable failure, InvalidGroupLimitException mistake) {
        return new FailureAnalysis(mistake.getMessage(), action(mistake.attribute()), mistake);
    }

    private static String action(String attribute) {
        return switch (attribute) {
            case "key" ->
                "Correct the SpEL expression. It has the arguments by name (#tenant, if the class was compiled with -parameters) and by"
                        + " position (#p0), and beans (@tenants.current()).";
            case "executor" ->
                "Name a key of group-concurrency.executors or another bean of type GroupExecutor, or declare one of them @Primary.";
            case "maxWait" -> "Write a duration such as 500ms, 2s or PT2S.";
            case "group" ->
                "Correct the group. Its placeholders need values, and with a key it must not contain a colon.";
            default -> "Change the method, or remove the annotation from it.";
        };
    }
}
