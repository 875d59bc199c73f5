package io.github.kobe.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.context.annotation.Import;

/**
 * Puts {@link GroupLimit} into effect, on a {@code @Configuration} class. The Boot starter does it without this annotation.
 *
 * <pre>{@code
 * @Configuration
 * @EnableGroupLimits
 * class Limits {
 *     @Bean
 *     GroupExecutor groups() {
 *         return GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder().defaultMaxConcurrencyPerGroup(8).build());
 *     }
 * }
 * }</pre>
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Import(GroupLimitConfiguration.class)
public @interface EnableGroupLimits {

    /** Whether proxies are always subclasses of the beans. Default no: a bean with an interface gets a JDK proxy. */
    boolean proxyTargetClass() default false;

    /** The order of the {@link GroupLimitBeanPostProcessor}. */
    int order() default GroupLimitBeanPostProcessor.DEFAULT_ORDER;
}
