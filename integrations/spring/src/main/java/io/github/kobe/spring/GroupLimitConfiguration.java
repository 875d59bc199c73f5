package io.github.kobe.spring;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.ImportAware;
import org.springframework.context.annotation.Role;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.type.AnnotationMetadata;

/** What {@link EnableGroupLimits} imports. */
@Configuration(proxyBeanMethods = false)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
class GroupLimitConfiguration implements ImportAware {

    private @Nullable MergedAnnotation<EnableGroupLimits> annotation;

    @Override
    public void setImportMetadata(AnnotationMetadata metadata) {
        annotation = metadata.getAnnotations().get(EnableGroupLimits.class);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    GroupLimitBeanPostProcessor groupLimitBeanPostProcessor() {
        GroupLimitBeanPostProcessor processor = new GroupLimitBeanPostProcessor();
        if (annotation != null && annotation.isPresent()) {
            processor.setOrder(annotation.getInt("order"));
            if (annotation.getBoolean("proxyTargetClass")) {
                processor.setProxyTargetClass(true);
            }
        }
        return processor;
    }
}
