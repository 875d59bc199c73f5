package io.github.kobe.spring.boot;

import io.github.kobe.console.ConsoleHandler;
import jakarta.servlet.Servlet;
import org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointProperties;
import org.springframework.boot.actuate.autoconfigure.web.ManagementContextConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/** Serves the console from the servlet container that serves the endpoints. */
@ManagementContextConfiguration(proxyBeanMethods = false)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass({Servlet.class, ConsoleHandler.class})
@ConditionalOnBean(ConsoleHandler.class)
final class ServletConsoleConfiguration {

    @Bean
    static ServletRegistrationBean<ConsoleServlet> groupConcurrencyConsoleServlet(
            ConsoleHandler console, WebEndpointProperties endpoints, Environment environment) {
        String path = ConsolePath.ofServlet(environment, endpoints.getBasePath());
        ServletRegistrationBean<ConsoleServlet> registration =
                new ServletRegistrationBean<>(new ConsoleServlet(console), path, path + "/*");
        registration.setName("groupConcurrencyConsole");
        registration.setAsyncSupported(true);
        return registration;
    }
}
