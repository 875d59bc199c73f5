package io.github.kobe.spring.boot;

import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

/** Does the console work on a management port of its own, in a servlet container? */
@ExtendWith(OutputCaptureExtension.class)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ServletConsoleTest extends ConsoleContract {

    private static ConfigurableApplicationContext context;

    @BeforeAll
    static void start() {
        context = TenantApplication.start(
                Stream.concat(Stream.of(PROPERTIES), Stream.of("group-concurrency.task-executors.mails.group=mails"))
                        .toArray(String[]::new));
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
