package io.github.kobe.docs;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Runs samples and reports the location of errors on the page. */
final class SampleRunner {

    private static final String ANYTHING = "…";

    private final SampleCompiler.Compiled compiled;
    private final Duration longest;
    private final ClassLoader loader;

    /** @param longest the timeout of a sample, so that a hanging sample fails */
    SampleRunner(List<Sample> samples, Duration longest) {
        this.compiled = SampleCompiler.compile(samples);
        this.longest = longest;
        this.loader = new ClassLoader(SampleRunner.class.getClassLoader()) {
            @Override
            protected Class<?> findClass(String name) throws ClassNotFoundException {
                byte[] bytes = compiled.classes().get(name);
                if (bytes == null) {
                    throw new ClassNotFoundException(name);
                }
                return defineClass(name, bytes, 0, bytes.length);
            }
        };
    }

    /** @throws AssertionError if it does not compile without warnings, throws, hangs, or prints other output than on the page */
    void run(Sample sample) throws Exception {
        List<String> complaints = compiled.complaints().get(sample);
        if (complaints != null) {
            throw new AssertionError(String.join("\n", complaints));
        }
        SampleBase code = (SampleBase)
                loader.loadClass(sample.className()).getConstructor().newInstance();
        String printed = printedBy(() -> runOnItsOwnThread(sample, code));
        compare(sample, printed.lines().toList());
    }

    private void runOnItsOwnThread(Sample sample, SampleBase code) throws Exception {
        AtomicReference<@Nullable Throwable> thrown = new AtomicReference<>();
        Thread thread = Thread.ofPlatform().daemon().name(sample.where()).start(() -> {
            try {
                code.run();
            } catch (Throwable e) {
                thrown.set(e);
            }
        });
        if (!thread.join(longest)) {
            StackTraceElement[] stack = thread.getStackTrace();
            thread.interrupt();
            throw new AssertionError(where(sample, stack) + ": has not ended after " + longest);
        }
        code.closeAll();
        Throwable failure = thrown.get();
        if (failure != null) {
            throw new AssertionError(where(sample, failure.getStackTrace()) + ": " + trace(failure), failure);
        }
    }

    private static String where(Sample sample, StackTraceElement[] stack) {
        return Stream.of(stack)
                .filter(frame -> frame.getClassName().startsWith(sample.className()))
                .map(frame -> sample.where(frame.getLineNumber()))
                .filter(place -> place != null)
                .findFirst()
                .orElse(sample.where());
    }

    private static String trace(Throwable failure) {
        StringWriter text = new StringWriter();
        failure.printStackTrace(new PrintWriter(text));
        return text.toString();
    }

    private static void compare(Sample sample, List<String> printed) {
        List<Sample.Line> expected = sample.printed();
        if (expected.isEmpty()) {
            return;
        }
        for (int i = 0; i < expected.size(); i++) {
            Sample.Line line = expected.get(i);
            if (i >= printed.size() || !matches(line.text(), printed.get(i))) {
                throw new AssertionError(sample.where(line) + ": the page says that it prints '" + line.text()
                        + "', but all that it prints is\n" + String.join("\n", printed));
            }
        }
        if (printed.size() > expected.size()) {
            throw new AssertionError(sample.where(expected.getLast())
                    + ": the page ends here, but it goes on to print '" + printed.get(expected.size()) + "'");
        }
    }

    private static boolean matches(String expected, String printed) {
        String pattern = Pattern.compile(ANYTHING)
                .splitAsStream(expected + "\n") // else a trailing ellipsis would lose its last part
                .map(part -> Pattern.quote(part.replace("\n", "")))
                .collect(Collectors.joining(".*"));
        return printed.matches(pattern);
    }

    private interface Code {
        void run() throws Exception;
    }

    private static String printedBy(Code code) throws Exception {
        PrintStream before = System.out;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
        try {
            code.run();
        } finally {
            System.setOut(before);
        }
        return printed.toString(StandardCharsets.UTF_8);
    }
}
