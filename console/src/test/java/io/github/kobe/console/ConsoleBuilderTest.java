package io.github.kobe.console;

import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.github.kobe.GroupExecutor;
import io.github.kobe.isolation.IsolationExecutor;
import io.github.kobe.pool.WorkerPool;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Which settings are refused? */
class ConsoleBuilderTest {

    private static final String TOKEN = "0123456789abcdef0123456789abcdef";

    private final GroupExecutor executor = ConsoleKit.executor(b -> b);

    @AfterEach
    void close() {
        executor.close();
    }

    private static void refused(Runnable call, String message) {
        assertThatIllegalArgumentException().isThrownBy(call::run).withMessage(message);
    }

    private ConsoleBuilder builder() {
        return Console.builder().add(executor);
    }

    @Test
    void valuesOutOfRange() {
        refused(() -> builder().port(-1), "port must be from 0 to 65535, but is -1");
        refused(() -> builder().port(65_536), "port must be from 0 to 65535, but is 65536");
        refused(() -> builder().title(" "), "title must be not blank and at most 60 characters, but is  ");
        refused(
                () -> builder().title("x".repeat(61)),
                "title must be not blank and at most 60 characters, but is " + "x".repeat(61));
        refused(
                () -> builder().allowedHost("https://a"),
                "allowedHost must be a name such as ops.example.com:8443, but is https://a");
        refused(() -> builder().allowedHost("*"), "allowedHost must be a name such as ops.example.com:8443, but is *");
    }

    @Test
    void settingsThatContradictEachOther() {
        refused(() -> Console.builder().start(), "a console needs at least one executor, see add");
        refused(
                () -> builder().token(TOKEN).authenticator(e -> "eva").start(),
                "a console has a token or an authenticator, but not both");
        refused(() -> builder().allowAnyHost(true).start(), "allowAnyHost needs an authenticator");
    }

    @Test
    void handlerThatNobodyOrEverybodyCouldUse() {
        refused(() -> builder().allowedHost("a").handler(), "a handler needs an authenticator or a token");
        refused(() -> builder().token(TOKEN).handler(), "a handler needs allowedHost or allowAnyHost");
    }

    @Test
    void nullIsNamed() {
        assertThatNullPointerException()
                .isThrownBy(() -> Console.builder().add((GroupExecutor) null))
                .withMessage("executor");
        assertThatNullPointerException()
                .isThrownBy(() -> Console.builder().add((WorkerPool) null))
                .withMessage("pool");
        assertThatNullPointerException()
                .isThrownBy(() -> Console.builder().add((IsolationExecutor) null))
                .withMessage("executor");
        assertThatNullPointerException().isThrownBy(() -> builder().title(null)).withMessage("title");
        assertThatNullPointerException().isThrownBy(() -> builder().token(null)).withMessage("token");
        assertThatNullPointerException()
                .isThrownBy(() -> builder().address(null))
                .withMessage("address");
        assertThatNullPointerException()
                .isThrownBy(() -> builder().allowedHost(null))
                .withMessage("host");
        assertThatNullPointerException()
                .isThrownBy(() -> builder().authenticator(null))
                .withMessage("authenticator");
    }
}
