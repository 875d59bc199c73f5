package io.github.kobe.spring;

import java.lang.reflect.Method;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import org.reactivestreams.Publisher;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.util.ClassUtils;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** How long a call holds its permit, by the declared return type of the method. */
enum ReturnKind {
    /** Until the method returns. */
    VALUE,
    /** Until the stage completes. */
    STAGE,
    /** While a subscription is active. */
    PUBLISHER;

    private static final boolean REACTOR =
            ClassUtils.isPresent("reactor.core.publisher.Mono", ReturnKind.class.getClassLoader());

    static ReturnKind of(Method method) {
        Class<?> type = method.getReturnType();
        if (isSuspending(method)) {
            throw new InvalidGroupLimitException(
                    method,
                    "",
                    "",
                    "it is a Kotlin suspend function, whose permit would be released at its first suspension. Call"
                            + " acquireAsync of the executor in it, or return a Mono or a CompletionStage",
                    null);
        }
        if (CompletionStage.class.isAssignableFrom(type) || Future.class.isAssignableFrom(type)) {
            return STAGE;
        }
        if (REACTOR && Reactor.isPublisher(type)) {
            return PUBLISHER;
        }
        if (ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) != null) {
            throw new InvalidGroupLimitException(
                    method,
                    "",
                    "",
                    "it returns a " + type.getName() + ", whose permit would be released when the method returns."
                            + " Return a Mono, a Flux, a Publisher or a CompletionStage",
                    null);
        }
        return VALUE;
    }

    private static boolean isSuspending(Method method) {
        Class<?>[] types = method.getParameterTypes();
        return types.length > 0 && types[types.length - 1].getName().equals("kotlin.coroutines.Continuation");
    }

    /** Loaded only if Reactor is there. */
    private static final class Reactor {

        static boolean isPublisher(Class<?> type) {
            return type == Mono.class || type == Flux.class || type == Publisher.class;
        }
    }
}
