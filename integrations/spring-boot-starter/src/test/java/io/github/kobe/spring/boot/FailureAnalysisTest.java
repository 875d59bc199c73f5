package io.github.kobe.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.spring.GroupLimit;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;

/** Does an application with a mistake refuse to start, and say which property or method is wrong, its value, and what to do? */
@ExtendWith(OutputCaptureExtension.class)
class FailureAnalysisTest {

    private static void start(Class<?> configuration, String... properties) {
        String[] arguments = new String[properties.length];
        for (int i = 0; i < properties.length; i++) {
            arguments[i] = "--" + properties[i];
        }
        new SpringApplicationBuilder(configuration)
                .web(WebApplicationType.NONE)
                .bannerMode(Banner.Mode.OFF)
                .run(arguments)
                .close();
    }

    private static String stackTrace(Throwable failure) {
        StringWriter text = new StringWriter();
        failure.printStackTrace(new PrintWriter(text));
        return text.toString();
    }

    private static String analysis(CapturedOutput output) {
        assertThat(output).contains("APPLICATION FAILED TO START");
        return output.toString().substring(output.toString().indexOf("APPLICATION FAILED TO START"));
    }

    @ParameterizedTest
    @CsvSource({
        "executors.orders.rejection-policy, explode, CALLER_RUNS",
        "executors.orders.default-max-concurrency-per-group, 0, at least 1",
        "executors.orders.default-max-concurrency-per-group, many, NumberFormatException",
        "executors.orders.default-queue-threshold-per-group, -1, at least 0",
        "executors.orders.global-max-in-flight, 0, at least 1",
        "executors.orders.max-groups, 0, at least 1",
        "executors.orders.priority-ageing, 0s, positive",
        "executors.orders.max-block-time, -1s, not be negative",
        "executors.orders.shutdown.await-termination-period, -1s, not be negative",
        "executors.orders.idle-group-ttl, soon, soon",
        "executors.orders.groups.acme.max-concurrency, 0, at least 1",
        "executors.orders.groups.acme.weight, 0, at least 1",
        "executors.orders.groups[a/b].weight, 0, at least 1",
        "executors.orders.groups[Ü B].weight, 0, at least 1",
        "pools.images.min-workers, 0, at least 1",
        "pools.images.max-workers, 0, maxWorkers",
        "pools.images.threads, fibre, VIRTUAL",
        "pools.images.utilization, 2, at most 1",
        "isolation.searches.max-concurrency, 0, at least 1",
        "isolation.searches.slow-threshold, 0s, positive",
    })
    void aWrongValueIsReportedWithItsProperty(String property, String value, String reason, CapturedOutput output) {
        assertThatThrownBy(() -> start(Executors.class, "group-concurrency." + property + "=" + value));

        assertThat(analysis(output))
                .contains("group-concurrency." + property)
                .containsPattern("[\"']" + Pattern.quote(value) + "[\"']")
                .contains(reason)
                .contains("Action:");
    }

    @ParameterizedTest
    @CsvSource({
        "part, -1, at least 0, -",
        "max, 0, at least 1, part=0",
        "values.acme.max, 0, at least 1, part=0",
        "values[a/b].weight, 0, at least 1, part=0",
        "weight, 0, at least 1, part=0",
        "across-fleet, maybe, Invalid boolean, part=0",
        "key-pattern, '([a-z', no regular expression, -",
        "key-pattern, '[a-z]+', one capturing group, -",
        "key-pattern, '(a)(b)', but has 2, -",
        "max, many, NumberFormatException, part=0",
    })
    void aWrongValueOfASharedLimitIsReportedWithItsProperty(
            String property, String value, String reason, String beside, CapturedOutput output) {
        String limit = "group-concurrency.executors.orders.shared-limits.tenant.";
        assertThatThrownBy(() -> start(
                Executors.class,
                limit + property + "=" + value,
                beside.equals("-") ? "spring.application.name=x" : limit + beside));

        assertThat(analysis(output))
                .contains(limit + property)
                .containsPattern("[\"']" + Pattern.quote(value) + "[\"']")
                .contains(reason)
                .contains("Action:");
    }

