package io.github.kobe.spring.boot;

import org.jspecify.annotations.Nullable;

/** Properties contradict each other or the beans of the application. Values that are wrong by themselves are reported by exceptions of Spring Boot. */
final class ConfigurationMistakeException extends IllegalStateException {

    private static final long serialVersionUID = 1;

    private final String action;

    /**
     * Creates an exception.
     *
     * @param mistake names the property and its value
     * @param action what to do about it
     */
    ConfigurationMistakeException(String mistake, String action, @Nullable Throwable cause) {
        super(mistake, cause);
        this.action = action;
    }

    String action() {
        return action;
    }
}
