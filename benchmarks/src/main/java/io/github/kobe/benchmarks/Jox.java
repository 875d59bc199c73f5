package io.github.kobe.benchmarks;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandleProxies;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.List;
import java.util.concurrent.Callable;

/**
 * Calls jox, which is compiled with preview features. This module is not, so it uses method handles. They are constants, so that compiled
 * code calls jox directly.
 */
final class Jox {

    private static final String PACKAGE = "com.softwaremill.jox.structured.";
    private static final MethodHandle SUPERVISED;
    private static final MethodHandle FORK;
    private static final MethodHandle JOIN;
    private static final MethodHandle PAR_LIMIT;
    private static final Class<?> SCOPED;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.publicLookup();
            SCOPED = Class.forName(PACKAGE + "Scoped");
            Class<?> scope = Class.forName(PACKAGE + "Scope");
            Class<?> fork = Class.forName(PACKAGE + "Fork");
            SUPERVISED = lookup.findStatic(
                            Class.forName(PACKAGE + "Scopes"),
                            "supervised",
                            MethodType.methodType(Object.class, SCOPED))
                    .asType(MethodType.methodType(Object.class, Object.class));
            FORK = lookup.findVirtual(scope, "fork", MethodType.methodType(fork, Callable.class))
                    .asType(MethodType.methodType(Object.class, Object.class, Callable.class));
            JOIN = lookup.findVirtual(fork, "join", MethodType.methodType(Object.class))
                    .asType(MethodType.methodType(Object.class, Object.class));
            PAR_LIMIT = lookup.findStatic(
                    Class.forName(PACKAGE + "Par"),
                    "parLimit",
                    MethodType.methodType(List.class, int.class, List.class));
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private Jox() {}

    /** The body of a scope. */
    interface Body {
        Object run(Object scope) throws Throwable;
    }

    static Object supervised(Body body) throws Throwable {
        MethodHandle run = MethodHandles.lookup()
                .findVirtual(Body.class, "run", MethodType.methodType(Object.class, Object.class))
                .bindTo(body);
        return SUPERVISED.invokeExact((Object) MethodHandleProxies.asInterfaceInstance(SCOPED, run));
    }

    static Object fork(Object scope, Callable<?> task) throws Throwable {
        return FORK.invokeExact(scope, task);
    }

    /** Runs all tasks, at most {@code limit} at the same time. */
    static List<?> parLimit(int limit, List<Callable<Object>> tasks) throws Throwable {
        return (List<?>) (Object) PAR_LIMIT.invoke(limit, tasks);
    }

    static Object join(Object fork) throws Throwable {
        return JOIN.invokeExact(fork);
    }
}
