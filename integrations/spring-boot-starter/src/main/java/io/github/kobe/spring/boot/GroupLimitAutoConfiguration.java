package io.github.kobe.spring.boot;

import io.github.kobe.spring.GroupLimitBeanPostProcessor;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;

/** Puts {@link io.github.kobe.spring.GroupLimit} into effect. */
@AutoConfiguration(after = GroupConcurrencyAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = GroupConcurrencyProperties.PREFIX + ".annotation.enabled", matchIfMissing = true)
@ConditionalOnMissingBean(GroupLimitBeanPostProcessor.class)
public final class GroupLimitAutoConfiguration {

    /** Reads the environment alone: what a post-processor depends on is created too early for other post-processors. */
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static GroupLimitBeanPostProcessor groupLimitBeanPostProcessor(Environment environment) {
        GroupConcurrencyProperties.Annotation properties =
                GroupConcurrencyProperties.bind(environment).annotation();
        GroupLimitBeanPostProcessor processor = new GroupLimitBeanPostProcessor();
        processor.setProxyTargetClass(environment.getProperty("spring.aop.proxy-target-class", Boolean.class, true));
        processor.setAnnounce(properties.announce());
        if (properties.order() != null) {
            processor.setOrder(properties.order());
        }
        return processor;
    }
}
