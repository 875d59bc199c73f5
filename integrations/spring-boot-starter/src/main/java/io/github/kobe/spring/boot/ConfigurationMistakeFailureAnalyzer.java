package io.github.kobe.spring.boot;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Explains why an application does not start after a {@link ConfigurationMistakeException}. */
final class ConfigurationMistakeFailureAnalyzer extends AbstractFailureAnalyzer<ConfigurationMistakeException> {

    @Override
    protected FailureAnalysis analyze(Throwable failure, ConfigurationMistakeException mistake) {
        return new FailureAnalysis(String.valueOf(mistake.getMessage()), mistake.action(), mistake);
    }
}
