package io.github.kobe.spring;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Thrown at start if a {@link GroupLimit} cannot take effect. The message names the method, the attribute and its value, and says why. */
public class InvalidGroupLimitException extends IllegalStateException {

    private static final long serialVersionUID = 1;

    private final String method;
    private final String attribute;
    private final String value;
    private final String problem;

    /**
     * Creates an exception.
     *
     * @param method the method that has the annotation, or gets it from its type
     * @param attribute the attribute that is wrong; empty if it is not a single one
     * @param value the value of the attribute
     * @param problem what is wrong with it
     * @param cause what was thrown; {@code null} if nothing
     */
    public InvalidGroupLimitException(
            Method method, String attribute, String value, String problem, @Nullable Throwable cause) {
        super(
                "@GroupLimit on " + describe(method)
                        + (attribute.isEmpty() ? "" : ", " + attribute + " = \"" + value + "\"") + ": " + problem,
                cause);
        this.method = describe(method);
        this.attribute = Objects.requireNonNull(attribute, "attribute");
        this.value = Objects.requireNonNull(value, "value");
        this.problem = Objects.requireNonNull(problem, "problem");
    }

    /** Returns the name of a method for messages, such as "com.example.Orders.ordersOf(String)". */
    static String describe(Method method) {
        return method.getDeclaringClass().getName() + "." + method.getName()
                + Arrays.stream(method.getParameterTypes())
                        .map(Class::getSimpleName)
                        .collect(Collectors.joining(", ", "(", ")"));
    }

    /** Returns the method, such as "com.example.Orders.ordersOf(String)". */
    public String method() {
        return method;
    }

    /** Returns the name of the attribute; empty if the mistake is not in a single one. */
    public String attribute() {
        return attribute;
    }

    /** Returns the value of the attribute, as it is in the source. */
    public String value() {
        return value;
    }

    /** Returns what is wrong. */
    public String problem() {
        return problem;
    }
}