    @Test
    void aSharedLimitThatDoesNotSayHowGroupsBelongToItIsReported(CapturedOutput output) {
        String limit = "group-concurrency.executors.orders.shared-limits.tenant.";
        assertThatThrownBy(() -> start(Executors.class, limit + "max=3"));
        assertThat(analysis(output))
                .contains("'" + limit + "part' is not set, and neither is '" + limit + "key-pattern'")
                .contains("Set one of them");
    }

    @Test
    void aSharedLimitOfTheFleetWithoutANumberIsReported(CapturedOutput output) {
        String limit = "group-concurrency.executors.orders.shared-limits.tenant.";
        assertThatThrownBy(() -> start(
                Executors.class,
                "group-concurrency.fleet.name=orders",
                "group-concurrency.fleet.redis.uri=redis://127.0.0.1:1",
                limit + "part=0",
                limit + "across-fleet=true"));
        assertThat(analysis(output))
                .contains("'" + limit + "across-fleet' is 'true', but '" + limit + "max' is not set")
                .contains("Set it");
    }

    @ParameterizedTest
    @CsvSource({
        "max-groups=3, there is no bean of type Fleet",
        "fleet=false, executors.orders.fleet' is 'false'",
    })
    void aSharedLimitOfTheFleetWithoutAFleetIsReported(String beside, String reason, CapturedOutput output) {
        String executor = "group-concurrency.executors.orders.";
        assertThatThrownBy(() -> start(
                Executors.class,
                executor + "shared-limits.tenant.part=0",
                executor + "shared-limits.tenant.max=3",
                executor + "shared-limits.tenant.across-fleet=true",
                executor + beside));
        assertThat(analysis(output))
                .contains("'" + executor + "shared-limits.tenant.across-fleet' is 'true', but")
                .contains(reason)
                .contains("Action:");
    }

    @Test
    void aSharedLimitThatSaysItTwiceIsReported(CapturedOutput output) {
        String limit = "group-concurrency.executors.orders.shared-limits.tenant.";
        assertThatThrownBy(() -> start(Executors.class, limit + "part=3", limit + "key-pattern=(.*)"));
        assertThat(analysis(output)).contains("'" + limit + "part' is '3'", "key-pattern' is '(.*)'");
    }

    @ParameterizedTest
    @CsvSource({
        "node, ' ', blank",
        "ttl, 1ms, between",
        "heartbeat, 10s, at most",
        "quantum, 0s, positive",
        "linger, -1s, not be negative",
        "reclaim-after, -1s, not be negative",
        "configuration-version, -1, at least 0",
        "total-limit, 0, at least 1",
        "when-unreachable, hope, KEEP_LAST",
        "on-lease-lost, hope, INTERRUPT",
        "redis.timeout, 1ms, at least",
        "redis.shards, 0, between",
    })
    void aWrongValueOfTheFleetIsReportedWithItsProperty(
            String property, String value, String reason, CapturedOutput output) {
        assertThatThrownBy(() -> start(
                Executors.class,
                "group-concurrency.fleet.name=orders",
                "group-concurrency.fleet.redis.uri=redis://127.0.0.1:1",
                "group-concurrency.fleet." + property + "=" + value));

        assertThat(analysis(output))
                .contains("group-concurrency.fleet." + property)
                .containsPattern("[\"']" + Pattern.quote(value) + "[\"']")
                .contains(reason)
                .contains("Action:");
    }

    @Test
    void aWrongNameOfTheFleetIsReported(CapturedOutput output) {
        assertThatThrownBy(() -> start(
                Executors.class,
                "group-concurrency.fleet.name=a b",
                "group-concurrency.fleet.redis.uri=redis://127.0.0.1:1"));

        assertThat(analysis(output)).contains("group-concurrency.fleet.name", "'a b'", "A-Z");
    }

    @Test
    void aFleetWithoutANameOrAUriIsReported(CapturedOutput output) {
        assertThatThrownBy(() -> start(Executors.class, "group-concurrency.fleet.redis.uri=redis://127.0.0.1:1"));
        assertThatThrownBy(() -> start(Executors.class, "group-concurrency.fleet.name=orders"));

        assertThat(analysis(output))
                .contains("'group-concurrency.fleet.name' is not set")
                .contains("'group-concurrency.fleet.redis.uri' is not set")
                .contains("Set 'group-concurrency.fleet.redis.uri'");
    }

