package io.github.kobe.spring.boot;

import java.util.Collection;
import java.util.List;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementPortType;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.EndpointsSupplier;
import org.springframework.boot.actuate.endpoint.ExposableEndpoint;
import org.springframework.boot.actuate.endpoint.Operation;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoint;
import org.springframework.core.env.Environment;

/** Where the console is, as an endpoint without operations. */
final class ConsolePath implements ExposableEndpoint<Operation>, PathMappedEndpoint {

    /** The last part of the path, and the id of the endpoint. */
    static final String ID = "groupconsole";

    /** Offers the path to beans that collect the paths of endpoints. */
    static final class Supplier implements EndpointsSupplier<ConsolePath> {
        @Override
        public Collection<ConsolePath> getEndpoints() {
            return List.of(new ConsolePath());
        }
    }

    private ConsolePath() {}

    /** Returns the path of the console for a servlet container, without a slash at the end. */
    static String ofServlet(Environment environment, String basePath) {
        String dispatcher = ManagementPortType.get(environment) == ManagementPortType.SAME
                ? environment.getProperty("spring.mvc.servlet.path", "")
                : "";
        return (dispatcher.endsWith("/") ? dispatcher.substring(0, dispatcher.length() - 1) : dispatcher)
                + of(basePath);
    }

    /** @param basePath that of all endpoints */
    static String of(String basePath) {
        return basePath + "/" + ID;
    }

    @Override
    public EndpointId getEndpointId() {
        return EndpointId.of(ID);
    }

    @Override
    public Access getDefaultAccess() {
        return Access.READ_ONLY;
    }

    @Override
    public Collection<Operation> getOperations() {
        return List.of();
    }

    @Override
    public String getRootPath() {
        return ID;
    }
}
