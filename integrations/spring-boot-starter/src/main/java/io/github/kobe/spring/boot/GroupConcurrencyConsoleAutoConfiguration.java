package io.github.kobe.spring.boot;

import io.github.kobe.GroupExecutor;
import io.github.kobe.console.Console;
import io.github.kobe.console.ConsoleBuilder;
import io.github.kobe.console.ConsoleHandler;
import io.github.kobe.fleet.Fleet;
import io.github.kobe.isolation.IsolationExecutor;
import io.github.kobe.pool.WorkerPool;
import java.util.Collection;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointProperties;
import org.springframework.boot.actuate.endpoint.EndpointsSupplier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/**
 * The console, on request. Here is what answers requests; {@link ServletConsoleConfiguration} and {@link ReactiveConsoleConfiguration} connect it to the
 * web server of the management port.
 */
@AutoConfiguration(after = GroupConcurrencyAutoConfiguration.class)
@ConditionalOnWebApplication
@ConditionalOnClass({ConsoleHandler.class, WebEndpointProperties.class})
@ConditionalOnBooleanProperty(name = GroupConcurrencyProperties.PREFIX + ".console.enabled")
public final class GroupConcurrencyConsoleAutoConfiguration {

    @Bean(destroyMethod = "close")
    static ConsoleHandler groupConcurrencyConsole(
            GroupConcurrencyProperties properties, ListableBeanFactory beans, Environment environment) {
        GroupConcurrencyProperties.Console from = properties.console();
        ConsoleAccess access = new ConsoleAccess(from.allowedHosts());
        ConsoleBuilder to = Console.builder()
                .editable(from.editable())
                .authenticator(access::userOf)
                .allowAnyHost(true); // ConsoleAccess knows better
        all(beans, GroupExecutor.class).forEach(to::add);
        all(beans, WorkerPool.class).forEach(to::add);
        all(beans, IsolationExecutor.class).forEach(to::add);
        all(beans, Fleet.class).forEach(to::add);
        CheckedProperties checked = new CheckedProperties(
                ConfigurationPropertyName.of(GroupConcurrencyProperties.PREFIX + ".console"), () -> {});
        for (String host : from.allowedHosts()) {
            checked.set("allowed-hosts", host, to::allowedHost);
        }
        String name = environment.getProperty("spring.application.name");
        if (from.title() != null) {
            checked.set("title", from.title(), to::title);
        } else if (name != null && !name.isBlank()) {
            to.title(name.substring(0, Math.min(name.length(), 60)));
        }
        return to.handler();
    }

    private static <T> Collection<T> all(ListableBeanFactory beans, Class<T> type) {
        return BeanFactoryUtils.beansOfTypeIncludingAncestors(beans, type, false, true)
                .values();
    }

    @Bean
    static ConsoleLifecycle groupConcurrencyConsoleLifecycle(
            ConfigurableApplicationContext context, ConsoleHandler groupConcurrencyConsole) {
        return new ConsoleLifecycle(context, groupConcurrencyConsole);
    }

    /** So that rules of Spring Security for endpoints, such as {@code EndpointRequest.toAnyEndpoint()}, apply to the console. */
    @Bean
    static EndpointsSupplier<ConsolePath> groupConcurrencyConsolePath() {
        return new ConsolePath.Supplier();
    }
}
