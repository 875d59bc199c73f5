package io.github.kobe.spring;

import io.github.kobe.GroupExecutor;
import io.github.kobe.Permit;
import io.github.kobe.PermitOptions;
import java.lang.reflect.Method;
import java.lang.reflect.UndeclaredThrowableException;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Advisor;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;

/** The advice around one method with a {@link GroupLimit}, with everything that is known before a call. */
final class LimitedMethod implements MethodInterceptor {

    private final Method method;

    private final GroupKey key;
    private final PermitOptions options;
    private final ReturnKind kind;
    private final boolean declaresInterrupt;
    private final Supplier<GroupExecutor> lookup;

    /** {@code null} until the first call, or until all singletons exist: the executor may depend on the bean of the method. */
    private volatile @Nullable GroupExecutor executor;

    LimitedMethod(Method method, GroupKey key, PermitOptions options, ReturnKind kind, Supplier<GroupExecutor> lookup) {
        this.method = method;
        this.key = key;
        this.options = options;
        this.kind = kind;
        this.lookup = lookup;
        this.declaresInterrupt = declaresInterrupt(method);
    }

    private static boolean declaresInterrupt(Method method) {
        for (Class<?> type : method.getExceptionTypes()) {
            if (type.isAssignableFrom(InterruptedException.class)) {
                return true;
            }
        }
        return false;
    }

    /** Returns the executor. The first call looks it up. */
    GroupExecutor executor() {
        GroupExecutor known = executor;
        if (known == null) {
            known = lookup.get();
            executor = known;
        }
        return known;
    }

    /** Returns an advisor of this method alone. So a call does not have to look up its limit. */
    Advisor advisor() {
        return new DefaultPointcutAdvisor(new OneMethod(method), this);
    }

    @Override
    public @Nullable Object invoke(MethodInvocation call) throws Throwable {
        if (kind != ReturnKind.VALUE) {
            return kind == ReturnKind.STAGE ? invokeForStage(call) : invokeForPublisher(call);
        }
        String group = key.of(call);
        Proceeding proceeding = new Proceeding(call);
        try {
            return executor().call(group, proceeding, options);
        } catch (InterruptedException e) {
            throw proceeding.begun ? e : interrupted(group, e);
        }
    }

    /** The permit of a stage is held by nobody's thread: the thread of the caller goes on to other work. */
    private @Nullable Object invokeForStage(MethodInvocation call) throws Throwable {
        String group = key.of(call);
        Permit permit = acquire(group);
        boolean held = false;
        try {
            Object result = call.proceed();
            if (result instanceof CompletionStage<?> stage) {
                permit.detach();
                stage.whenComplete((value, fault) -> permit.close());
                held = true;
            }
            return result;
        } finally {
            if (!held) {
                permit.close();
            }
        }
    }

    private Permit acquire(String group) throws InterruptedException {
        try {
            return executor().acquire(group, options);
        } catch (InterruptedException e) {
            throw interrupted(group, e);
        }
    }

    private @Nullable Object invokeForPublisher(MethodInvocation call) throws Throwable {
        String group = key.of(call);
        return LimitedPublishers.limit(call.proceed(), executor(), group, options);
    }

    /** A proxy must not throw a checked exception that its method does not declare. */
    private InterruptedException interrupted(String group, InterruptedException e) throws InterruptedException {
        if (declaresInterrupt) {
            return e;
        }
        Thread.currentThread().interrupt();
        CancellationException cancelled = new CancellationException(
                "interrupted while " + options.taskId() + " waited for a permit of group '" + group + "'");
        cancelled.initCause(e);
        throw cancelled;
    }

    private static final class OneMethod extends StaticMethodMatcherPointcut {

        private final Method method;

        OneMethod(Method method) {
            this.method = method;
        }

        @Override
        public boolean matches(Method called, Class<?> targetClass) {
            return method.equals(called) || method.equals(AopUtils.getMostSpecificMethod(called, targetClass));
        }
    }

    private static final class Proceeding implements Callable<@Nullable Object> {

        private final MethodInvocation call;
        private boolean begun;

        Proceeding(MethodInvocation call) {
            this.call = call;
        }

        @Override
        public @Nullable Object call() throws Exception {
            begun = true;
            try {
                return call.proceed();
            } catch (Exception | Error e) {
                throw e;
            } catch (Throwable e) {
                throw new UndeclaredThrowableException(e);
            }
        }
    }
}
