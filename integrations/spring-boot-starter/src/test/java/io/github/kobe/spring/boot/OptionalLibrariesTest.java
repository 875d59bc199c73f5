package io.github.kobe.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.ContextCarrier;
import io.github.kobe.GroupExecutor;
import io.github.kobe.console.ConsoleHandler;
import io.github.kobe.micrometer.GroupExecutorMetrics;
import io.github.kobe.spring.GroupLimitBeanPostProcessor;
import io.micrometer.context.ContextSnapshotFactory;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import jakarta.servlet.Filter;
import java.io.File;
import java.lang.reflect.InvocationTargetException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointProperties;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.cloud.context.environment.EnvironmentChangeEvent;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/** Does an application start without each library that is optional, and with it have what the library is for? */
class OptionalLibrariesTest {

    /** Everything that is optional is asked for. */
    private final WebApplicationContextRunner runner = new WebApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(Runners.own()))
            .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
            .withPropertyValues(
                    "management.endpoints.web.exposure.include=*",
                    "group-concurrency.health.enabled=true",
                    "group-concurrency.web.url-patterns=/api/*,/v2/*");

    @Test
    void withAllLibrariesThereIsEverything() {
        runner.run(context -> {
            assertThat(context)
                    .hasSingleBean(GroupConcurrencyEndpoint.class)
                    .hasSingleBean(GroupConcurrencyHealthIndicator.class)
                    .hasSingleBean(GroupConcurrencyMetrics.class)
                    .hasSingleBean(PropertyRefresher.class)
                    .hasSingleBean(GroupLimitBeanPostProcessor.class)
                    .hasSingleBean(RejectionAdvice.class);
            assertThat(context.getBeansOfType(ContextCarrier.class)).hasSize(2);
            FilterRegistrationBean<?> filter = context.getBean(FilterRegistrationBean.class);
            assertThat(filter.getUrlPatterns()).containsExactly("/api/*", "/v2/*");
        });
    }

    @Test
    void withoutMicrometer() {
        runner.withClassLoader(new FilteredClassLoader(MeterRegistry.class))
                .run(context -> assertThat(context)
                        .hasSingleBean(GroupExecutor.class)
                        .doesNotHaveBean(GroupConcurrencyMetrics.class));
        runner.withClassLoader(new FilteredClassLoader(GroupExecutorMetrics.class))
                .run(context -> assertThat(context)
                        .hasSingleBean(GroupExecutor.class)
                        .doesNotHaveBean(GroupConcurrencyMetrics.class));
    }

    @Test
    void withoutContextPropagation() {
        runner.withClassLoader(new FilteredClassLoader(ContextSnapshotFactory.class))
                .run(context -> assertThat(context.getBean(GroupExecutor.class).contextCarrier())
                        .hasToString("MdcCarrier"));
    }

    @Test
    void withoutSlf4j() {
        runner.withClassLoader(new FilteredClassLoader(MDC.class))
                .run(context -> assertThat(context.getBean(GroupExecutor.class).contextCarrier())
                        .hasToString("ContextSnapshotCarrier"));
        runner.withClassLoader(new FilteredClassLoader(MDC.class, ContextSnapshotFactory.class))
                .run(context -> assertThat(context.getBean(GroupExecutor.class).contextCarrier())
                        .isNull());
    }

    @Test
    void withoutActuator() {
        runner.withClassLoader(new FilteredClassLoader(ConditionalOnAvailableEndpoint.class))
                .run(context -> assertThat(context)
                        .hasSingleBean(GroupExecutor.class)
                        .doesNotHaveBean(GroupConcurrencyEndpoint.class));
    }

    @Test
    void withoutHealth() {
        runner.withClassLoader(new FilteredClassLoader(HealthIndicator.class))
                .run(context -> assertThat(context)
                        .hasSingleBean(GroupExecutor.class)
                        .doesNotHaveBean(GroupConcurrencyHealthIndicator.class));
    }

    @Test
    void withoutSpringCloud() {
        runner.withClassLoader(new FilteredClassLoader(EnvironmentChangeEvent.class))
                .run(context -> assertThat(context)
                        .hasSingleBean(GroupExecutor.class)
                        .doesNotHaveBean(PropertyRefresher.class));
    }

    @Test
    void withoutSpringWeb() {
        runner.withClassLoader(new FilteredClassLoader(RestControllerAdvice.class))
                .run(context -> assertThat(context)
                        .hasSingleBean(GroupExecutor.class)
                        .doesNotHaveBean(RejectionAdvice.class)
                        .doesNotHaveBean(FilterRegistrationBean.class));
    }

    @Test
    void withoutServlets() {
        runner.withClassLoader(new FilteredClassLoader(Filter.class))
                .run(context -> assertThat(context)
                        .hasSingleBean(GroupExecutor.class)
                        .doesNotHaveBean(FilterRegistrationBean.class));
        new ReactiveWebApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(Runners.own()))
                .withPropertyValues("group-concurrency.web.url-patterns=/*")
                .run(context -> assertThat(context)
                        .hasSingleBean(RejectionAdvice.class)
                        .doesNotHaveBean(FilterRegistrationBean.class));
    }

    @Test
    void withoutTheConsole() {
        runner.run(context -> assertThat(context).doesNotHaveBean(ConsoleHandler.class));
        WebApplicationContextRunner asked = runner.withPropertyValues("group-concurrency.console.enabled=true");
        asked.run(context -> assertThat(context).hasSingleBean(ConsoleHandler.class));
        asked.withClassLoader(new FilteredClassLoader(WebEndpointProperties.class))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(ConsoleHandler.class));
        asked.withClassLoader(new FilteredClassLoader(ConsoleHandler.class))
                .run(context -> assertThat(context)
                        .getFailure()
                        .isInstanceOfSatisfying(
                                ConfigurationMistakeException.class,
                                mistake -> assertThat(mistake.action()).contains("group-concurrency-console")));
    }

    @Test
    void withoutRequestsThereIsNoFilter() {
        new WebApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(Runners.own()))
                .run(context -> assertThat(context).doesNotHaveBean(FilterRegistrationBean.class));
    }

    @Test
    void whatIsSwitchedOffIsNotThere() {
        runner.withPropertyValues(
                        "group-concurrency.annotation.enabled=false",
                        "group-concurrency.metrics.enabled=false",
                        "group-concurrency.health.enabled=false",
                        "group-concurrency.web.answer-rejections=false",
                        "management.endpoint.groupconcurrency.access=NONE")
                .run(context -> assertThat(context)
                        .doesNotHaveBean(GroupLimitBeanPostProcessor.class)
                        .doesNotHaveBean(GroupConcurrencyMetrics.class)
                        .doesNotHaveBean(GroupConcurrencyHealthIndicator.class)
                        .doesNotHaveBean(RejectionAdvice.class)
                        .doesNotHaveBean(GroupConcurrencyEndpoint.class));
    }

    /** A filtered class loader hides classes from conditions only. Here the jars are really absent. */
    @Test
    void withTheDependenciesOfTheStarterAlone() throws Exception {
        Pattern optional = Pattern.compile(
                ".*/(spring-web|spring-webmvc|spring-webflux|spring-cloud|spring-security|spring-boot-(?!autoconfigure|4)"
                        + "|tomcat|reactor|netty|micrometer-registry|prometheus|jackson|jakarta.servlet|snakeyaml|lettuce"
                        + "|group-concurrency-(console|redis))[^/]*\\.jar|.*/(console|fleet/redis)/target/classes");
        URL[] jars = Pattern.compile(File.pathSeparator)
                .splitAsStream(System.getProperty("java.class.path"))
                .filter(jar -> !optional.matcher(jar).matches())
                .map(OptionalLibrariesTest::url)
                .toArray(URL[]::new);
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        try (URLClassLoader loader = new URLClassLoader(jars, ClassLoader.getPlatformClassLoader())) {
            Thread.currentThread().setContextClassLoader(loader);
            assertThat(List.of(
                            "org.springframework.web.bind.annotation.RestControllerAdvice",
                            "org.springframework.boot.actuate.endpoint.Access",
                            "org.springframework.cloud.context.environment.EnvironmentChangeEvent",
                            "reactor.core.publisher.Mono",
                            "io.github.kobe.console.Console",
                            "io.github.kobe.redis.RedisStore"))
                    .allSatisfy(name -> assertThat(isPresent(loader, name)).isFalse());
            Object answer = loader.loadClass(MinimalApplication.class.getName())
                    .getMethod("run")
                    .invoke(null);
            assertThat(answer).isEqualTo("[default]: hello acme in group acme");
        } catch (InvocationTargetException e) {
            throw new AssertionError(e.getCause());
        } finally {
            Thread.currentThread().setContextClassLoader(before);
        }
    }

    private static boolean isPresent(ClassLoader loader, String name) {
        try {
            return loader.loadClass(name) != null;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    private static URL url(String jar) {
        try {
            return Path.of(jar).toUri().toURL();
        } catch (MalformedURLException e) {
            throw new AssertionError(e);
        }
    }
}
