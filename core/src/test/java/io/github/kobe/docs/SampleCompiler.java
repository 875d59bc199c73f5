package io.github.kobe.docs;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** Compiles samples in memory against the exported packages of the module. Warnings are errors. */
final class SampleCompiler {

    /** The lint "try" warns of resources that are not used, but a permit is only held. */
    private static final List<String> OPTIONS =
            List.of("--release", "21", "-Xlint:all,-try", "-proc:none", "--add-modules", "io.github.kobe");

    private SampleCompiler() {}

    /**
     * The samples that compile, and the errors of the others.
     *
     * @param classes by name
     * @param complaints by sample
     */
    record Compiled(Map<String, byte[]> classes, Map<Sample, List<String>> complaints) {}

    /** Compiles all samples in one run, because starting the compiler is slow. If some are broken, compiles the others again. */
    static Compiled compile(List<Sample> samples) {
        Map<Sample, List<String>> complaints = new LinkedHashMap<>();
        Map<String, byte[]> classes = compile(samples, complaints);
        for (int bad = 0; bad < complaints.size(); ) {
            bad = complaints.size();
            List<Sample> good =
                    samples.stream().filter(s -> !complaints.containsKey(s)).toList();
            classes = good.isEmpty() ? Map.of() : compile(good, complaints);
        }
        return new Compiled(classes, complaints);
    }

    private static Map<String, byte[]> compile(List<Sample> samples, Map<Sample, List<String>> complaints) {
        JavaCompiler javac = ToolProvider.getSystemJavaCompiler();
        DiagnosticCollector<JavaFileObject> diagnostics = new DiagnosticCollector<>();
        try (Memory memory =
                new Memory(javac.getStandardFileManager(diagnostics, Locale.ENGLISH, StandardCharsets.UTF_8))) {
            List<Source> sources = samples.stream().map(Source::new).toList();
            javac.getTask(null, memory, diagnostics, options(), null, sources).call();
            diagnostics.getDiagnostics().forEach(d -> complain(d, complaints));
            return memory.classes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void complain(Diagnostic<? extends JavaFileObject> diagnostic, Map<Sample, List<String>> to) {
        if (!(diagnostic.getSource() instanceof Source source)) {
            throw new AssertionError("compiler error: " + diagnostic);
        }
        Sample sample = source.sample;
        String where = sample.where(diagnostic.getLineNumber());
        to.computeIfAbsent(sample, s -> new ArrayList<>())
                .add((where == null ? sample.where() : where) + ": " + diagnostic.getMessage(Locale.ENGLISH));
    }

    private static List<String> options() {
        List<String> options = new ArrayList<>(OPTIONS);
        options.addAll(List.of("--module-path", home(io.github.kobe.GroupExecutor.class)));
        options.addAll(List.of("--class-path", home(SampleBase.class)));
        return options;
    }

    private static String home(Class<?> type) {
        try {
            return Path.of(type.getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI())
                    .toString();
        } catch (URISyntaxException e) {
            throw new AssertionError(e);
        }
    }

    /** A sample as a source file. */
    private static final class Source extends SimpleJavaFileObject {
        private final Sample sample;

        Source(Sample sample) {
            super(URI.create("memory:///" + sample.className().replace('.', '/') + ".java"), Kind.SOURCE);
            this.sample = sample;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return sample.source();
        }
    }

    /** Keeps the compiled classes in memory. */
    private static final class Memory extends ForwardingJavaFileManager<JavaFileManager> {
        private final Map<String, ByteArrayOutputStream> outputs = new HashMap<>();

        Memory(JavaFileManager files) {
            super(files);
        }

        @Override
        public JavaFileObject getJavaFileForOutput(
                Location location, String className, JavaFileObject.Kind kind, FileObject sibling) {
            return new SimpleJavaFileObject(URI.create("memory:///" + className.replace('.', '/') + ".class"), kind) {
                @Override
                public OutputStream openOutputStream() {
                    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                    outputs.put(className, bytes);
                    return bytes;
                }
            };
        }

        Map<String, byte[]> classes() {
            Map<String, byte[]> classes = new HashMap<>();
            outputs.forEach((name, bytes) -> classes.put(name, bytes.toByteArray()));
            return classes;
        }
    }
}
