package io.github.kobe.spring.web;

import jakarta.servlet.http.HttpServletRequest;
import java.security.Principal;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.PathContainer;
import org.springframework.web.util.ServletRequestPathUtils;
import org.springframework.web.util.UriTemplate;
import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPatternParser;

/** The key of a request: who makes it. Called on the thread of the request, by several threads at a time. */
@FunctionalInterface
public interface RequestKey {

    /** Returns the key of {@code request}; {@code null} if it has none. */
    @Nullable
    String of(HttpServletRequest request);

    /** Returns the value of a header; none if the header is absent or blank. The first one counts. */
    static RequestKey header(String name) {
        Objects.requireNonNull(name, "name");
        return request -> {
            String value = request.getHeader(name);
            return value == null || value.isBlank() ? null : value;
        };
    }

    /**
     * Returns a variable of the path, decoded; none if the path does not match.
     *
     * @param pattern the path in the application, such as {@code /tenants/{tenant}/**}, as in {@code @RequestMapping}
     * @param variable the name of the variable, such as {@code tenant}
     * @throws IllegalArgumentException if the pattern does not parse, or has no such variable
     */
    static RequestKey pathVariable(String pattern, String variable) {
        Objects.requireNonNull(variable, "variable");
        PathPattern parsed = PathPatternParser.defaultInstance.parse(pattern); // throws an IllegalArgumentException
        List<String> variables = new UriTemplate(pattern).getVariableNames();
        if (!variables.contains(variable) && !variables.contains("*" + variable)) {
            throw new IllegalArgumentException("the pattern " + pattern + " has no variable '" + variable + "'");
        }
        return request -> {
            PathContainer path = ServletRequestPathUtils.parse(request).pathWithinApplication();
            PathPattern.PathMatchInfo match = parsed.matchAndExtract(path);
            return match == null ? null : match.getUriVariables().get(variable);
        };
    }

    /** Returns the name of the user; none if the request is not authenticated. The filter has to come after the one that authenticates. */
    static RequestKey principal() {
        return request -> {
            Principal principal = request.getUserPrincipal();
            return principal == null ? null : principal.getName();
        };
    }

    /** Returns this key, or, if a request has none, {@code key}. */
    default RequestKey orElse(String key) {
        Objects.requireNonNull(key, "key");
        return request -> {
            String own = of(request);
            return own == null ? key : own;
        };
    }
}
