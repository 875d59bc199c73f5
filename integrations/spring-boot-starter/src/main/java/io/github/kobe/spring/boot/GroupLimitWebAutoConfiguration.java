package io.github.kobe.spring.boot;

import io.github.kobe.GroupExecutor;
import io.github.kobe.spring.boot.GroupConcurrencyProperties.Web;
import io.github.kobe.spring.web.GroupLimitFilter;
import io.github.kobe.spring.web.RequestKey;
import jakarta.servlet.Filter;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.autoconfigure.condition.OnPropertyListCondition;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.filter.OncePerRequestFilter;

/** Limits of HTTP requests by a servlet filter, and answers to rejected calls in controllers. */
@AutoConfiguration(after = GroupConcurrencyAutoConfiguration.class)
@ConditionalOnWebApplication
@ConditionalOnClass(RestControllerAdvice.class)
public final class GroupLimitWebAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnBooleanProperty(
            name = GroupConcurrencyProperties.PREFIX + ".web.answer-rejections",
            matchIfMissing = true)
    static RejectionAdvice groupConcurrencyRejectionAdvice() {
        return new RejectionAdvice();
    }

    /** The filter, if the properties name requests. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    @ConditionalOnClass({Filter.class, OncePerRequestFilter.class})
    @Conditional(OnUrlPatterns.class)
    static final class FilterConfiguration {

        @Bean
        static FilterRegistrationBean<GroupLimitFilter> groupLimitFilter(
                GroupConcurrencyProperties properties, ListableBeanFactory beans, ObjectProvider<RequestKey> key) {
            Web web = properties.web();
            GroupExecutor executor =
                    ExecutorChoice.find(beans, GroupConcurrencyProperties.PREFIX + ".web.executor", web.executor());
            GroupLimitFilter.Builder builder = GroupLimitFilter.builder(
                            executor, key.getIfAvailable(() -> RequestKey.header(web.header())))
                    .passWithoutKey(web.passWithoutKey())
                    .announce(web.announce());
            CheckedProperties checked = new CheckedProperties(
                    CheckedProperties.path(GroupConcurrencyProperties.PREFIX, "web"), builder::build);
            checked.set("group", web.group(), builder::group);
            checked.set("max-wait", web.maxWait(), builder::maxWait);
            checked.set("max-key-length", web.maxKeyLength(), builder::maxKeyLength);
            FilterRegistrationBean<GroupLimitFilter> registration = new FilterRegistrationBean<>(builder.build());
            registration.setUrlPatterns(web.urlPatterns());
            registration.setOrder(web.order());
            return registration;
        }
    }

    private static final class OnUrlPatterns extends OnPropertyListCondition {

        OnUrlPatterns() {
            super(
                    GroupConcurrencyProperties.PREFIX + ".web.url-patterns",
                    () -> ConditionMessage.forCondition("URL patterns of GroupLimitFilter"));
        }
    }
}
