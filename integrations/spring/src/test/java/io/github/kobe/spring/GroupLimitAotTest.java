package io.github.kobe.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import java.lang.reflect.Method;
import org.junit.jupiter.api.Test;
import org.springframework.aot.generate.ClassNameGenerator;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.aot.test.generate.TestGenerationContext;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.test.tools.CompileWithForkedClassLoader;
import org.springframework.core.test.tools.TestCompiler;
import org.springframework.javapoet.ClassName;

/** Are limits in effect in an application that was processed ahead of time? */
class GroupLimitAotTest {

    private static final ClassName TARGET = ClassName.get("io.github.kobe.spring", "Aot");

    private final TestGenerationContext generation = new TestGenerationContext(new ClassNameGenerator(TARGET));

    private ClassName process() {
        AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext(); // not refreshed
        context.register(Application.class);
        ClassName initializer = new ApplicationContextAotGenerator().processAheadOfTime(context, generation);
        generation.writeGeneratedContent();
        return initializer;
    }

    @Test
    @CompileWithForkedClassLoader // generated classes use classes of this package
    void theGeneratedContextHasTheLimits() {
        ClassName initializer = process();
        TestCompiler.forSystem().with(generation).compile(compiled -> {
            @SuppressWarnings("unchecked")
            ApplicationContextInitializer<GenericApplicationContext> generated =
                    compiled.getInstance(ApplicationContextInitializer.class, initializer.toString());
            try (GenericApplicationContext context = new GenericApplicationContext()) {
                generated.initialize(context);
                context.refresh();
                Service service = context.getBean(Service.class);
                assertThat(service.holds("acme")).isTrue();
                assertThat(service.holdsByRoot("acme")).isTrue();
                assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(() -> service.holds(null));
            }
        });
    }

    @Test
    void aNativeImageGetsHintsForAnnotatedMethodsAndForTheRootOfExpressions() throws Exception {
        process();
        RuntimeHints hints = generation.getRuntimeHints();
        Method method = Service.class.getDeclaredMethod("holds", String.class);
        assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(method))
                .accepts(hints);
        assertThat(RuntimeHintsPredicates.reflection()
                        .onMethodInvocation(KeyExpressions.CallRoot.class, "getMethodName"))
                .accepts(hints);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableGroupLimits
    static class Application {

        @Bean
        GroupExecutor groups() {
            return GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder().build());
        }

        @Bean
        Service service(GroupExecutor groups) {
            return new Service(groups);
        }
    }

    static class Service {

        private final GroupExecutor groups;

        Service(GroupExecutor groups) {
            this.groups = groups;
        }

        @GroupLimit(group = "orders", key = "#tenant")
        boolean holds(String tenant) {
            return groups.holds("orders:" + tenant);
        }

        @GroupLimit(key = "methodName + #root.args[0]")
        boolean holdsByRoot(String tenant) {
            return groups.holds("holdsByRoot" + tenant);
        }
    }
}
