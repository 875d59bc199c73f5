package io.github.kobe.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.kobe.GroupExecutor;
import java.io.File;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

/** Are limits in effect in an application that has neither Reactor, nor a servlet container, nor Kotlin? */
class WithoutReactorTest {

    /** Loads everything again, from a class path without optional libraries. */
    private static URLClassLoader withoutOptionalLibraries() {
        URL[] urls = Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> Stream.of(
                                "reactor", "reactive", "servlet", "tomcat", "spring-web", "kotlin", "spring-tx")
                        .noneMatch(Path.of(entry).getFileName().toString()::contains))
                .map(WithoutReactorTest::url)
                .toArray(URL[]::new);
        return new URLClassLoader(urls, ClassLoader.getPlatformClassLoader());
    }

    private static URL url(String entry) {
        try {
            URI uri = Path.of(entry).toUri();
            return uri.toURL();
        } catch (MalformedURLException e) {
            throw new IllegalArgumentException(entry, e);
        }
    }

    @Test
    void limitsAreInEffect() throws Exception {
        try (URLClassLoader loader = withoutOptionalLibraries()) {
            assertThatExceptionOfType(ClassNotFoundException.class)
                    .isThrownBy(() -> loader.loadClass("reactor.core.publisher.Mono"));
            Callable<?> program = (Callable<?>) loader.loadClass(Program.class.getName())
                    .getDeclaredConstructor()
                    .newInstance();
            Thread.currentThread().setContextClassLoader(loader);
            try {
                assertThat(program.call()).isEqualTo("true true 0");
            } finally {
                Thread.currentThread().setContextClassLoader(WithoutReactorTest.class.getClassLoader());
            }
        }
    }

    public static final class Program implements Callable<String> {
        @Override
        public String call() throws Exception {
            try (AnnotationConfigApplicationContext context =
                    SpringKit.context(SpringKit.limit(1), Service.class, TaskConfiguration.class)) {
                GroupExecutor executor = SpringKit.executor(context);
                Service service = context.getBean(Service.class);
                return service.value(executor) + " "
                        + context.getBean(GroupTaskExecutor.class)
                                .submit(() -> service.stage(executor).join())
                                .get()
                        + " " + SpringKit.active(executor, "orders");
            }
        }
    }

    static class TaskConfiguration {
        @org.springframework.context.annotation.Bean
        static GroupTaskExecutor tasks(GroupExecutor groups) {
            return GroupTaskExecutor.of(groups, "tasks");
        }
    }

    static class Service {
        @GroupLimit(group = "orders")
        boolean value(GroupExecutor executor) {
            return executor.holds("orders");
        }

        @GroupLimit(group = "orders")
        CompletableFuture<Boolean> stage(GroupExecutor executor) {
            return CompletableFuture.completedFuture(executor.holds("orders"));
        }
    }
}
