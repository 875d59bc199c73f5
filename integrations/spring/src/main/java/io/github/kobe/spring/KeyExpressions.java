package io.github.kobe.spring;

import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeanUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.NativeDetector;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelCompilerMode;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.SpelParserConfiguration;
import org.springframework.expression.spel.ast.FunctionReference;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.StandardEvaluationContext;

/**
 * Parses the attributes {@code group} and {@code key}. Everything that can be known without a call is checked and looked up here, once for each
 * method: the syntax, and the parameters that the expression names. An expression that is only an argument is not evaluated by SpEL.
 */
final class KeyExpressions {

    private static final char SEPARATOR = ':';

    private final SpelExpressionParser parser;
    private final ParameterNameDiscoverer parameterNames = new DefaultParameterNameDiscoverer();
    private final StandardEvaluationContext shared = new StandardEvaluationContext();

    /** @param classLoader defines the classes that SpEL compiles expressions to */
    KeyExpressions(BeanFactory beans, @Nullable ClassLoader classLoader) {
        shared.setBeanResolver(new BeanFactoryResolver(beans));
        parser = new SpelExpressionParser(new SpelParserConfiguration(
                NativeDetector.inNativeImage() ? SpelCompilerMode.OFF : SpelCompilerMode.MIXED, classLoader));
    }

    /**
     * Parses the attributes of a method.
     *
     * @param group the group, with its placeholders resolved
     * @param key the expression
     */
    GroupKey parse(Method method, String group, String key) {
        if (key.isBlank()) {
            if (group.isEmpty()) {
                throw new InvalidGroupLimitException(method, "", "", "it has neither a group nor a key", null);
            }
            return call -> group;
        }
        if (group.indexOf(SEPARATOR) >= 0) {
            throw new InvalidGroupLimitException(
                    method, "group", group, "a group that is joined with a key must not contain a colon", null);
        }
        String prefix = group.isEmpty() ? "" : group + SEPARATOR;
        SpelExpression expression = expression(method, key);
        Map<String, Integer> arguments = arguments(method);
        checkVariables(expression.getAST(), method, key, arguments);
        Integer only =
                expression.getAST() instanceof VariableReference variable ? arguments.get(nameOf(variable)) : null;
        KeyText text = new KeyText(method, key, prefix);
        if (only != null) {
            int index = only;
            return call -> text.of(call.getArguments()[index]);
        }
        return call -> text.of(evaluate(expression, new CallEvaluation(call, arguments, shared), text));
    }

    private SpelExpression expression(Method method, String key) {
        try {
            return parser.parseRaw(key);
        } catch (ParseException | IllegalStateException e) {
            throw new InvalidGroupLimitException(method, "key", key, "it does not parse: " + e.getMessage(), e);
        }
    }

    /** The names by which an expression may refer to an argument, and its position. */
    private Map<String, Integer> arguments(Method method) {
        Map<String, Integer> arguments = new HashMap<>();
        @Nullable String @Nullable [] names = parameterNames.getParameterNames(method);
        for (int i = 0; i < method.getParameterCount(); i++) {
            arguments.put("p" + i, i);
            arguments.put("a" + i, i);
        }
        for (int i = 0; names != null && i < names.length; i++) {
            if (names[i] != null) {
                arguments.put(names[i], i);
            }
        }
        return Map.copyOf(arguments);
    }

    /** A variable that does not exist would be {@code null} at each call. */
    private static void checkVariables(SpelNode node, Method method, String key, Map<String, Integer> arguments) {
        if (node instanceof FunctionReference) {
            throw new InvalidGroupLimitException(method, "key", key, "it calls a function, and there are none", null);
        }
        if (node instanceof VariableReference variable) {
            String name = nameOf(variable);
            if (!arguments.containsKey(name) && !name.equals("root") && !name.equals("this")) {
                throw new InvalidGroupLimitException(
                        method,
                        "key",
                        key,
                        "the method has no parameter '" + name + "', only "
                                + arguments.keySet().stream().sorted().toList()
                                + ". Their names need the compiler option -parameters, of Kotlin -java-parameters",
                        null);
            }
        }
        for (int i = 0; i < node.getChildCount(); i++) {
            checkVariables(node.getChild(i), method, key, arguments);
        }
    }

    private static String nameOf(VariableReference variable) {
        return variable.toStringAST().substring(1);
    }

    private static @Nullable Object evaluate(SpelExpression expression, CallEvaluation call, KeyText text) {
        try {
            return expression.getValue(call);
        } catch (EvaluationException e) {
            throw new IllegalArgumentException(text.description() + " cannot be evaluated: " + e.getMessage(), e);
        }
    }

    /** Makes the key of a value. */
    private record KeyText(Method method, String key, String prefix) {

        String of(@Nullable Object value) {
            if (value instanceof String text) {
                return prefix.isEmpty() ? text : prefix + text;
            }
            return ofOther(value);
        }

        /** An object without a text of its own would make a new group for each call. */
        private String ofOther(@Nullable Object value) {
            Object simple = value instanceof Optional<?> optional ? optional.orElse(null) : value;
            if (simple == null) {
                throw new IllegalArgumentException(description() + " is null");
            }
            if (!BeanUtils.isSimpleValueType(simple.getClass())) {
                throw new IllegalArgumentException(description() + " is a "
                        + simple.getClass().getName() + ", and not text, a number or another simple value");
            }
            return prefix + simple;
        }

        String description() {
            return "The key of @GroupLimit on " + InvalidGroupLimitException.describe(method) + ", \"" + key + "\",";
        }
    }

    /** What an expression sees as {@code #root}. */
    static final class CallRoot {

        private final MethodInvocation call;

        CallRoot(MethodInvocation call) {
            this.call = call;
        }

        /** Returns the called method. */
        public Method getMethod() {
            return call.getMethod();
        }

        /** Returns the name of the called method. */
        public String getMethodName() {
            return call.getMethod().getName();
        }

        /** Returns the bean itself, without its proxy. */
        public @Nullable Object getTarget() {
            return call.getThis();
        }

        /** Returns the class of the bean. */
        public Class<?> getTargetClass() {
            Object target = call.getThis();
            return target == null ? call.getMethod().getDeclaringClass() : target.getClass();
        }

        /** Returns the arguments. */
        public @Nullable Object[] getArgs() {
            return call.getArguments();
        }
    }
}
