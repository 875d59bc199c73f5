package io.github.kobe.spring.boot;

import io.github.kobe.GroupExecutor;
import io.github.kobe.spring.GroupLimit;
import java.util.Arrays;
import org.springframework.boot.Banner;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;

/** An application that has the starter and nothing else. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
public class MinimalApplication {

    @Bean
    Greeter greeter(GroupExecutor executor) {
        return new Greeter(executor);
    }

    static class Greeter {

        private final GroupExecutor executor;

        Greeter(GroupExecutor executor) {
            this.executor = executor;
        }

        @GroupLimit(key = "#tenant")
        String greet(String tenant) {
            return "hello " + tenant + (executor.holds(tenant) ? " in group " + tenant : " without a permit");
        }
    }

    /** Starts, calls a limited method, stops. */
    public static String run() {
        try (ConfigurableApplicationContext context = new SpringApplicationBuilder(MinimalApplication.class)
                .web(WebApplicationType.NONE)
                .bannerMode(Banner.Mode.OFF)
                .logStartupInfo(false)
                .run()) {
            return Arrays.toString(context.getBeanNamesForType(GroupExecutor.class)) + ": "
                    + context.getBean(Greeter.class).greet("acme");
        }
    }
}
