package io.github.kobe.console;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The tests run in a real browser. Where none is installed they are skipped, with a notice; if the environment has
 * {@code GROUP_CONCURRENCY_BROWSER=required}, they fail.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(BrowserExtension.class)
@Tag("browser")
@Timeout(120)
@interface NeedsBrowser {}