    @ParameterizedTest
    @ValueSource(strings = {"http://user:s3cret@host", "redis://user:s3cret@", "user:s3cret@[host"})
    void aWrongUriIsReportedWithoutItsPassword(String uri, CapturedOutput output) {
        assertThatThrownBy(() -> start(
                        Executors.class,
                        "group-concurrency.fleet.name=orders",
                        "group-concurrency.fleet.redis.uri=" + uri))
                .satisfies(e -> assertThat(stackTrace(e)).doesNotContain("s3cret"));

        assertThat(analysis(output)).contains("'group-concurrency.fleet.redis.uri' is wrong", "Action:");
        assertThat(output).doesNotContain("s3cret");
    }

    @Test
    void anExecutorOfAFleetThatDoesNotExistIsReported(CapturedOutput output) {
        assertThatThrownBy(() -> start(Executors.class, "group-concurrency.executors.orders.fleet=true"));

        assertThat(analysis(output))
                .contains("'group-concurrency.executors.orders.fleet' is 'true', but there is no bean of type Fleet")
                .contains("Set 'group-concurrency.fleet.name'");
    }

    @Test
    void aPropertyThatDoesNotExistIsReported(CapturedOutput output) {
        assertThatThrownBy(() -> start(Executors.class, "spring.config.location=classpath:misspelt.properties"));

        assertThat(analysis(output))
                .contains("group-concurrency.executors.orders.max-concurency")
                .contains("left unbound");
    }

    @Test
    void aTaskExecutorWithoutAnExecutorIsReported(CapturedOutput output) {
        assertThatThrownBy(() -> start(Executors.class, "group-concurrency.task-executors.mails.executor=orderz"));

        assertThat(analysis(output))
                .contains("'group-concurrency.task-executors.mails.executor' is 'orderz'")
                .contains("[default]")
                .contains("Set 'group-concurrency.task-executors.mails.executor'");
    }

    @Test
    void aTaskExecutorThatDoesNotSayWhichExecutorIsReported(CapturedOutput output) {
        assertThatThrownBy(() -> start(
                Executors.class,
                "group-concurrency.executors.orders.max-groups=5",
                "group-concurrency.executors.mails.max-groups=5",
                "group-concurrency.task-executors.async.group=x"));

        assertThat(analysis(output))
                .contains("'group-concurrency.task-executors.async.executor' is not set")
                .contains("orders", "mails")
                .contains("Set 'group-concurrency.task-executors.async.executor'");
    }

    @Test
    void oneNameForTwoExecutorsIsReported(CapturedOutput output) {
        assertThatThrownBy(() -> start(
                Executors.class,
                "group-concurrency.executors.orders.max-groups=5",
                "group-concurrency.isolation.orders.max-concurrency=5"));

        assertThat(analysis(output))
                .contains("group-concurrency.executors.orders", "group-concurrency.isolation.orders")
                .contains("Rename one of them");
    }

    @Test
    void aKeyExpressionThatDoesNotParseIsReported(CapturedOutput output) {
        assertThatThrownBy(() -> start(WrongKey.class));

        assertThat(analysis(output)).contains(WrongKey.class.getName() + ".orders(String)", "\"#tenant.\"", "SpEL");
    }

    @Test
    void anExecutorOfAnAnnotationThatDoesNotExistIsReported(CapturedOutput output) {
        assertThatThrownBy(() -> start(WrongExecutor.class));

        assertThat(analysis(output))
                .contains(WrongExecutor.class.getName() + ".orders(String)", "executor = \"orderz\"", "Name a key of");
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        GroupConcurrencyAutoConfiguration.class,
        GroupConcurrencyFleetAutoConfiguration.class,
        GroupLimitAutoConfiguration.class
    })
    static class Executors {}

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({GroupConcurrencyAutoConfiguration.class, GroupLimitAutoConfiguration.class})
    static class WrongKey {

        @GroupLimit(key = "#tenant.")
        void orders(String tenant) {}
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({GroupConcurrencyAutoConfiguration.class, GroupLimitAutoConfiguration.class})
    static class WrongExecutor {

        @GroupLimit(key = "#tenant", executor = "orderz")
        void orders(String tenant) {}
    }
}
