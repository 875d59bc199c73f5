package io.github.kobe.spring.boot;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.tomcat.autoconfigure.actuate.web.server.TomcatReactiveManagementContextAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;

/** Does the console work on a management port of its own, with WebFlux? */
@ExtendWith(OutputCaptureExtension.class)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ReactiveConsoleTest extends ConsoleContract {

    private static ConfigurableApplicationContext context;

    @BeforeAll
    static void start() {
        String[] properties = PROPERTIES.clone();
        properties[0] += "," + TomcatReactiveManagementContextAutoConfiguration.class.getName(); // there is Netty
        context = ReactiveApplication.start(properties);
    }

    @AfterAll
    static void stop() {
        context.close();
    }

    @Override
    ConfigurableApplicationContext context() {
        return context;
    }

    @Test
    @Order(Integer.MAX_VALUE)
    void streamsEndWhenTheApplicationStops(CapturedOutput output) throws Exception {
        streamsEndBeforeTheServerWaitsForThem(context, output);
    }
}
