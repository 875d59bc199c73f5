package io.github.kobe.spring.boot;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Application contexts with the auto-configurations of this module. */
final class Runners {

    private Runners() {}

    static ApplicationContextRunner withAutoConfigurations() {
        return new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(own()));
    }

    /** The classes that the module offers to Spring Boot. */
    static Class<?>[] own() {
        String file = "META-INF/spring/org.springframework.boot.autoconfigure.AutoConfiguration.imports";
        try (InputStream in = Runners.class.getResourceAsStream("/" + file)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .map(Runners::load)
                    .toArray(Class<?>[]::new);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Class<?> load(String name) {
        try {
            return Class.forName(name);
        } catch (ClassNotFoundException e) {
            throw new AssertionError(e);
        }
    }
}
