package io.github.kobe.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.Banner;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.security.autoconfigure.actuate.web.servlet.EndpointRequest;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;

/** Do rules for endpoints protect the console of an application that is otherwise open? */
class EndpointRulesTest {

    private static final String CREDENTIALS =
            "Basic " + Base64.getEncoder().encodeToString("user:secret".getBytes(StandardCharsets.UTF_8));

    private static ConfigurableApplicationContext context;
    private static Http http;

    @BeforeAll
    static void start() {
        context = new SpringApplicationBuilder(TenantApplication.class, Rules.class)
                .bannerMode(Banner.Mode.OFF)
                .logStartupInfo(false)
                .properties(
                        "server.port=0",
                        "server.address=127.0.0.1",
                        "spring.main.web-application-type=servlet",
                        "spring.mvc.servlet.path=/app",
                        "spring.security.user.password=secret",
                        "management.endpoints.web.base-path=/manage",
                        "group-concurrency.task-executors.mails.group=mails",
                        "group-concurrency.console.enabled=true")
                .run();
        http = Http.to(context);
    }

    @AfterAll
    static void stop() {
        context.close();
    }

    @Test
    void theConsoleIsAnEndpoint() {
        assertThat(http.get("/app/orders?tenant=acme").body()).as("open").isEqualTo("orders of acme");
        for (String path : List.of("", "/", "/console.js", "/api/view", "/api/stream")) {
            assertThat(http.get("/app/manage/groupconsole" + path).statusCode())
                    .as(path)
                    .isEqualTo(401);
        }
        assertThat(http.get("/app/manage/groupconsole/api/view", "Authorization", CREDENTIALS)
                        .statusCode())
                .isEqualTo(200);
    }

    @Configuration(proxyBeanMethods = false)
    static class Rules {

        @Bean
        @Order(1)
        SecurityFilterChain endpoints(HttpSecurity http) throws Exception {
            return http.securityMatcher(EndpointRequest.toAnyEndpoint())
                    .authorizeHttpRequests(requests -> requests.anyRequest().authenticated())
                    .httpBasic(Customizer.withDefaults())
                    .build();
        }

        @Bean
        @Order(2)
        SecurityFilterChain others(HttpSecurity http) throws Exception {
            return http.authorizeHttpRequests(requests -> requests.anyRequest().permitAll())
                    .build();
        }
    }
}
