package io.github.kobe.spring.boot;

import io.github.kobe.console.ConsoleHandler;
import java.util.Map;
import org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointProperties;
import org.springframework.boot.actuate.autoconfigure.web.ManagementContextConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.web.reactive.DispatcherHandler;
import org.springframework.web.reactive.handler.SimpleUrlHandlerMapping;

/** Serves the console from the reactive web server that serves the endpoints. */
@ManagementContextConfiguration(proxyBeanMethods = false)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
@ConditionalOnClass({DispatcherHandler.class, ConsoleHandler.class})
@ConditionalOnBean(ConsoleHandler.class)
final class ReactiveConsoleConfiguration {

    /** That of the endpoints: before the resources of the application. */
    private static final int ORDER = -100;

    @Bean
    static SimpleUrlHandlerMapping groupConcurrencyConsoleMapping(
            ConsoleHandler console, WebEndpointProperties endpoints) {
        String path = ConsolePath.of(endpoints.getBasePath());
        ConsoleWebHandler handler = new ConsoleWebHandler(console, path);
        return new SimpleUrlHandlerMapping(Map.of(path, handler, path + "/**", handler), ORDER);
    }
}
