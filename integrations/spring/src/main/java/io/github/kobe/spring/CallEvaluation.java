package io.github.kobe.spring;

import java.util.List;
import java.util.Map;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.BeanResolver;
import org.springframework.expression.ConstructorResolver;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.IndexAccessor;
import org.springframework.expression.MethodResolver;
import org.springframework.expression.OperatorOverloader;
import org.springframework.expression.PropertyAccessor;
import org.springframework.expression.TypeComparator;
import org.springframework.expression.TypeConverter;
import org.springframework.expression.TypeLocator;
import org.springframework.expression.TypedValue;
import org.springframework.expression.spel.support.StandardEvaluationContext;

/**
 * What an expression sees of one call. Everything but the arguments is shared by all calls: Spring's own contexts, one for each call, would cost more
 * than the evaluation.
 */
final class CallEvaluation implements EvaluationContext {

    private final MethodInvocation call;
    private final Map<String, Integer> arguments;
    private final StandardEvaluationContext shared;

    CallEvaluation(MethodInvocation call, Map<String, Integer> arguments, StandardEvaluationContext shared) {
        this.call = call;
        this.arguments = arguments;
        this.shared = shared;
    }

    @Override
    public TypedValue getRootObject() {
        return new TypedValue(new KeyExpressions.CallRoot(call));
    }

    @Override
    public @Nullable Object lookupVariable(String name) {
        Integer index = arguments.get(name);
        return index == null ? null : call.getArguments()[index];
    }

    @Override
    public void setVariable(String name, @Nullable Object value) {
        throw new IllegalStateException("the key of a group must not set the variable '" + name + "'");
    }

    @Override
    public boolean isAssignmentEnabled() {
        return false;
    }

    @Override
    public List<PropertyAccessor> getPropertyAccessors() {
        return shared.getPropertyAccessors();
    }

    @Override
    public List<IndexAccessor> getIndexAccessors() {
        return shared.getIndexAccessors();
    }

    @Override
    public List<ConstructorResolver> getConstructorResolvers() {
        return shared.getConstructorResolvers();
    }

    @Override
    public List<MethodResolver> getMethodResolvers() {
        return shared.getMethodResolvers();
    }

    @Override
    public @Nullable BeanResolver getBeanResolver() {
        return shared.getBeanResolver();
    }

    @Override
    public TypeLocator getTypeLocator() {
        return shared.getTypeLocator();
    }

    @Override
    public TypeConverter getTypeConverter() {
        return shared.getTypeConverter();
    }

    @Override
    public TypeComparator getTypeComparator() {
        return shared.getTypeComparator();
    }

    @Override
    public OperatorOverloader getOperatorOverloader() {
        return shared.getOperatorOverloader();
    }
}
