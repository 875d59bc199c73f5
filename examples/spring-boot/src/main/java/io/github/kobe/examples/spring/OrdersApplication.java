package io.github.kobe.examples.spring;

import io.github.kobe.GroupExecutor;
import io.github.kobe.spring.GroupTaskExecutor;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/** Starts the API. The limits are in application.yml. */
@SpringBootApplication
@EnableAsync
public class OrdersApplication {

    public static void main(String[] args) {
        SpringApplication.run(OrdersApplication.class, args);
    }

    /** Runs the methods with {@code @Async("reports")}, each as a task of the group of its tenant. */
    @Bean(defaultCandidate = false)
    GroupTaskExecutor reports(GroupExecutor groups) {
        return GroupTaskExecutor.builder(groups)
                .groupKey(() -> "reports:" + currentTenant())
                .build();
    }

    private static String currentTenant() {
        return ((ServletRequestAttributes) RequestContextHolder.currentRequestAttributes())
                .getRequest()
                .getHeader("X-Tenant");
    }
}
